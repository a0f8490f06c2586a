import * as z from 'zod';
import {
  destinationsApi,
  type Destination,
  type DestinationState,
  type SignedDestination,
} from '#contract/destinations.ts';
import { TELEMETRY } from '#contract/pipelines.ts';
import { partyOf, type Transact } from '../../events/event-store.ts';
import { Answer, requireMatch } from '../../platform/http/answer.ts';
import { HttpProblem } from '../../platform/http/http-problem.ts';
import { route } from '../../platform/http/route.ts';
import { DeliveryFailure } from '../destinations/destination.ts';
import { destinationKinds } from '../destinations/destination-catalogue.ts';
import { mergePatch } from '../../platform/http/merge-patch.ts';
import type { OpenDestinationDependencies } from '../spool/open-destination.ts';
import type { Pipelines } from './pipelines.ts';
import { followDestination } from './follow-destination.ts';
import { listPipelinesTo } from '../definition/pipeline-store.ts';
import type { Db } from '../../platform/storage/database.ts';
import { newWebhookSecret } from '../../webhooks/signing-secrets.ts';
import { destinationEvent, destinationStateChanged } from '../definition/destination-events.ts';
import { getKind, isBuiltIn, readConnection } from '../definition/destination-rules.ts';
import { secretsOf, withSigningSecret } from '../definition/destination-secrets.ts';
import {
  countUsers,
  deleteDestination,
  destinationOf,
  findDestination,
  findDestinationByName,
  getDestination,
  insertDestination,
  listDestinations,
  optionsOf,
  stateOf,
  updateDestination,
  updateDestinationState,
  type DestinationRow,
} from '../definition/destination-store.ts';
import { connectionColumns, nameColumns, newDestinationRow } from '../definition/new-destination-row.ts';
import { probeDestination, tryStep } from './try-destination.ts';

/** Names are unique, ignoring case. */
const requireFreeName = async (db: Db, name: string, ownId?: string): Promise<void> => {
  const holder = await findDestinationByName(db, name);
  if (holder === undefined || holder.id === ownId) return;
  throw new HttpProblem(
    'conflict',
    `A destination named “${holder.name}” already exists. Choose another name.`,
    {
      errors: [{ pointer: '/name', code: 'taken', detail: 'Already used by another destination.' }],
    },
  );
};

const requireChangeable = (row: DestinationRow): void => {
  if (isBuiltIn(row))
    throw new HttpProblem(
      'invalid-state',
      `“${row.name}” is built in and cannot be edited. Create another destination.`,
    );
};

const requireDeletable = (row: DestinationRow): void => {
  if (isBuiltIn(row)) throw new HttpProblem('conflict', `“${row.name}” is built in and cannot be deleted.`);
};

/** Number of pipelines to name in the error. */
const NAMED = 3;

const requireUnused = async (db: Db, row: DestinationRow): Promise<void> => {
  const users = await listPipelinesTo(db, row.name_key);
  if (users.length === 0) return;
  const names = users.slice(0, NAMED).map(({ name }) => `“${name}”`);
  const more = users.length > NAMED ? ` and ${users.length - NAMED} more` : '';
  throw new HttpProblem(
    'conflict',
    `${names.join(', ')}${more} ${users.length === 1 ? 'delivers' : 'deliver'} to this destination. Choose another destination for them first.`,
  );
};

const schemaOf = (type: z.ZodType): Record<string, unknown> => {
  const { $schema: _, ...schema } = z.toJSONSchema(type, { io: 'input' });
  return schema;
};

const builtInType = {
  type: TELEMETRY,
  label: 'Built-in store',
  description: 'Stores samples for charts and queries.',
  urlSchema: null,
  optionsSchema: schemaOf(z.strictObject({})),
};

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** The state of a destination after a failed test. */
const stateAfter = (failure: unknown): DestinationState =>
  failure instanceof DeliveryFailure && failure.kind === 'refused' ? 'blocked' : 'retrying';

type Dependencies = OpenDestinationDependencies & {
  db: Db;
  transact: Transact;
  pipelines: Pick<Pipelines, 'apply' | 'destinationChanged'>;
};

export const destinationRoutes = (deps: Dependencies) => {
  const { db, transact, now, environment, outbound, pipelines } = deps;

  const usersOf = async (tx: Db, row: DestinationRow): Promise<number> =>
    (await countUsers(tx, [row.name_key])).get(row.name_key) ?? 0;

  const answer = async (tx: Db, row: DestinationRow): Promise<Answer<Destination>> =>
    new Answer(destinationOf(row, await usersOf(tx, row)), { etag: row.revision });

  const applyAll = async (ids: readonly string[]): Promise<void> => {
    for (const id of ids) await pipelines.apply(id);
  };

  return [
    route(destinationsApi.list, async ({ query }) => {
      const { rows, ...page } = await listDestinations(db, query);
      const users = await countUsers(
        db,
        rows.map(({ name_key: key }) => key),
      );
      return { data: rows.map((row) => destinationOf(row, users.get(row.name_key) ?? 0)), ...page };
    }),

    route(destinationsApi.types, async () => ({
      data: [
        builtInType,
        ...destinationKinds.map(({ type, label, description, url, options }) => ({
          type,
          label,
          description,
          urlSchema: url === undefined ? null : schemaOf(url),
          optionsSchema: schemaOf(options),
        })),
      ],
    })),

    route(destinationsApi.create, async ({ body, actor, saveResponse }) => {
      const kind = getKind(body.type);
      const input = { url: body.url ?? null, options: body.options ?? {} };
      const connection = readConnection(kind, input, { environment, outbound });
      const secret = kind.isSigned ? newWebhookSecret() : null;
      const secrets = secret === null ? connection.secrets : withSigningSecret(connection.secrets, secret);
      const row = newDestinationRow({ name: body.name, type: kind.type, ...connection, secrets }, now());
      const by = { actor: partyOf(actor), at: row.created_at };
      const { created, ids } = await transact(async (tx, recordEvents) => {
        await requireFreeName(tx, row.name);
        await insertDestination(tx, row);
        await recordEvents(destinationEvent('destination.created', row, { ...by, data: { type: row.type } }));
        const waiting = await followDestination(tx, recordEvents, row, { ...by, environment });
        const model = destinationOf(row, waiting.length);
        /** The secret is only in the first response. An idempotent replay omits it. */
        const showing = (shown: string | null): Answer<SignedDestination> =>
          new Answer(
            { ...model, secret: shown },
            { status: 201, etag: row.revision, location: `/v1/destinations/${row.id}` },
          );
        await saveResponse(tx, showing(null));
        return { created: showing(secret), ids: waiting };
      });
      await applyAll(ids);
      return created;
    }),

    route(destinationsApi.get, async ({ params }) => answer(db, await getDestination(db, params.id))),

    route(destinationsApi.change, async ({ params, body, actor, request }) => {
      const followers = await transact(async (tx, recordEvents) => {
        const old = await getDestination(tx, params.id);
        requireMatch(request, old.revision);
        requireChangeable(old);
        const name = body.name ?? old.name;
        await requireFreeName(tx, name, old.id);
        const before = { url: old.url, options: optionsOf(old), secrets: secretsOf(old) };
        const input = {
          url: body.url === undefined ? old.url : body.url,
          options: z.record(z.string(), z.unknown()).parse(mergePatch(before.options, body.options ?? {})),
        };
        // A new name is accepted even if a variable or a listed host was removed since.
        const isNameOnly = body.url === undefined && body.options === undefined;
        const connection = isNameOnly
          ? before
          : readConnection(getKind(old.type), input, { environment, outbound }, before);
        const isOther = !isSame(connectionColumns(connection), connectionColumns(before));
        const from = stateOf(old);
        const by = { actor: partyOf(actor), at: now() };
        const row: DestinationRow = {
          ...old,
          ...nameColumns(name),
          ...connectionColumns(connection),
          // The known state belongs to the previous connection.
          ...(isOther ? { state: 'healthy', last_error: null, last_error_at: null } : {}),
          updated_at: by.at,
          revision: old.revision + 1,
        };
        await updateDestination(tx, old.id, row);
        await recordEvents(
          destinationEvent('destination.updated', row, { ...by, data: { fields: Object.keys(body) } }),
        );
        if (isOther && from !== 'healthy')
          await recordEvents(destinationStateChanged(row, { ...by, from, to: 'healthy', reason: null }));
        if (name === old.name) return [];
        return followDestination(tx, recordEvents, row, { ...by, environment }, old.name_key);
      });
      await applyAll(followers);
      await pipelines.destinationChanged(params.id);
      return answer(db, await getDestination(db, params.id));
    }),

    route(destinationsApi.remove, async ({ params, actor, request }) => {
      await transact(async (tx, recordEvents) => {
        const row = await getDestination(tx, params.id);
        requireMatch(request, row.revision);
        requireDeletable(row);
        await requireUnused(tx, row);
        await deleteDestination(tx, row.id);
        await recordEvents(
          destinationEvent('destination.deleted', row, { actor: partyOf(actor), at: now() }),
        );
      });
      await pipelines.destinationChanged(params.id);
      return undefined;
    }),

    route(destinationsApi.test, async ({ params }) => {
      const row = await getDestination(db, params.id);
      let failure: unknown;
      const step = await tryStep('destination', async () => {
        try {
          return { detail: await probeDestination(deps, row) };
        } catch (error) {
          failure = error;
          throw error;
        }
      });
      const at = now();
      const [from, to] = [stateOf(row), step.ok ? 'healthy' : stateAfter(failure)] as const;
      // Without pipelines, nothing is retried.
      const isUsed = to !== 'retrying' || (await listPipelinesTo(db, row.name_key)).length > 0;
      if (from !== to && isUsed) {
        await transact(async (tx, recordEvents) => {
          const current = await findDestination(tx, row.id);
          // The destination may have been changed or deleted meanwhile. Then the result no longer applies.
          if (current?.revision !== row.revision || current.state !== from) return;
          const lastError = step.ok ? {} : { last_error: step.detail, last_error_at: at };
          await updateDestinationState(tx, row.id, { state: to, ...lastError });
          const reason = step.ok ? null : step.detail;
          await recordEvents(destinationStateChanged(row, { actor: null, at, from, to, reason }));
        });
        await pipelines.destinationChanged(row.id);
      }
      return { ok: step.ok, steps: [step] };
    }),
  ];
};
