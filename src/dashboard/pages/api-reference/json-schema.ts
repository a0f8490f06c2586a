import * as z from 'zod';

/** The part of JSON Schema (draft 2020-12) that the reference shows. */
export type JsonSchema = {
  $ref?: string | undefined;
  type?: string | string[] | undefined;
  description?: string | undefined;
  format?: string | undefined;
  pattern?: string | undefined;
  const?: unknown;
  enum?: unknown[] | undefined;
  default?: unknown;
  examples?: unknown[] | undefined;
  minimum?: number | undefined;
  maximum?: number | undefined;
  exclusiveMinimum?: number | undefined;
  exclusiveMaximum?: number | undefined;
  minLength?: number | undefined;
  maxLength?: number | undefined;
  minItems?: number | undefined;
  maxItems?: number | undefined;
  properties?: Record<string, JsonSchema> | undefined;
  required?: string[] | undefined;
  items?: JsonSchema | undefined;
  additionalProperties?: boolean | JsonSchema | undefined;
  anyOf?: JsonSchema[] | undefined;
  oneOf?: JsonSchema[] | undefined;
  allOf?: JsonSchema[] | undefined;
};

/** Schemas that others name, by their names. */
export type NamedSchemas = Readonly<Record<string, JsonSchema>>;

const count = z.number().optional();

const objectSchema: z.ZodType<JsonSchema> = z.object({
  $ref: z.string().optional(),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  description: z.string().optional(),
  format: z.string().optional(),
  pattern: z.string().optional(),
  const: z.unknown().optional(),
  enum: z.array(z.unknown()).optional(),
  default: z.unknown().optional(),
  examples: z.array(z.unknown()).optional(),
  minimum: count,
  maximum: count,
  exclusiveMinimum: count,
  exclusiveMaximum: count,
  minLength: count,
  maxLength: count,
  minItems: count,
  maxItems: count,
  required: z.array(z.string()).optional(),
  get properties() {
    return z.record(z.string(), jsonSchemaSchema).optional();
  },
  get items() {
    return jsonSchemaSchema.optional();
  },
  get additionalProperties() {
    return z.union([z.boolean(), jsonSchemaSchema]).optional();
  },
  get anyOf() {
    return z.array(jsonSchemaSchema).optional();
  },
  get oneOf() {
    return z.array(jsonSchemaSchema).optional();
  },
  get allOf() {
    return z.array(jsonSchemaSchema).optional();
  },
});

const NAMED = '#/components/schemas/';

/** `true` and `false` are schemas as well; `false` occurs only in conditions. */
export const jsonSchemaSchema: z.ZodType<JsonSchema> = z.union([
  objectSchema,
  z.boolean().transform((): JsonSchema => ({})),
]);

/** The name that a schema refers to and the named schema; the schema itself if it has no `$ref`. */
export const resolve = (
  schema: JsonSchema,
  named: NamedSchemas,
): { name: string | null; schema: JsonSchema } => {
  const name = schema.$ref?.startsWith(NAMED) === true ? schema.$ref.slice(NAMED.length) : null;
  if (name === null) return { name, schema };
  // Keywords beside a `$ref` apply to this use only.
  const { $ref: _, ...own } = schema;
  return { name, schema: { ...named[name], ...own } };
};

const isNull = (schema: JsonSchema): boolean => schema.type === 'null';

/** Whether a value fits one of several schemas. Beside the fields of an object they are conditions on them. */
export const isUnion = (schema: JsonSchema): boolean =>
  schema.properties === undefined && (schema.anyOf ?? schema.oneOf) !== undefined;

/** The schemas that a value may fit, `null` apart. */
export const choicesOf = (schema: JsonSchema): { choices: JsonSchema[]; isNullable: boolean } => {
  if (isUnion(schema)) {
    const union = schema.anyOf ?? schema.oneOf ?? [];
    return { choices: union.filter((choice) => !isNull(choice)), isNullable: union.some(isNull) };
  }
  if (!Array.isArray(schema.type)) return { choices: [schema], isNullable: false };
  const types = schema.type.filter((type) => type !== 'null');
  return {
    choices: types.map((type) => ({ ...schema, type })),
    isNullable: types.length < schema.type.length,
  };
};
