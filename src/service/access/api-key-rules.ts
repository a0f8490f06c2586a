import type { Scope } from '#contract/scope.ts';
import { scopeChallenge, type Actor } from '../platform/http/auth.ts';
import { invalidField, HttpProblem } from '../platform/http/http-problem.ts';
import { toIsoTime } from '../platform/iso-time.ts';

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 90;
const MAX_DAYS = 366;

const isBefore = (ms: number | null, other: number | null): boolean =>
  ms !== null && (other === null || ms < other);

/** The earlier of two times. Null means never. */
const earlier = (a: number | null, b: number | null): number | null => (isBefore(a, b) ? a : b);

/**
 * When a new key expires, in epoch ms. Defaults to 90 days from now; null (never) only on request. No later than the
 * key that creates it. @throws HttpProblem 422 at /expiresAt
 */
export const expiryOf = (
  expiresAt: string | null | undefined,
  nowMs: number,
  { keysExpireBy }: Pick<Actor, 'keysExpireBy'>,
): number | null => {
  if (expiresAt === undefined) return earlier(nowMs + DEFAULT_DAYS * DAY_MS, keysExpireBy);
  const ms = expiresAt === null ? null : Date.parse(expiresAt);
  if (keysExpireBy !== null && isBefore(keysExpireBy, ms))
    throw invalidField(
      '/expiresAt',
      'outlives-maker',
      `Must be no later than ${toIsoTime(keysExpireBy)}, when the key that you use expires.`,
    );
  if (ms === null) return null;
  if (ms <= nowMs) throw invalidField('/expiresAt', 'past', 'Must be in the future.');
  if (ms > nowMs + MAX_DAYS * DAY_MS)
    throw invalidField(
      '/expiresAt',
      'too-far',
      `Must be at most ${MAX_DAYS} days ahead. Use null for no expiry.`,
    );
  return ms;
};

/**
 * When the key that replaces an old one expires, in epoch ms: it gets the lifetime of the old key, but expires no later
 * than the key that rotates it. @throws HttpProblem 403 if it would expire before the old key
 */
export const rotatedExpiryOf = (
  old: { created_at: number; expires_at: number | null },
  nowMs: number,
  { keysExpireBy }: Pick<Actor, 'keysExpireBy'>,
): number | null => {
  if (keysExpireBy !== null && isBefore(keysExpireBy, old.expires_at))
    throw new HttpProblem(
      'insufficient-scope',
      `The new key would expire before the old one, because the key that you use expires at ${toIsoTime(keysExpireBy)}. Use a key that expires later, or sign in with a sign-in link, then rotate it.`,
      { headers: scopeChallenge([]) },
    );
  const fullLifetimeEnd = old.expires_at === null ? null : nowMs + old.expires_at - old.created_at;
  return earlier(fullLifetimeEnd, keysExpireBy);
};

/** A key can only grant scopes and devices that it has itself. @throws HttpProblem 403 */
export const requireMintable = (
  actor: Actor,
  scopes: readonly Scope[],
  devices: readonly string[] | null,
): void => {
  const missing = scopes.filter((scope) => !actor.scopes.includes(scope));
  if (missing.length > 0)
    throw new HttpProblem(
      'insufficient-scope',
      `You can only grant scopes that your own token has. Missing: ${missing.join(', ')}.`,
      {
        errors: missing.map((scope) => ({ pointer: '/scopes', code: 'missing-scope', detail: scope })),
        headers: scopeChallenge(missing),
      },
    );
  const beyond =
    actor.devices !== null && (devices === null || devices.some((id) => !actor.devices?.includes(id)));
  if (beyond)
    throw new HttpProblem(
      'insufficient-scope',
      'This token is limited to devices and can only create keys for these devices.',
      { headers: scopeChallenge([]) },
    );
};
