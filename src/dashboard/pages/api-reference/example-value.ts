import { choicesOf, resolve, type JsonSchema, type NamedSchemas } from './json-schema.ts';

const MAX_DEPTH = 6;

const ofType = (schema: JsonSchema, named: NamedSchemas, depth: number): unknown => {
  switch (schema.type) {
    case 'string':
      return schema.format === 'date-time' ? new Date(0).toISOString() : 'text';
    case 'integer':
    case 'number':
      return Math.max(schema.minimum ?? 0, Math.min(schema.maximum ?? 1, 1));
    case 'boolean':
      return true;
    case 'array':
      return schema.items === undefined ? [] : [exampleOf(schema.items, named, depth + 1)];
    default:
      return exampleObject(schema, named, depth);
  }
};

const exampleObject = (
  { properties = {}, required = [] }: JsonSchema,
  named: NamedSchemas,
  depth: number,
): Record<string, unknown> => {
  const entries = Object.entries(properties);
  const needed = entries.filter(([name]) => required.includes(name));
  // Where nothing is needed, a body of nothing would be no example.
  const shown = needed.length > 0 ? needed : entries.slice(0, 1);
  return Object.fromEntries(shown.map(([name, property]) => [name, exampleOf(property, named, depth + 1)]));
};

/** A value that fits a schema: its own example, its default, or the plainest one of its type. */
export const exampleOf = (schema: JsonSchema, named: NamedSchemas, depth = 0): unknown => {
  const own = resolve(schema, named).schema;
  if (own.examples !== undefined && own.examples.length > 0) return own.examples[0];
  if (own.default !== undefined) return own.default;
  if (own.const !== undefined) return own.const;
  if (own.enum !== undefined) return own.enum[0];
  if (depth >= MAX_DEPTH) return null;
  const [first] = choicesOf(own).choices;
  if (first === undefined) return null;
  return first === own ? ofType(own, named, depth) : exampleOf(first, named, depth + 1);
};
