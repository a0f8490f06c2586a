import type * as z from 'zod';
import { bodyLimitOf, type EndpointShape } from '#contract/endpoint.ts';
import { createRotation } from './sized.ts';

const UNKNOWN_ID = '00000000000000000000000001';
const idPrefixes: Record<string, string> = {
  pipelines: 'pip',
  destinations: 'dst',
  webhooks: 'whk',
  'api-keys': 'key',
};

/** The path of an endpoint, with the ID of a pipeline that accepts messages and unknown IDs elsewhere. */
export const hostilePathOf = ({ path }: EndpointShape, pipelineId: string): string =>
  path
    .replace('/pipelines/{id}/messages', `/pipelines/${pipelineId}/messages`)
    .replace('{id}', `${idPrefixes[path.split('/')[2] ?? ''] ?? 'dev'}_${UNKNOWN_ID}`)
    .replace('{externalId}', 'boiler')
    .replace('{metric}', 'temperature');

/** True for endpoints that read telemetry or messages. */
export const readsTelemetry = ({ readsBody, bodyTypes }: EndpointShape): boolean =>
  readsBody === true || bodyTypes?.includes('*/*') === true;

export type HostileBody = { readonly name: string; readonly text: string; readonly type?: string };

/** Fills `bytes` with pieces between `open` and `close`. */
const filled = (
  bytes: number,
  [open, close]: readonly [string, string],
  piece: (n: number) => string,
): string => {
  const pieces: string[] = [];
  for (let [n, room] = [0, bytes - open.length - close.length]; ; n += 1) {
    const next = piece(n);
    room -= next.length + 1;
    if (room < 0) return `${open}${pieces.join(',')}${close}`;
    pieces.push(next);
  }
};

const repeated = (bytes: number, piece: string): string => piece.repeat(Math.floor(bytes / piece.length));

const LIST = ['[', ']'] as const;
const OBJECT = ['{', '}'] as const;
const key = (n: number) => `"${n.toString(36)}":1`;

/** Hostile values for any field, each as large as `bytes` allows. */
const createValues = (bytes: number): Record<string, string> => ({
  numbers: filled(bytes, LIST, () => '1'),
  objects: filled(bytes, LIST, () => '{}'),
  lists: filled(bytes, LIST, () => '[[[]]]'),
  texts: filled(bytes, LIST, () => '""'),
  keys: filled(bytes, OBJECT, key),
  'escaped keys': filled(bytes, OBJECT, (n) => `"\\u005f${n.toString(36)}":1`),
  'small lists': filled(bytes, LIST, () => `[${'1,'.repeat(999)}1]`),
  text: `"${'a'.repeat(Math.max(0, bytes - 2))}"`,
  escapes: `"${'\\u0041'.repeat(Math.max(0, Math.floor((bytes - 2) / 6)))}"`,
});

const valuesBySize = new Map<number, Record<string, string>>();
const valuesOf = (bytes: number): Record<string, string> => {
  const values = valuesBySize.get(bytes) ?? createValues(bytes);
  valuesBySize.set(bytes, values);
  return values;
};

const nextOf = createRotation();

/** Bodies for an endpoint that a schema validates: hostile as a whole (`chooseWhole` may leave some out), and in each field. */
export const hostileBodies = (
  endpoint: EndpointShape,
  chooseWhole: <T>(values: readonly T[]) => readonly T[] = (values) => values,
): HostileBody[] => {
  const bytes = bodyLimitOf(endpoint) - 100;
  const shape = (endpoint.body as Partial<z.ZodObject>).shape ?? {};
  const values = Object.entries(valuesOf(bytes));
  return [
    ...chooseWhole(values).map(([name, text]) => ({ name, text })),
    ...Object.keys(shape).flatMap((field) =>
      nextOf(values).map(([name, text]) => ({
        name: `${field}: ${name}`,
        text: `{${JSON.stringify(field)}:${text}}`,
      })),
    ),
  ];
};

/** Bodies for an endpoint that reads telemetry or messages of any format. */
export const hostileTelemetry = (bytes: number): HostileBody[] => [
  ...Object.entries(valuesOf(bytes)).map(([name, text]) => ({ name, text })),
  { name: 'samples: numbers', text: `{"samples":${filled(bytes - 20, LIST, () => '1')}}` },
  { name: 'samples: objects', text: `{"samples":${filled(bytes - 20, LIST, () => '{}')}}` },
  {
    name: 'samples: one value each',
    text: filled(
      bytes,
      ['{"samples":[', ']}'],
      (n) => `{"device":"d","ts":${1_700_000_000_000 + n},"values":{"v":1}}`,
    ),
  },
  {
    name: 'samples: no time',
    text: filled(bytes, ['{"samples":[', ']}'], () => '{"device":"d","values":{"v":1}}'),
  },
  {
    name: 'samples: a device each',
    text: filled(bytes, ['{"samples":[', ']}'], (n) => `{"device":"x${n.toString(36)}","values":{"v":1}}`),
  },
  {
    name: 'samples: a metric each',
    text: filled(bytes, ['{"samples":[', ']}'], (n) => `{"device":"d","values":{"m${n.toString(36)}":1}}`),
  },
  {
    name: 'samples: a wrong value each',
    text: filled(
      bytes,
      ['{"samples":[', ']}'],
      (n) => `{"device":"d","values":{"m${n.toString(36)} ":null}}`,
    ),
  },
  {
    name: 'series: one value each',
    text: filled(
      bytes,
      ['{"series":[', ']}'],
      (n) => `{"device":"d","metric":"m${n.toString(36)}","ts":[1700000000000],"values":[1]}`,
    ),
  },
  {
    name: 'series: one of wrong values',
    text: `{"series":[{"device":"d","metric":"m","ts":${filled(bytes / 2 - 30, LIST, () => '1')},"values":${filled(bytes / 2 - 30, LIST, () => '1')}}]}`,
  },
  {
    name: 'line protocol: a series each',
    text: Array.from({ length: Math.floor(bytes / 30) }, (_, n) => `m,device=d,a=${n} f=1 1\n`).join(''),
    type: 'text/plain',
  },
  {
    name: 'line protocol: one line of fields',
    text: `m,device=d ${repeated(bytes - 20, 'f=1,')}f=1`,
    type: 'text/plain',
  },
  { name: 'line protocol: open quotes', text: repeated(bytes, 'm,device=d f="\n'), type: 'text/plain' },
  {
    name: 'line protocol: escapes',
    text: `m,device=d f="${repeated(bytes - 30, '\\"')}`,
    type: 'text/plain',
  },
  {
    name: 'one sample of all metrics',
    text: `{"samples":[{"device":"d","values":${filled(bytes - 50, OBJECT, key)}}]}`,
  },
  {
    name: 'ThingsBoard',
    text: filled(bytes, LIST, (n) => `{"ts":${1_700_000_000_000 + n},"values":{"a":{"b":1}}}`),
  },
  {
    name: 'ThingsBoard gateway',
    text: filled(bytes, OBJECT, (n) => `"d${n}":[{"ts":1700000000000,"values":{"a":1}}]`),
  },
  { name: 'SenML', text: filled(bytes, LIST, (n) => `{"n":"a${n}","v":1}`) },
  {
    name: 'Prometheus text',
    text: Array.from({ length: Math.floor(bytes / 20) }, (_, n) => `m{l="${n}"} 1`)
      .join('\n')
      .slice(0, bytes),
    type: 'text/plain',
  },
  { name: 'not JSON', text: `${filled(bytes - 1, LIST, () => '1')}x` },
  { name: 'lines of numbers', text: repeated(bytes, '1\n'), type: 'application/x-ndjson' },
  {
    name: 'lines of samples',
    text: repeated(bytes, '{"device":"d","values":{"v":1}}\n'),
    type: 'application/x-ndjson',
  },
  { name: 'lines', text: repeated(bytes, 'x\n'), type: 'application/x-ndjson' },
  { name: 'rows', text: `ts,device,metric,value\n${repeated(bytes - 50, '1,d,m,1\n')}`, type: 'text/csv' },
  { name: 'short rows', text: `ts,device,metric,value\n${repeated(bytes - 50, '1\n')}`, type: 'text/csv' },
  {
    name: 'an open quote',
    text: `ts,device,metric,value\n"${repeated(bytes - 50, '1\n')}`,
    type: 'text/csv',
  },
];
