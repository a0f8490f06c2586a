import * as z from 'zod';

export type Json = Record<string, unknown>;

/** Responses may gain fields: only objects declared as closed stay closed. */
const allowUnknownFields = (schema: z.core.$ZodType, made: Json): void => {
  const def = schema._zod.def as { type: string; catchall?: unknown };
  if (def.type === 'object' && def.catchall === undefined) delete made['additionalProperties'];
};

/** Collects named schemas for `components.schemas` of the document. */
export const createComponents = () => {
  const schemas: Record<string, Json> = {};

  /** Adds a schema and returns its name. A schema whose input differs from its output has two names. */
  const addSchema = (name: string, schema: Json): string => {
    const known = schemas[name];
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema))
      return addSchema(`${name}Input`, schema);
    schemas[name] = schema;
    return name;
  };

  /** A schema for the document. Named parts become references to components. */
  const jsonSchema = (schema: z.ZodType, io: 'input' | 'output'): Json => {
    const made = z.toJSONSchema(schema, {
      io,
      unrepresentable: 'any',
      override: ({ zodSchema, jsonSchema: json }) => allowUnknownFields(zodSchema, json),
    }) as Json;
    const { $schema: _, $defs = {}, ...rest } = made as Json & { $defs?: Record<string, Json> };
    const text = (value: Json) => JSON.stringify(value).replaceAll('"#/$defs/', '"#/components/schemas/');
    for (const [name, { id: __, ...definition }] of Object.entries($defs))
      addSchema(name, JSON.parse(text(definition)) as Json);
    return JSON.parse(text(rest)) as Json;
  };
  return { schemas, jsonSchema };
};
export type Components = ReturnType<typeof createComponents>;
