import type * as z from 'zod';

type QueryValue = string | number | boolean | undefined | readonly (string | number)[];

/** Encodes a query: omits `undefined`, repeats the name for each item of a list. Starts with `?`, or is empty. */
export const encodeQuery = (query: Record<string, QueryValue> = {}): string => {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((item) => `${name}=${encodeURIComponent(String(item))}`),
  );
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
};

/** The type below wrappers such as `optional` and `default`: the type to parse the text of a parameter as. */
const kindOf = (schema: z.core.$ZodType): string => {
  let def = schema._zod.def as { type: string; innerType?: z.core.$ZodType; in?: z.core.$ZodType };
  for (;;) {
    const inner = def.innerType ?? (def.type === 'pipe' ? def.in : undefined);
    if (inner === undefined) return def.type;
    def = inner._zod.def;
  }
};

const read = (kind: string, text: string): unknown => {
  if (kind === 'number' && /^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  if (kind === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
};

/**
 * Decodes a query by the types of its schema, before the schema validates the values.
 * `repeated` lists parameters that occur more than once but accept one value.
 */
export const decodeQuery = (
  schema: z.ZodObject,
  params: Iterable<readonly [string, string]>,
): { value: Record<string, unknown>; repeated: string[] } => {
  const value: [string, unknown][] = [];
  const repeated: string[] = [];
  for (const [name, texts] of Map.groupBy(params, ([name]) => name)) {
    const field = Object.hasOwn(schema.shape, name) ? schema.shape[name] : undefined;
    const kind = field === undefined ? 'string' : kindOf(field);
    const values = texts.map(([, text]) => text);
    if (kind === 'array') value.push([name, values]);
    else if (values.length > 1) repeated.push(name);
    else value.push([name, read(kind, values[0] ?? '')]);
  }
  return { value: Object.fromEntries(value), repeated };
};
