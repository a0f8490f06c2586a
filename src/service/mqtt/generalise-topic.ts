/** The longest topic filter that a pipeline accepts, in characters. */
const MAX_FILTER_LENGTH = 1_024;

/** The levels that fit into a filter, and `#` for the rest. */
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
 * The topic filter under which unrouted messages of a topic are listed: `+` replaces each level that equals the user
 * name of the client, and the device level below `v1/devices`.
 */
export const generaliseTopic = (topic: string, username: string): string => {
  const levels = topic.split('/');
  const isDeviceTopic = levels[0] === 'v1' && levels[1] === 'devices' && levels.length > 3;
  return shorten(
    levels.map((level, index) =>
      (username !== '' && level === username) || (isDeviceTopic && index === 2) ? '+' : level,
    ),
  );
};
