import { fieldsOf, type DocumentedField } from './schema-fields.ts';
import type { JsonSchema, NamedSchemas } from './json-schema.ts';
import type { Operation, Reference } from './reference.ts';

const namesIn = (fields: readonly DocumentedField[]): string[] =>
  fields.flatMap(({ name, fields: inner }) => [name, ...namesIn(inner)]);

const fieldNames = (schema: JsonSchema | undefined, named: NamedSchemas): string[] =>
  schema === undefined ? [] : namesIn(fieldsOf(schema, named));

const textOf = (operation: Operation, named: NamedSchemas): string =>
  [
    operation.method,
    operation.path,
    operation.tag,
    operation.summary,
    operation.description ?? '',
    operation.scope,
    ...operation.parameters.map(({ name }) => name),
    ...operation.refusals.flatMap(({ status, code }) => [String(status), code]),
    ...fieldNames(operation.body?.schema, named),
    ...operation.answers.flatMap(({ content }) => fieldNames(content?.schema, named)),
  ]
    .join(' ')
    .toLowerCase();

const texts = new WeakMap<Reference, Map<string, string>>();

/** The endpoints that hold every word: in the path, what they say, what they take, or what they answer. */
export const searchReference = (reference: Reference, q: string): readonly Operation[] => {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return reference.operations;
  const known =
    texts.get(reference) ??
    new Map(reference.operations.map((operation) => [operation.id, textOf(operation, reference.named)]));
  texts.set(reference, known);
  return reference.operations.filter(({ id }) => words.every((word) => known.get(id)?.includes(word)));
};
