import { apiKeysApi, type MintedKey } from '#contract/api-keys.ts';
import { keyActivityApi } from '#contract/key-activity.ts';
import { foldCase } from '#contract/fold-case.ts';
import { findByIds } from '../devices/device-store.ts';
import { partyOf, type NewEvent, type Transact } from '../events/event-store.ts';
import type { Actor } from '../platform/http/auth.ts';
import { invalidField, HttpProblem } from '../platform/http/http-problem.ts';
import { Answer, requireMatch } from '../platform/http/answer.ts';
import { route } from '../platform/http/route.ts';
import type { LiveBus } from '../platform/live-bus.ts';
import type { ActivityPipeline, KeyActivityLog } from './key-activity.ts';
import type { KeyUsage } from './key-usage.ts';
import { deleteSessionsOfKey } from './session-store.ts';
import { mintToken } from './token.ts';
import type { Db } from '../platform/storage/database.ts';
import { newId } from '../platform/storage/new-id.ts';
import { expiryOf, requireMintable, rotatedExpiryOf } from './api-key-rules.ts';
import { LAST_WARNING_DAYS } from './expiring-keys.ts';
import { apiKeyOf, getKey, insertKey, listKeys, updateKey, type ApiKeyRow } from './api-key-store.ts';
import { toIsoTime, toIsoTimeOrNull } from '../platform/iso-time.ts';

const NEVER_KEY = Number.MAX_SAFE_INTEGER;

const requireDevices = async (db: Db, ids: readonly string[]): Promise<void> => {
  const known = new Set(
    (await findByIds(db, ids)).filter((row) => row.deleted_at === null).map(({ id }) => id),
  );
  const index = ids.findIndex((id) => !known.has(id));
  if (index >= 0)
    throw invalidField(
      `/devices/${index}`,
      'unknown-device',
      `There is no device ${ids[index]}. Check the ID.`,
    );
};

type Minting = Pick<ApiKeyRow, 'name' | 'scopes' | 'devices' | 'expires_at' | 'created_by' | 'rotated_from'>;

const newKeyRow = (key: Minting, nowMs: number): { row: ApiKeyRow; secret: string } => {
  const { token, digest } = mintToken('key');
  const row: ApiKeyRow = {
    ...key,
    id: newId('key'),
    digest,
    name_key: foldCase(key.name),
    last4: token.slice(-4),
    expires_key: key.expires_at ?? NEVER_KEY,
    warned_days: null,
    last_used_at: 0,
    last_used_from: null,
    last_refused_at: null,
    last_refused_from: null,
    refused_since: null,
    refused_count: 0,
    revoked_at: null,
    created_at: nowMs,
    revision: 1,
  };
  return { row, secret: token };
};

type Dependencies = {
  db: Db;
  transact: Transact;
  live: Pick<LiveBus, 'publish'>;
  keyUsage: KeyUsage;
  keyActivity: Pick<KeyActivityLog, 'read'>;
  now: () => number;
};

export const apiKeyRoutes = ({ db, transact, live, keyUsage, keyActivity, now }: Dependencies) => {
  const shown = (row: ApiKeyRow) => apiKeyOf(row, keyUsage.lastHour(row.id));
  /** The secret is only in the first response. An idempotent replay omits it. */
  const minted = (row: ApiKeyRow, secret: string | null): Answer<MintedKey> =>
    new Answer(
      { ...shown(row), secret },
      { status: 201, etag: row.revision, location: `/v1/api-keys/${row.id}` },
    );
  const event = (type: NewEvent['type'], actor: Actor, row: ApiKeyRow, data = {}): NewEvent => ({
    type,
    subject: { type: 'api-key', id: row.id, name: row.name },
    actor: partyOf(actor),
    data,
    at: now(),
  });

  return [
    route(
      apiKeysApi.list,
      async ({ query }) => {
        await keyUsage.flush();
        const { rows, ...page } = await listKeys(db, query);
        return { data: rows.map(shown), ...page };
      },
      { buildsFields: true },
    ),

    route(apiKeysApi.create, async ({ body, actor, saveResponse }) => {
      const devices = body.devices ?? null;
      requireMintable(actor, body.scopes, devices);
      if (devices !== null) await requireDevices(db, devices);
      const { row, secret } = newKeyRow(
        {
          name: body.name,
          scopes: JSON.stringify([...new Set(body.scopes)]),
          devices: devices === null ? null : JSON.stringify([...new Set(devices)]),
          expires_at: expiryOf(body.expiresAt, now(), actor),
          created_by: actor.name,
          rotated_from: null,
        },
        now(),
      );
      return transact(async (tx, recordEvents) => {
        await insertKey(tx, row);
        await recordEvents(event('api-key.created', actor, row, { scopes: body.scopes }));
        await saveResponse(tx, minted(row, null));
        return minted(row, secret);
      });
    }),

    route(apiKeysApi.get, async ({ params }) => {
      await keyUsage.flush();
      const row = await getKey(db, params.id);
      return new Answer(shown(row), { etag: row.revision });
    }),

    route(keyActivityApi.read, async ({ params, actor: { scopes } }) => {
      await keyUsage.flush();
      const { last_used_at: usedAtMs, last_used_from: lastUsedFrom } = await getKey(db, params.id);
      const { sinceMs, devices, formats, rejections, unrouted, refused, ...counts } = keyActivity.read(
        params.id,
      );
      const [seesDevices, seesPipelines] = [
        scopes.includes('devices:read'),
        scopes.includes('pipelines:read'),
      ];
      const rows = await findByIds(db, seesDevices ? devices.map(({ id }) => id) : []);
      const known = new Map(rows.filter((row) => row.deleted_at === null).map((row) => [row.id, row]));
      const visiblePipeline = (pipeline: ActivityPipeline): ActivityPipeline =>
        seesPipelines ? pipeline : null;
      return {
        since: toIsoTime(sinceMs),
        lastUsedAt: toIsoTimeOrNull(usedAtMs),
        lastUsedFrom,
        ...counts,
        devices: devices.flatMap(({ id, atMs }) => {
          const row = known.get(id);
          return row === undefined
            ? []
            : [{ id, externalId: row.external_id, name: row.name, lastAt: toIsoTime(atMs) }];
        }),
        formats: formats.map(({ atMs, format, pipeline }) => ({
          format,
          pipeline: visiblePipeline(pipeline),
          lastAt: toIsoTime(atMs),
        })),
        rejections: seesPipelines
          ? rejections.map(({ atMs, ...rejection }) => ({ ...rejection, lastAt: toIsoTime(atMs) }))
          : [],
        unrouted: seesPipelines
          ? unrouted.map(({ topic, atMs }) => ({ topic, lastAt: toIsoTime(atMs) }))
          : [],
        refused: refused.map(({ atMs, ...each }) => ({ ...each, at: toIsoTime(atMs) })),
      };
    }),

    route(apiKeysApi.change, ({ params, body, actor, request }) =>
      transact(async (tx, recordEvents) => {
        const old = await getKey(tx, params.id);
        requireMatch(request, old.revision);
        const name = body.name ?? old.name;
        const row = { ...old, name, name_key: foldCase(name), revision: old.revision + 1 };
        await updateKey(tx, row.id, { name, name_key: row.name_key, revision: row.revision });
        await recordEvents(event('api-key.updated', actor, row, { fields: Object.keys(body) }));
        return new Answer(shown(row), { etag: row.revision });
      }),
    ),

    route(apiKeysApi.revoke, async ({ params, query, actor, request }) => {
      const ended = await transact(async (tx, recordEvents) => {
        const row = await getKey(tx, params.id);
        requireMatch(request, row.revision);
        if (row.revoked_at !== null) return [];
        // Uses of the last second may not be written yet. Other processes write the first use at once.
        if (query.unused === true && (row.last_used_at > 0 || keyUsage.lastHour(row.id) > 0))
          throw new HttpProblem('invalid-state', 'This key is in use. Revoke it without `unused`.');
        await updateKey(tx, row.id, { revoked_at: now(), revision: row.revision + 1 });
        const sessions = await deleteSessionsOfKey(tx, row.id);
        await recordEvents(event('api-key.revoked', actor, row, { endedSessions: sessions.length }));
        return [row.id, ...sessions];
      });
      for (const actorId of ended) live.publish('ended', { actorId });
      return undefined;
    }),

    route(apiKeysApi.rotate, ({ params, body, actor, saveResponse }) =>
      transact(async (tx, recordEvents) => {
        const old = await getKey(tx, params.id);
        const hasEnded = old.revoked_at !== null || (old.expires_at !== null && old.expires_at <= now());
        if (hasEnded)
          throw new HttpProblem(
            'invalid-state',
            'This key is already revoked or expired. Create a new key instead.',
          );
        requireMintable(actor, JSON.parse(old.scopes), old.devices === null ? null : JSON.parse(old.devices));
        const { row, secret } = newKeyRow(
          {
            name: old.name,
            scopes: old.scopes,
            devices: old.devices,
            expires_at: rotatedExpiryOf(old, now(), actor),
            created_by: actor.name,
            rotated_from: old.id,
          },
          now(),
        );
        const endsAt = Math.min(old.expires_at ?? Infinity, now() + body.overlapSeconds * 1_000);
        await insertKey(tx, row);
        await updateKey(tx, old.id, {
          expires_at: endsAt,
          expires_key: endsAt,
          // No warning: the rotation has already set when the old key expires.
          warned_days: LAST_WARNING_DAYS,
          revision: old.revision + 1,
        });
        await recordEvents(event('api-key.rotated', actor, old, { to: row.id, endsAt: toIsoTime(endsAt) }));
        await saveResponse(tx, minted(row, null));
        return minted(row, secret);
      }),
    ),
  ];
};
