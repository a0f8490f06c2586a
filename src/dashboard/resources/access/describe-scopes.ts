import { scopes, type Scope } from '#contract/scope.ts';
import { plural } from '../../ui/format/format-number.ts';

const reads = scopes.filter((scope) => scope.endsWith(':read'));

/** A short text for a set of scopes. */
export const describeScopes = (held: readonly Scope[], devices: readonly string[] | null): string => {
  const limit = devices === null ? '' : `, for ${plural(devices.length, 'device')}`;
  if (held.length === scopes.length) return `Full access${limit}`;
  if (held.length === reads.length && reads.every((scope) => held.includes(scope)))
    return `Reads everything${limit}`;
  return `${held.join(', ')}${limit}`;
};
