import type { FastifyRequest } from 'fastify';
import type { EndpointShape } from '#contract/endpoint.ts';
import { describeMissingScopes, missingScopeErrors, missingScopesOf } from '#contract/missing-scopes.ts';
import type { Scope } from '#contract/scope.ts';
import { clientAddressOf } from './client-address.ts';
import { clientTokenOf, takesBasicAt, type ClientShape } from './client-token.ts';
import type { FailureLimit } from './failure-limit.ts';
import { HttpProblem } from './http-problem.ts';

/** The session or API key that makes a request, with its permissions. */
export type Actor = {
  kind: 'session' | 'key';
  /** The ID of the session or key. */
  id: string;
  /** The name in events: the label of the session, otherwise the name of the key. */
  name: string;
  label: string | null;
  scopes: readonly Scope[];
  /** IDs of the devices that it is limited to; null: all. */
  devices: readonly string[] | null;
  key: { id: string; name: string } | null;
  expiresAt: number | null;
  /** The latest expiry of keys that it creates, in epoch ms: that of its own key. Null: no limit. */
  keysExpireBy: number | null;
};

/** Actors of a group share limits: all sessions of a key count as the key, all operator sessions as one. */
export const actorGroupOf = ({ kind, id, key }: Actor): string =>
  key?.id ?? (kind === 'key' ? id : 'operator');

/** Looks up a bearer token. @throws HttpProblem 401 */
export type Authenticator = (token: string, from: string) => Promise<Actor>;

/** A write that was rejected before its body was read. `actor`: the sender, if the token was valid. */
export type RefusedWrite = { from: string; reason: string; detail: string; actor: Actor | undefined };
export type RecordRefusedWrite = (refused: RefusedWrite) => void;

declare module 'fastify' {
  interface FastifyRequest {
    actor: Actor | undefined;
  }
  interface FastifyInstance {
    authenticator: Authenticator;
    failureLimit: FailureLimit;
    recordRefusedWrite: RecordRefusedWrite;
  }
}

type TokenProblem = 'token-missing' | 'token-invalid' | 'token-expired' | 'token-revoked';

const challenge = (code: TokenProblem, offersBasic: boolean): Record<string, string> => ({
  'www-authenticate':
    code === 'token-missing'
      ? `Bearer${offersBasic ? ', Basic realm="Penstock"' : ''}`
      : `Bearer error="invalid_token", error_description="${code}"`,
});

/** `offersBasic`: clients that send credentials only on request may send the key as the password of HTTP Basic. */
export const unauthorised = (code: TokenProblem, detail: string, { offersBasic = false } = {}): HttpProblem =>
  new HttpProblem(code, detail, { headers: challenge(code, offersBasic) });

/** The header of a 403 with the required scopes (RFC 6750, 3.1). */
export const scopeChallenge = (scopes: readonly Scope[]): Record<string, string> => ({
  'www-authenticate': `Bearer error="insufficient_scope"${scopes.length === 0 ? '' : `, scope="${scopes.join(' ')}"`}`,
});

const requireScopes = (missing: readonly Scope[]): void => {
  if (missing.length === 0) return;
  throw new HttpProblem('insufficient-scope', describeMissingScopes(missing), {
    errors: missingScopeErrors(missing),
    headers: scopeChallenge(missing),
  });
};

export const requireScope = (actor: Actor, scope: Scope): void =>
  requireScopes(missingScopesOf({ scope }, actor.scopes));

const HEADER = 'Send the header "Authorization: Bearer <token>"';

/** Whether a page in a browser makes the request: the browser would ask its user for a password. */
const isFromBrowser = ({ headers }: FastifyRequest): boolean =>
  headers['sec-fetch-site'] !== undefined || headers.origin !== undefined;

/** @throws HttpProblem 401 */
const bearerTokenOf = (request: FastifyRequest, endpoint: ClientShape): string => {
  const { headers } = request;
  if (headers.authorization === undefined)
    throw unauthorised('token-missing', `${HEADER}, or sign in.`, {
      offersBasic: takesBasicAt(endpoint) && !isFromBrowser(request),
    });
  const token = /^Bearer +(\S+) *$/i.exec(headers.authorization)?.[1];
  if (token === undefined) throw unauthorised('token-invalid', `${HEADER}.`);
  return token;
};

type AuthorisedShape = Pick<EndpointShape, 'scope' | 'alsoScope'> & ClientShape;

/** @throws HttpProblem 401 or 429 */
const authenticateRequest = async (request: FastifyRequest, endpoint: AuthorisedShape): Promise<Actor> => {
  const { authenticator, failureLimit } = request.server;
  const token = clientTokenOf(request, endpoint) ?? bearerTokenOf(request, endpoint);
  const from = clientAddressOf(request);
  return failureLimit(from, () => authenticator(token, from));
};

/** Authenticates a request and checks its scopes. @throws HttpProblem 401, 403 or 429 */
export const authorise = async (request: FastifyRequest, endpoint: AuthorisedShape): Promise<Actor> => {
  let actor: Actor | undefined;
  try {
    actor = await authenticateRequest(request, endpoint);
    requireScopes(missingScopesOf(endpoint, actor.scopes));
    return actor;
  } catch (error) {
    if (error instanceof HttpProblem && endpoint.scope === 'telemetry:write')
      request.server.recordRefusedWrite({
        from: clientAddressOf(request),
        reason: error.code,
        detail: error.message,
        actor,
      });
    throw error;
  }
};
