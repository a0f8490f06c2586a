import type * as z from 'zod';
import { bodyLimitOf, type EndpointShape } from '#contract/endpoint.ts';

export type HostileBody = { readonly name: string; readonly text: string };

/** As many pieces as fit into `bytes`, between `open` and `close`. */
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

const LIST = ['[', ']'] as const;
const OBJECT = ['{', '}'] as const;
const key = (n: number) => `"${n.toString(36)}":1`;

/** What any field may be given, each as large as `bytes` allows. */
const valuesOf = (bytes: number): Record<string, string> => ({
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

/** Bodies for an endpoint that a schema validates: as a whole, and in the place of each of its fields. */
export const hostileBodies = (endpoint: EndpointShape): HostileBody[] => {
  const bytes = bodyLimitOf(endpoint) - 100;
  const shape = (endpoint.body as Partial<z.ZodObject>).shape ?? {};
  const values = Object.entries(valuesOf(bytes));
  return [
    ...values.map(([name, text]) => ({ name, text })),
    ...Object.keys(shape).flatMap((field) =>
      values.map(([name, text]) => ({
        name: `${field}: ${name}`,
        text: `{${JSON.stringify(field)}:${text}}`,
      })),
    ),
  ];
};
