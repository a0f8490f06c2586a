import type { Scope } from '#contract/scope.ts';
import { scopeChallenge, type Actor } from '../http/auth.ts';
import { invalidField, Refusal } from '../http/refusal.ts';

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 90;
const MAX_DAYS = 366;

/** Epoch ms at which a new key expires: 90 days where nothing was said, null (never) only by choice. */
export const expiryOf = (expiresAt: string | null | undefined, nowMs: number): number | null => {
  if (expiresAt === null) return null;
  if (expiresAt === undefined) return nowMs + DEFAULT_DAYS * DAY_MS;
  const ms = Date.parse(expiresAt);
  if (ms <= nowMs) throw invalidField('/expiresAt', 'past', 'Must lie in the future.');
  if (ms > nowMs + MAX_DAYS * DAY_MS)
    throw invalidField('/expiresAt', 'too-far', `Must lie at most ${MAX_DAYS} days ahead; null is never.`);
  return ms;
};

/** A key mints only what it holds itself: scopes, and devices where it is limited to some. */
export const requireMintable = (
  actor: Actor,
  scopes: readonly Scope[],
  devices: readonly string[] | null,
): void => {
  const missing = scopes.filter((scope) => !actor.scopes.includes(scope));
  if (missing.length > 0)
    throw new Refusal(
      'insufficient-scope',
      `A key can be given only scopes that its maker holds; missing: ${missing.join(', ')}.`,
      {
        errors: missing.map((scope) => ({ pointer: '/scopes', code: 'missing-scope', detail: scope })),
        headers: scopeChallenge(missing),
      },
    );
  const beyond =
    actor.devices !== null && (devices === null || devices.some((id) => !actor.devices?.includes(id)));
  if (beyond)
    throw new Refusal(
      'insufficient-scope',
      'This token is limited to devices and can make keys for those only.',
      { headers: scopeChallenge([]) },
    );
};
