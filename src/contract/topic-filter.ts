/** `level`: the topic level at the first `+` of the filter. */
type TopicMatch = { readonly level: string | undefined };
export type TopicFilter = (topic: string) => TopicMatch | undefined;

/**
 * Matches topics against a filter (MQTT 3.1.1, 4.7): `+` matches one level, `#` at the end any number, including none.
 * A filter that begins with a wildcard does not match topics that begin with `$`.
 */
export const topicFilterOf = (filter: string): TopicFilter => {
  const levels = filter.split('/');
  const isOpen = levels.at(-1) === '#';
  const fixed = isOpen ? levels.slice(0, -1) : levels;
  const place = fixed.indexOf('+');
  const beginsWild = levels[0] === '+' || levels[0] === '#';
  return (topic) => {
    if (beginsWild && topic.startsWith('$')) return undefined;
    const given = topic.split('/');
    if (isOpen ? given.length < fixed.length : given.length !== fixed.length) return undefined;
    if (!fixed.every((level, index) => level === '+' || level === given[index])) return undefined;
    return { level: place === -1 ? undefined : given[place] };
  };
};

/** Whether every topic that matches `narrow` matches `wide` too. */
export const coversFilter = (wide: string, narrow: string): boolean => {
  const levels = wide.split('/');
  const others = narrow.split('/');
  const beginsWild = (filter: string) => /^[+#]/.test(filter);
  if (beginsWild(wide) && narrow.startsWith('$')) return false;
  const isOpen = levels.at(-1) === '#';
  const fixed = isOpen ? levels.slice(0, -1) : levels;
  const isOtherOpen = others.at(-1) === '#';
  if (!isOpen && (isOtherOpen || others.length !== fixed.length)) return false;
  if (isOpen && others.length - (isOtherOpen ? 1 : 0) < fixed.length) return false;
  return fixed.every((level, index) => level === others[index] || (level === '+' && others[index] !== '#'));
};
