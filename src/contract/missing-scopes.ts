import type { EndpointShape } from './endpoint.ts';
import { readScopes, type Scope } from './scope.ts';

/** The scopes that a token lacks for an endpoint. Of those of `any-read`, one is enough. */
export const missingScopesOf = (
  { scope, alsoScope }: Pick<EndpointShape, 'scope' | 'alsoScope'>,
  held: readonly Scope[],
): readonly Scope[] => {
  if (scope === 'any-read' && !held.some((each) => readScopes.includes(each))) return readScopes;
  const needed = scope === 'any-read' || scope === 'any' || scope === 'none' ? [] : [scope];
  return [...needed, ...(alsoScope === undefined ? [] : [alsoScope])]
    .filter((each) => !held.includes(each))
    .slice(0, 1);
};

export const describeMissingScopes = (missing: readonly Scope[]): string =>
  missing.length === 1
    ? `This request requires the scope ${missing[0]}. Use a token with this scope.`
    : `This request requires at least one of the scopes ${missing.join(', ')}. Use a token with one of them.`;

/** The `errors` of the problem `insufficient-scope`. */
export const missingScopeErrors = (missing: readonly Scope[]) =>
  missing.map((scope) => ({ parameter: 'Authorization', code: 'missing-scope', detail: scope }));
