import type { TopicFilter } from '#contract/topic-filter.ts';

/**
 * Matches subjects against a pattern (NATS documentation, Subject-Based Messaging): `*` matches one part, `>` at the
 * end one or more. `level`: the part at the first `*`.
 */
export const subjectFilter = (pattern: string): TopicFilter => {
  const parts = pattern.split('.');
  const isOpen = parts.at(-1) === '>';
  const fixed = isOpen ? parts.slice(0, -1) : parts;
  const place = fixed.indexOf('*');
  return (subject) => {
    const given = subject.split('.');
    if (isOpen ? given.length <= fixed.length : given.length !== fixed.length) return undefined;
    if (!fixed.every((part, index) => part === '*' || part === given[index])) return undefined;
    return { level: place === -1 ? undefined : given[place] };
  };
};
