import * as z from 'zod';

export type Json = Record<string, unknown>;

/** What answers hold may grow: only what is said to be closed is, not what merely leaves further fields out. */
const leaveOpen = (schema: z.core.$ZodType, made: Json): void => {
  const def = schema._zod.def as { type: string; catchall?: unknown };
  if (def.type === 'object' && def.catchall === undefined) delete made['additionalProperties'];
};

/** Schemas with a name, each once: `components.schemas` of the document. */
export const createComponents = () => {
  const schemas: Record<string, Json> = {};

  /** The name under which a schema stands. One that reads otherwise on its way in than on its way out has two. */
  const place = (name: string, schema: Json): string => {
    const known = schemas[name];
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema))
      return place(`${name}Input`, schema);
    schemas[name] = schema;
    return name;
  };

  /** A schema as the document shows it: what it names stands among the components. */
  const jsonSchema = (schema: z.ZodType, io: 'input' | 'output'): Json => {
    const made = z.toJSONSchema(schema, {
      io,
      unrepresentable: 'any',
      override: ({ zodSchema, jsonSchema: json }) => leaveOpen(zodSchema, json),
    }) as Json;
    const { $schema: _, $defs = {}, ...rest } = made as Json & { $defs?: Record<string, Json> };
    const text = (value: Json) => JSON.stringify(value).replaceAll('"#/$defs/', '"#/components/schemas/');
    for (const [name, { id: __, ...definition }] of Object.entries($defs))
      place(name, JSON.parse(text(definition)) as Json);
    return JSON.parse(text(rest)) as Json;
  };
  return { schemas, jsonSchema };
};
export type Components = ReturnType<typeof createComponents>;
