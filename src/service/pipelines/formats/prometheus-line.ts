/**
 * A line with a sample. `time` is in milliseconds, or in seconds (OpenMetrics), which the size of the number shows.
 * Empty labels are omitted.
 */
export type PrometheusSample = {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly value: number;
  readonly time: number | undefined;
};

const NAME = /[A-Za-z_:][A-Za-z0-9_:]*/y;
const LABEL = /[A-Za-z_][A-Za-z0-9_]*/y;
const QUOTED = /"((?:[^"\\\n]|\\.)*)"/y;
const BLANKS = /[ \t]*/y;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;
const NO_NUMBER = new Map([
  ['nan', Number.NaN],
  ['+inf', Number.POSITIVE_INFINITY],
  ['inf', Number.POSITIVE_INFINITY],
  ['-inf', Number.NEGATIVE_INFINITY],
]);
const TIME = /^[+-]?\d+(\.\d+)?$/;
const ESCAPES: Record<string, string> = { '\\\\': '\\', '\\"': '"', '\\n': '\n' };

/** An invalid line. The message is the end of a sentence. */
export class BadLine extends Error {
  override readonly name = 'BadLine';
}

class Cursor {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Matches `pattern` (sticky) at this position and moves past the match. */
  take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match === null) return undefined;
    this.#at = pattern.lastIndex;
    return match;
  }

  /** Returns true if there were any. */
  skipBlanks(): boolean {
    return this.take(BLANKS)?.[0] !== '';
  }

  has(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  get column(): number {
    return this.#at + 1;
  }

  get rest(): string {
    return this.#text.slice(this.#at);
  }
}

const unescape = (text: string): string =>
  text.replace(/\\./gs, (escape) => {
    const character = ESCAPES[escape];
    if (character === undefined) throw new BadLine(`has the unknown escape ${escape}`);
    return character;
  });

const readLabels = (cursor: Cursor): { labels: Map<string, string>; name: string | undefined } => {
  const labels = new Map<string, string>();
  const seen = new Set<string>();
  let name: string | undefined;
  for (;;) {
    cursor.skipBlanks();
    if (cursor.has('}')) return { labels, name };
    const quoted = cursor.take(QUOTED)?.[1];
    const label = quoted === undefined ? cursor.take(LABEL)?.[0] : unescape(quoted);
    if (label === undefined) throw new BadLine(`has no label name at column ${cursor.column}`);
    cursor.skipBlanks();
    if (cursor.has('=')) {
      cursor.skipBlanks();
      const value = cursor.take(QUOTED)?.[1];
      if (value === undefined) throw new BadLine(`has no quoted value at column ${cursor.column}`);
      if (seen.has(label)) throw new BadLine(`has the label ${label} twice`);
      seen.add(label);
      if (value !== '') labels.set(label, unescape(value));
    } else if (quoted === undefined || name !== undefined) {
      throw new BadLine(`has no = at column ${cursor.column}`);
      // Prometheus 3 writes names with other characters in quotes, first in the braces.
    } else name = label;
    cursor.skipBlanks();
    if (cursor.has(',')) continue;
    if (cursor.has('}')) return { labels, name };
    throw new BadLine(`has neither , nor } at column ${cursor.column}`);
  }
};

const readNumber = (text: string): number => {
  if (NUMBER.test(text)) return Number(text);
  const special = NO_NUMBER.get(text.toLowerCase());
  if (special === undefined) throw new BadLine(`has the invalid value ${JSON.stringify(text.slice(0, 40))}`);
  return special;
};

/**
 * Reads a sample line of the Prometheus text format 0.0.4 or OpenMetrics: `name{label="value"} value time`. Ignores the
 * exemplar that OpenMetrics may append.
 * @throws BadLine
 */
export const readPrometheusLine = (line: string): PrometheusSample => {
  const cursor = new Cursor(line.trim());
  const bare = cursor.take(NAME)?.[0];
  const isApart = cursor.skipBlanks();
  const labelled = cursor.has('{') ? readLabels(cursor) : undefined;
  const { labels, name = bare } = labelled ?? { labels: new Map<string, string>(), name: bare };
  if (name === undefined || (bare !== undefined && name !== bare))
    throw new BadLine('does not begin with a metric name');
  // Otherwise “boiler-7” would be the metric “boiler” with the value −7.
  if (labelled === undefined && !isApart && cursor.rest !== '')
    throw new BadLine(`has no space at column ${cursor.column}`);
  const [value = '', time, ...more] = cursor.rest
    .replace(/ # \{.*$/s, '')
    .trim()
    .split(/[ \t]+/);
  if (more.length > 0) throw new BadLine('has more than a value and a timestamp');
  if (time !== undefined && !TIME.test(time))
    throw new BadLine(`has the invalid timestamp ${JSON.stringify(time.slice(0, 40))}`);
  return { name, labels, value: readNumber(value), time: time === undefined ? undefined : Number(time) };
};
