import type { Logger } from 'pino';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { sessionsApi, type Who } from '#contract/sessions.ts';
import { scopes as allScopes, type Scope } from '#contract/scope.ts';
import type { RecordEvents, Transact } from '../events/event-store.ts';
import { commandLine } from '../platform/command-line.ts';
import { unauthorised, type Actor } from '../platform/http/auth.ts';
import type { FailureLimit } from '../platform/http/failure-limit.ts';
import { clientAddressOf } from '../platform/http/client-address.ts';
import { HttpProblem } from '../platform/http/http-problem.ts';
import { route } from '../platform/http/route.ts';
import type { LiveBus } from '../platform/live-bus.ts';
import type { Db } from '../platform/storage/database.ts';
import type { DiskGuard } from '../platform/storage/disk-guard.ts';
import { ignoreUnwritable } from '../platform/storage/disk-full.ts';
import { getActiveKey } from './authenticate.ts';
import type { KeyUsage } from './key-usage.ts';
import { deleteSession, hasSignin, insertSession, updateSession, consumeSignin } from './session-store.ts';
import { digestOf, kindOfToken, mintToken } from './token.ts';
import { toIsoTime, toIsoTimeOrNull } from '../platform/iso-time.ts';

/** Failed sign-ins per address that are recorded as events. */
const RECORDED_FAILURES_PER_MINUTE = 10;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const LIFETIME = { idleMs: 12 * HOUR_MS, maxMs: 7 * DAY_MS };
const REMEMBERED = { idleMs: 30 * DAY_MS, maxMs: 30 * DAY_MS };

const whoIs = (actor: Actor): Who => ({
  id: actor.id,
  kind: actor.kind,
  label: actor.label,
  scopes: [...actor.scopes],
  devices: actor.devices === null ? null : [...actor.devices],
  key: actor.key,
  expiresAt: toIsoTimeOrNull(actor.expiresAt),
  keysExpireBy: toIsoTimeOrNull(actor.keysExpireBy),
});

type Dependencies = {
  db: Db;
  transact: Transact;
  disk: Pick<DiskGuard, 'readOnlyError' | 'withoutReserve'>;
  live: Pick<LiveBus, 'publish'>;
  log: Logger;
  now: () => number;
  keyUsage: Pick<KeyUsage, 'recordRefusal'>;
  failureLimit: FailureLimit;
};

export const sessionRoutes = (deps: Dependencies) => {
  const { db, transact, disk, live, log, now, failureLimit } = deps;
  /** Revoked tokens can be tried without limit, but only some of these attempts are recorded. */
  const recordedFailures = new RateLimiterMemory({ points: RECORDED_FAILURES_PER_MINUTE, duration: 60 });
  const mayRecordFailure = (address: string): Promise<boolean> =>
    recordedFailures.consume(address).then(
      () => true,
      () => false,
    );

  /** Writes a session. If the service only reads, sessions are kept in memory and the events are logged instead. */
  const transactSession = (work: (tx: Db, recordEvents: RecordEvents) => Promise<void>): Promise<void> =>
    disk.readOnlyError() === undefined
      ? transact(work)
      : work(db, async (...events) =>
          log.info({ events }, 'events were not stored: the disk is not writable'),
        );

  /** The scopes and limits of the session that a token opens. @throws HttpProblem 401 */
  const grantOf = async (token: string, from: string) => {
    if (kindOfToken(token) === 'key') {
      const key = await getActiveKey(deps, token, from);
      return {
        keyId: key.id,
        name: key.name,
        scopes: JSON.parse(key.scopes) as Scope[],
        endsAt: key.expires_at,
      };
    }
    const digest = digestOf(token);
    if (kindOfToken(token) !== 'signin' || !(await hasSignin(db, digest)))
      throw unauthorised(
        'token-invalid',
        'Unknown API key or sign-in token. Check that you copied all of it.',
      );
    if (!(await consumeSignin(db, digest, now())))
      throw unauthorised(
        'token-expired',
        `This sign-in link was already used or is older than 10 minutes. Create another one: ${commandLine('signin')}.`,
      );
    return { keyId: null, name: 'Operator', scopes: [...allScopes], endsAt: null };
  };

  return [
    route(sessionsApi.open, async ({ body, request }) => {
      const from = clientAddressOf(request);
      const grant = await failureLimit(from, () => grantOf(body.token, from)).catch(
        async (error: unknown) => {
          if (error instanceof HttpProblem && error.status === 401 && (await mayRecordFailure(from)))
            // Anyone can cause these events, so they must not use the disk reserve.
            await ignoreUnwritable(
              disk.withoutReserve(() =>
                transact((_, recordEvents) =>
                  recordEvents({
                    type: 'session.refused',
                    subject: { type: 'session', id: '', name: from },
                    actor: null,
                    data: { from, code: error.code },
                    at: now(),
                  }),
                ),
              ),
            );
          throw error;
        },
      );
      const { token, digest } = mintToken('session');
      const { idleMs, maxMs } = body.remember ? REMEMBERED : LIFETIME;
      const expiresAt = Math.min(now() + maxMs, grant.endsAt ?? Infinity);
      await transactSession(async (tx, recordEvents) => {
        const id = await insertSession(tx, {
          digest,
          key_id: grant.keyId,
          label: grant.keyId === null ? null : grant.name,
          idle_ms: idleMs,
          last_used_at: now(),
          expires_at: expiresAt,
          created_at: now(),
        });
        await recordEvents({
          type: 'session.opened',
          subject: { type: 'session', id, name: grant.name },
          actor: { type: 'session', id, name: grant.name },
          data: { from, key: grant.keyId },
          at: now(),
        });
      });
      return { token, expiresAt: toIsoTime(expiresAt), scopes: grant.scopes };
    }),

    route(sessionsApi.get, async ({ actor }) => whoIs(actor)),

    route(sessionsApi.change, async ({ actor, body }) => {
      if (actor.kind === 'key')
        throw new HttpProblem(
          'invalid-state',
          'This is an API key, not a session. API keys have their own name.',
        );
      await updateSession(db, actor.id, { label: body.label });
      return whoIs({ ...actor, label: body.label });
    }),

    route(sessionsApi.close, async ({ actor }) => {
      if (actor.kind !== 'session') return undefined;
      await transactSession(async (tx, recordEvents) => {
        await deleteSession(tx, actor.id);
        await recordEvents({
          type: 'session.closed',
          subject: { type: 'session', id: actor.id, name: actor.name },
          actor: { type: 'session', id: actor.id, name: actor.name },
          data: {},
          at: now(),
        });
      });
      live.publish('ended', { actorId: actor.id });
      return undefined;
    }),
  ];
};
