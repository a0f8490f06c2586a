/** Fewer topics that differ in one level may be kinds of messages of one device, not devices. */
const MIN_TOPICS = 10;
/** Longer topics are not grouped: the number of candidates grows with the levels. */
const MAX_LEVELS = 10;
const MAX_LENGTH = 128;

type Group<T> = { readonly topicFilter: string; readonly members: readonly T[] };

/** The topic filters with `+` in place of one level. */
const generalisations = (topicFilter: string): string[] => {
  const found: string[] = [];
  if (topicFilter.length > MAX_LENGTH || topicFilter.endsWith('#')) return found;
  let start = 0;
  for (let level = 0; start <= topicFilter.length; level += 1) {
    if (level === MAX_LEVELS) return [];
    const slash = topicFilter.indexOf('/', start);
    const end = slash === -1 ? topicFilter.length : slash;
    if (topicFilter.slice(start, end) !== '+')
      found.push(`${topicFilter.slice(0, start)}+${topicFilter.slice(end)}`);
    start = end + 1;
  }
  return found;
};

/** Replaces groups that differ in the same level, the largest first. */
const mergeOnce = <T>(groups: readonly Group<T>[]): readonly Group<T>[] => {
  const candidates = new Map<string, Group<T>[]>();
  for (const group of groups)
    for (const topicFilter of generalisations(group.topicFilter)) {
      const alike = candidates.get(topicFilter);
      if (alike === undefined) candidates.set(topicFilter, [group]);
      else alike.push(group);
    }
  const left = new Set(groups);
  const merged: Group<T>[] = [];
  const largestFirst = [...candidates]
    .filter(([, alike]) => alike.length >= MIN_TOPICS)
    .toSorted(([a, some], [b, others]) => others.length - some.length || (a < b ? -1 : 1));
  for (const [topicFilter, alike] of largestFirst) {
    const free = alike.filter((group) => left.has(group));
    if (free.length < MIN_TOPICS) continue;
    for (const group of free) left.delete(group);
    merged.push({ topicFilter, members: free.flatMap(({ members }) => members) });
  }
  return merged.length === 0 ? groups : [...merged, ...left];
};

/** Groups that got the same topic filter in different ways become one. */
const joinEqual = <T>(groups: readonly Group<T>[]): Group<T>[] =>
  [...Map.groupBy(groups, ({ topicFilter }) => topicFilter)].map(([topicFilter, alike]) => ({
    topicFilter,
    members: alike.flatMap(({ members }) => members),
  }));

/**
 * Groups topic filters that differ in one level, if there are at least 10: `devices/1/up`, `devices/2/up` … become
 * `devices/+/up`. Groups that differ in one level are grouped again.
 */
export const groupTopics = <T extends { readonly topicFilter: string }>(topics: readonly T[]): Group<T>[] => {
  let groups: readonly Group<T>[] = topics.map((topic) => ({
    topicFilter: topic.topicFilter,
    members: [topic],
  }));
  for (;;) {
    const merged = mergeOnce(groups);
    if (merged === groups) return [...groups];
    groups = joinEqual(merged);
  }
};
