import type { TopicFilter } from '../../mqtt/topic-filter.ts';

/**
 * Matches subjects against one with wildcards (NATS documentation, Subject-Based Messaging): `*` is one part, a last
 * `>` one or more. The level is what stands where it has its first `*`.
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
