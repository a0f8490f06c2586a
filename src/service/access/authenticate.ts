import type { Logger } from 'pino';
import { scopes as allScopes, type Scope } from '#contract/scope.ts';
import { findKeyByDigest, type ApiKeyRow } from './api-key-store.ts';
import type { KeyUsage } from './key-usage.ts';
import { unauthorised, type Actor, type Authenticator } from '../platform/http/auth.ts';
import type { HttpProblem } from '../platform/http/http-problem.ts';
import type { Db } from '../platform/storage/database.ts';
import { findSession, updateSession } from './session-store.ts';
import { digestOf, kindOfToken, sameDigest } from './token.ts';

/** The last use of a session is written at most this often. */
const USE_EVERY_MS = 60_000;

const invalid = () =>
  unauthorised(
    'token-invalid',
    'Unknown token. Check that you copied all of it. In a device or tool, use another API key. In a browser, sign in again.',
  );
const expired = () =>
  unauthorised('token-expired', 'This token has expired. Sign in again or use another key.');
const revoked = () =>
  unauthorised('token-revoked', 'This token was revoked. Sign in again or use another key.');

/** Why a key is not active; undefined: it is. */
const inactiveProblemOf = (key: ApiKeyRow, nowMs: number): HttpProblem | undefined => {
  if (key.revoked_at !== null)
    return unauthorised('token-revoked', `The API key “${key.name}” was revoked. Use another key.`);
  if (key.expires_at !== null && key.expires_at <= nowMs)
    return unauthorised('token-expired', `The API key “${key.name}” has expired. Use another key.`);
  return undefined;
};

export const actorOfKey = (key: ApiKeyRow): Actor => ({
  kind: 'key',
  id: key.id,
  name: key.name,
  label: key.name,
  scopes: JSON.parse(key.scopes) as Scope[],
  devices: key.devices === null ? null : (JSON.parse(key.devices) as string[]),
  key: { id: key.id, name: key.name },
  expiresAt: key.expires_at,
  keysExpireBy: key.expires_at,
});

type KeySources = { db: Db; keyUsage: Pick<KeyUsage, 'recordRefusal'>; now: () => number };

/** The active key of a token. Records the use of a revoked or expired key. @throws HttpProblem 401 */
export const getActiveKey = async (
  { db, keyUsage, now }: KeySources,
  token: string,
  from: string,
): Promise<ApiKeyRow> => {
  const digest = digestOf(token);
  const key = await findKeyByDigest(db, digest);
  if (key === undefined || !sameDigest(key.digest, digest)) throw invalid();
  const problem = inactiveProblemOf(key, now());
  if (problem === undefined) return key;
  keyUsage.recordRefusal(key.id, from, now());
  throw problem;
};

type Sources = KeySources & {
  keyUsage: KeyUsage;
  log: Logger;
  /** Whether other processes authenticate the same keys. */
  isShared: boolean;
};

const actorOfSession = async (
  { db, keyUsage, log, now }: Sources,
  token: string,
  from: string,
): Promise<Actor> => {
  const nowMs = now();
  const digest = digestOf(token);
  const session = await findSession(db, digest);
  if (session === undefined || !sameDigest(session.digest, digest)) throw invalid();
  if (session.expires_at <= nowMs || session.last_used_at + session.idle_ms <= nowMs) throw expired();
  if (nowMs - session.last_used_at >= USE_EVERY_MS)
    // Reads continue on a full disk.
    await updateSession(db, session.id, { last_used_at: nowMs }).catch((error: unknown) =>
      log.error({ err: error }, 'could not write the last use of a session'),
    );
  const own = {
    kind: 'session',
    id: session.id,
    label: session.label,
    expiresAt: session.expires_at,
  } as const;
  if (session.key_id === null)
    return {
      ...own,
      name: session.label ?? 'Operator',
      scopes: allScopes,
      devices: null,
      key: null,
      keysExpireBy: null,
    };
  const key = await db.selectFrom('api_key').selectAll().where('id', '=', session.key_id).executeTakeFirst();
  if (key === undefined) throw revoked();
  const problem = inactiveProblemOf(key, nowMs);
  if (problem !== undefined) throw problem;
  // The use of a session counts as a use of its key, because revoking the key ends the session.
  keyUsage.record(key.id, from, nowMs);
  return { ...actorOfKey(key), ...own, name: session.label ?? key.name };
};

/** Looks up bearer tokens in the database: sessions and API keys. */
export const createAuthenticator =
  (sources: Sources): Authenticator =>
  async (token, from) => {
    const { keyUsage, now } = sources;
    switch (kindOfToken(token)) {
      case 'session':
        return actorOfSession(sources, token, from);
      case 'key': {
        const key = await getActiveKey(sources, token, from);
        keyUsage.record(key.id, from, now());
        if (!sources.isShared || key.last_used_at > 0) return actorOfKey(key);
        // Another process may be revoking the key because it was never used.
        await keyUsage.flush();
        return actorOfKey(await getActiveKey(sources, token, from));
      }
      default:
        throw invalid();
    }
  };
