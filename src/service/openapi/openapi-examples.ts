import type { Json } from './openapi-components.ts';

type Schema = Json & {
  $ref?: string;
  examples?: unknown[];
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
};

/** Builds an example from the examples of the parts. Each plain field has an example or a default. */
export const exampleOf = (schema: Schema, schemas: Record<string, Json>): unknown => {
  const named = schema.$ref?.slice('#/components/schemas/'.length);
  const own = schema.examples ?? ('default' in schema ? [schema['default']] : undefined);
  if (own !== undefined) return own[0];
  if (named !== undefined) return exampleOf(schemas[named] ?? {}, schemas);
  if ('const' in schema) return schema['const'];
  if (schema.enum !== undefined) return schema.enum[0];
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices?.[0] !== undefined && schema.properties === undefined) return exampleOf(choices[0], schemas);
  switch (schema['type']) {
    case 'array':
      return [exampleOf(schema.items ?? {}, schemas)];
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([name, field]) => [name, exampleOf(field, schemas)]),
      );
    case 'string':
      return 'text';
    case 'boolean':
      return true;
    default:
      return 1;
  }
};
