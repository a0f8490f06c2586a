/** The devices with a type, or with a value of a tag. `name`: `type`, or `tag:` and the key of the tag. */
export type FacetCounts = {
  readonly name: string;
  readonly value: string;
  readonly offline: number;
  readonly total: number;
};

/** Offline devices by type or by a tag, the largest group first. `by`: `type`, or `tag:` and the key of the tag. */
export type OfflineGrouping = {
  readonly by: string;
  readonly groups: readonly { readonly value: string; readonly offline: number }[];
};

const TYPE = 'type';

/**
 * How well the devices of a group match the offline ones: 1 if they are the same devices. Low if few offline devices are in
 * the group, and if many devices of the group are not offline. This is the Dice coefficient of the two sets.
 */
const matchOf = (all: number, { offline, total }: FacetCounts): number => (2 * offline) / (all + total);

/**
 * Groups offline devices by the tag with the value that matches them best, if at least half of them have that value and it
 * matches better than any type. Otherwise by type. Undefined if no offline device has a type.
 */
export const chooseGrouping = (all: number, counts: readonly FacetCounts[]): OfflineGrouping | undefined => {
  let best = { by: TYPE, match: 0 };
  for (const each of counts) {
    const match = matchOf(all, each);
    const isType = each.name === TYPE;
    if (match > best.match && (isType || each.offline * 2 >= all)) best = { by: each.name, match };
  }
  const groups = counts
    .filter(({ name, offline }) => name === best.by && offline > 0)
    .map(({ value, offline }) => ({ value, offline }))
    .toSorted((some, others) => others.offline - some.offline);
  return groups.length === 0 ? undefined : { by: best.by, groups };
};
