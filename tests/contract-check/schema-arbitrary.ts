import fc from 'fast-check';
import type { ApiDocument, Schema } from './api-document.ts';

const withoutIrregular = (text: string): boolean => text.isWellFormed();

/** By pattern and lengths: fast-check prepares each arbitrary of texts with tables of all characters. */
const texts = new Map<string, fc.Arbitrary<string>>();

const textOf = (schema: Schema): fc.Arbitrary<string> => {
  const key = JSON.stringify([schema.pattern, schema.minLength, schema.maxLength, schema.format]);
  const known = texts.get(key) ?? createTextArbitrary(schema);
  texts.set(key, known);
  return known;
};

const createTextArbitrary = ({
  pattern,
  minLength = 0,
  maxLength = 200,
  format,
}: Schema): fc.Arbitrary<string> => {
  const fits = (text: string) => text.length >= minLength && text.length <= maxLength;
  if (format === 'date-time')
    return fc
      .date({ min: new Date(0), max: new Date('2099-12-31'), noInvalidDate: true })
      .map((date) => date.toISOString());
  const anyText = fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, minLength + 30) });
  if (pattern === undefined) return anyText.filter(withoutIrregular);
  try {
    return fc.stringMatching(new RegExp(pattern, 'u'), { size: 'small' }).filter(fits);
  } catch {
    // Patterns with lookaheads cannot be generated from, so values that do not match are discarded.
    return anyText.filter((text) => fits(text) && new RegExp(pattern, 'u').test(text));
  }
};

const objectOf = (document: ApiDocument, schema: Schema): fc.Arbitrary<unknown> => {
  const { properties = {}, required = [], additionalProperties, propertyNames, maxProperties = 3 } = schema;
  const fields = Object.fromEntries(
    Object.entries(properties).flatMap(([name, field]) =>
      typeof field === 'boolean' ? [] : [[name, arbitraryOf(document, field)]],
    ),
  );
  const named = fc.record(fields, { requiredKeys: required.filter((name) => name in fields) });
  if (additionalProperties === undefined || additionalProperties === false) return named;
  const names =
    propertyNames === undefined ? fc.string({ maxLength: 10 }) : arbitraryOf(document, propertyNames);
  const values = additionalProperties === true ? fc.jsonValue() : arbitraryOf(document, additionalProperties);
  const more = fc.dictionary(names as fc.Arbitrary<string>, values, { maxKeys: Math.min(3, maxProperties) });
  return fc.tuple(named, more).map(([own, other]) => ({ ...other, ...own }));
};

const typedArbitrary = (
  document: ApiDocument,
  schema: Schema,
  type: string | undefined,
): fc.Arbitrary<unknown> => {
  const { minimum = -1e9, maximum = 1e9, minItems = 0, maxItems = 4, items = {} } = schema;
  switch (type) {
    case 'string':
      return textOf(schema);
    case 'integer':
      return fc.maxSafeInteger().map((number) => Math.max(minimum, Math.min(maximum, number)));
    case 'number':
      return fc.double({ min: minimum, max: maximum, noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(arbitraryOf(document, items), {
        minLength: minItems,
        maxLength: Math.min(maxItems, minItems + 3),
      });
    case 'object':
      return objectOf(document, schema);
    default:
      return fc.jsonValue();
  }
};

/** Values that a schema of the document allows, as far as its parts say; its examples among them. */
export const arbitraryOf = (document: ApiDocument, schema: Schema): fc.Arbitrary<unknown> => {
  if (schema.$ref !== undefined) {
    const [, , kind = '', name = ''] = schema.$ref.split('/');
    return arbitraryOf(document, document.components[kind]?.[name] as Schema);
  }
  const { examples = [], enum: options, not } = schema;
  const choices = schema.anyOf ?? schema.oneOf;
  let made: fc.Arbitrary<unknown>;
  if ('const' in schema) made = fc.constant(schema.const);
  else if (options !== undefined) made = fc.constantFrom(...options);
  else if (choices !== undefined && schema.properties === undefined)
    made = fc.oneof(...choices.map((choice) => arbitraryOf(document, choice)));
  else made = typedArbitrary(document, schema, [schema.type].flat()[0]);
  if (not?.pattern !== undefined) {
    const forbidden = new RegExp(not.pattern, 'u');
    made = made.filter((text) => !forbidden.test(String(text)));
  }
  return examples.length === 0
    ? made
    : fc.oneof({ weight: 4, arbitrary: made }, fc.constantFrom(...examples));
};

/** A valid value with one error: an unknown field, a missing field, or a field of another type. */
export const spoiled = (right: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.tuple(right, fc.nat(3), fc.nat(20), fc.jsonValue({ maxDepth: 2 })).map(([value, how, which, other]) => {
    if (how === 0 || typeof value !== 'object' || value === null || Array.isArray(value)) return other;
    const names = Object.keys(value);
    const name = names[which % Math.max(1, names.length)] ?? 'surprise';
    const { [name]: _, ...rest } = value as Record<string, unknown>;
    if (how === 1) return rest;
    return { ...value, [how === 2 ? name : 'surprise']: other };
  });
