/** A pipeline takes topic filters of at most so many characters. */
const MAX_FILTER_LENGTH = 1_024;

/** Levels as far as they fit into a filter, and `#` for what follows. */
const shorten = (levels: readonly string[]): string => {
  const fitting: string[] = [];
  let length = 0;
  for (const level of levels) {
    length += level.length + 1;
    if (length + 1 > MAX_FILTER_LENGTH) return [...(fitting.length === 0 ? ['+'] : fitting), '#'].join('/');
    fitting.push(level);
  }
  return fitting.join('/');
};

/**
 * The topic filter that a topic is listed under: `+` replaces each level that is the user name of the client, and the
 * device's level below `v1/devices`.
 */
export const generaliseTopic = (topic: string, username: string): string => {
  const levels = topic.split('/');
  const isOfApi = levels[0] === 'v1' && levels[1] === 'devices' && levels.length > 3;
  return shorten(
    levels.map((level, index) =>
      (username !== '' && level === username) || (isOfApi && index === 2) ? '+' : level,
    ),
  );
};
