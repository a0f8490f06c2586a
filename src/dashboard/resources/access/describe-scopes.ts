import { scopes, type Scope } from '#contract/scope.ts';
import { plural } from '../../ui/format/format-number.ts';

const reads = scopes.filter((scope) => scope.endsWith(':read'));

/** A key with all scopes of an earlier version lacks the new ones. */
const MAX_LACKING = 2;

/** A short text for a set of scopes. */
export const describeScopes = (held: readonly Scope[], devices: readonly string[] | null): string => {
  const limit = devices === null ? '' : `, for ${plural(devices.length, 'device')}`;
  const lacking = scopes.filter((scope) => !held.includes(scope));
  if (lacking.length <= MAX_LACKING)
    return `Full access${lacking.length === 0 ? '' : ` except ${lacking.join(', ')}`}${limit}`;
  if (held.length === reads.length && reads.every((scope) => held.includes(scope)))
    return `Reads everything${limit}`;
  return `${held.join(', ')}${limit}`;
};
