import { InvalidLine } from './line-scanner.ts';
import { metricOfParts } from './metric-name.ts';

const ESCAPE = /\\([,= ])/g;
const unescape = (text: string): string => (text.includes('\\') ? text.replace(ESCAPE, '$1') : text);

/** Splits at each `separator` that has no backslash before it. */
const splitAt = (text: string, separator: ',' | '='): string[] =>
  text.includes('\\') ? text.split(separator === ',' ? /(?<!\\),/ : /(?<!\\)=/) : text.split(separator);

const readTag = (text: string): readonly [key: string, value: string] => {
  const [key = '', value = '', ...more] = splitAt(text, '=');
  if (key === '' || value === '' || more.length > 0)
    throw new InvalidLine(`has the tag ${JSON.stringify(text.slice(0, 40))} instead of key=value`);
  return [unescape(key), unescape(value)];
};

/** The series of lines with the same measurement and the same tags. */
export type LineSeries = {
  /** Undefined: no tag names the device. */
  readonly device: string | undefined;
  /** The measurement and the tags that do not name the device, in the order of their keys. */
  readonly parts: readonly string[];
};

/**
 * Reads the beginning of a line: `measurement,tag=value,…`. The first of `deviceTags` that the line has names the
 * device.
 * @throws InvalidLine
 */
export const readLineSeries = (text: string, deviceTags: readonly string[]): LineSeries => {
  const [measurement = '', ...texts] = splitAt(text, ',');
  if (measurement === '') throw new InvalidLine('does not begin with a measurement');
  const tags = texts.map(readTag).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const twice = tags.find(([key], at) => key === tags[at + 1]?.[0]);
  if (twice !== undefined) throw new InvalidLine(`has the tag ${twice[0]} twice`);
  const deviceTag = deviceTags.find((tag) => tags.some(([key]) => key === tag));
  return {
    device: tags.find(([key]) => key === deviceTag)?.[1],
    parts: [unescape(measurement), ...tags.filter(([key]) => key !== deviceTag).flat()],
  };
};

/**
 * `cpu,cpu=cpu0,host=pi usage_idle=1` is `cpu.cpu.cpu0.usage_idle` of the device `pi`. Names that only differ in
 * characters that metric names cannot have become the same metric: `identity` tells them apart.
 */
export const fieldMetric = ({ parts }: LineSeries, field: string): { metric: string; identity: string } => {
  const all = [...parts, unescape(field)];
  return { metric: metricOfParts(all), identity: all.join('\n') };
};
