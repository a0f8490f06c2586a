/** First words of our names that many other programs also use. */
const COMMON_FIRST_WORDS = new Set([
  'BASE',
  'DATA',
  'DATABASE',
  'DRAIN',
  'LOG',
  'METRICS',
  'MIGRATION',
  'TELEMETRY',
]);

/** Shorter names are too close to other words, such as HOSTS or PORTS. */
const SHORTEST_MISSPELT = 7;

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Variables that Kubernetes sets for the addresses of a service
 * (https://kubernetes.io/docs/concepts/services-networking/service/).
 */
const SERVICE_LINK = /_SERVICE_HOST$|_SERVICE_PORT(_|$)|_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/;
const SERVICE_ADDRESS = /^(tcp|udp|sctp):\/\//;

/**
 * True for a variable that Kubernetes sets for a service: one named `mqtt` makes `MQTT_PORT=tcp://10.96.0.5:1883`,
 * always beside `MQTT_SERVICE_HOST`.
 */
export const isServiceLink = (env: Variables, name: string): boolean =>
  SERVICE_LINK.test(name) ||
  (name.endsWith('_PORT') &&
    SERVICE_ADDRESS.test(env[name] ?? '') &&
    env[name.replace(/PORT$/, 'SERVICE_HOST')] !== undefined);

const bare = (name: string): string => name.toUpperCase().replaceAll(/[_-]/g, '');

/** True if two texts differ by one missing, added or replaced character, or by two swapped neighbours. */
const differByOne = (a: string, b: string): boolean => {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  if (long.length - short.length > 1) return false;
  let at = 0;
  while (at < short.length && short[at] === long[at]) at += 1;
  if (short.length < long.length) return short.slice(at) === long.slice(at + 1);
  const isSwapped = short[at] === long[at + 1] && short[at + 1] === long[at];
  return (
    short.slice(at + 1) === long.slice(at + 1) || (isSwapped && short.slice(at + 2) === long.slice(at + 2))
  );
};

/** The Penstock variable that a name most likely misspells. */
const closestOf = (name: string, ours: readonly string[]): string | undefined => {
  const written = bare(name);
  return (
    ours.find((each) => each.includes('_') && bare(each) === written) ??
    ours.find((each) => bare(each).length >= SHORTEST_MISSPELT && differByOne(bare(each), written))
  );
};

const firstWord = (name: string): string | undefined =>
  name.includes('_') ? name.slice(0, name.indexOf('_')) : undefined;

/**
 * Returns an error message for the first variable that seems to be meant for Penstock but is unknown; undefined if
 * there is none. The message does not contain values: an address may contain a password.
 * @param known the names of the variables that Penstock reads
 */
export const describeUnknownVariable = (env: Variables, known: readonly string[]): string | undefined => {
  const reads = `Penstock reads ${known.toSorted().join(', ')}.`;
  const ownWords = new Set(
    known.flatMap((name) => firstWord(name) ?? []).filter((word) => !COMMON_FIRST_WORDS.has(word)),
  );
  for (const [name, text] of Object.entries(env)) {
    if (text === undefined || text === '' || known.includes(name)) continue;
    if (/^(PENSTOCK_|npm_)/.test(name) || isServiceLink(env, name)) continue;
    const meant = closestOf(name, known);
    if (meant !== undefined)
      return `${name} is not a variable of Penstock. Did you mean ${meant}? Rename or remove it; ${reads}`;
    if (ownWords.has(firstWord(name) ?? ''))
      return `${name} is not a variable of Penstock. Remove it or rename it; ${reads}`;
  }
  return undefined;
};

/** Warns about our variables with the prefix `PENSTOCK_`: such a name may be a secret, but is more likely a mistake. */
export const warnAboutPrefixedVariables = (env: Variables, known: readonly string[]): string[] =>
  known.flatMap((name) => {
    const prefixed = `PENSTOCK_${name}`;
    if ((env[prefixed] ?? '') === '' || isServiceLink(env, prefixed)) return [];
    return [
      `${prefixed} is only used if a configuration refers to it. To set ${name}, remove the prefix PENSTOCK_.`,
    ];
  });
