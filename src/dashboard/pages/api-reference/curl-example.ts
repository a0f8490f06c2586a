import { type NamedSchemas, choicesOf, resolve, type JsonSchema } from './json-schema.ts';
import type { Operation, Parameter } from './reference.ts';
import { shellText } from '../../ui/format/shell-text.ts';

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
  // Without required fields, the first optional one: an empty body would not be an example.
  const shown = needed.length > 0 ? needed : entries.slice(0, 1);
  return Object.fromEntries(shown.map(([name, property]) => [name, exampleOf(property, named, depth + 1)]));
};

/** A value that fits a schema: its own example, its default, or the plainest one of its type. */
const exampleOf = (schema: JsonSchema, named: NamedSchemas, depth = 0): unknown => {
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

/** The environment variable with the token, which keeps the token out of the shell history. */
export const TOKEN_VARIABLE = 'PENSTOCK_KEY';

/** `externalId` as the name of a shell variable. */
const variableOf = (name: string): string => `$${name.replace(/([a-z])([A-Z])/g, '$1_$2').toUpperCase()}`;

const valueOf = ({ name, schema }: Parameter, named: NamedSchemas): string => {
  const example = exampleOf(schema, named);
  // A made-up ID would find nothing.
  if (name === 'id' || example === 'text') return variableOf(name);
  return encodeURIComponent(String(Array.isArray(example) ? example[0] : example)).replaceAll('%3A', ':');
};

const addressOf = (operation: Operation, named: NamedSchemas, baseUrl: string): string => {
  const { path, parameters } = operation;
  const filled = parameters
    .filter((parameter) => parameter.in === 'path')
    .reduce((text, parameter) => text.replace(`{${parameter.name}}`, valueOf(parameter, named)), path);
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && parameter.isRequired)
    .map((parameter) => `${parameter.name}=${valueOf(parameter, named)}`);
  return `${baseUrl}${filled}${query.length === 0 ? '' : `?${query.join('&')}`}`;
};

const bodyLines = ({ body, method }: Operation, named: NamedSchemas): string[] => {
  if (body === null) return [];
  const isAny = body.types.includes('*/*');
  const merge = body.types.find((type) => type.includes('merge-patch'));
  const type = isAny ? 'application/json' : method === 'PATCH' ? (merge ?? body.types[0]) : body.types[0];
  const example = isAny ? { temperature: 21.5 } : exampleOf(body.schema, named);
  return [`-H "Content-Type: ${type}"`, `-d ${shellText(JSON.stringify(example))}`];
};

/** A curl command that calls an endpoint of this server. */
export const curlExample = (operation: Operation, named: NamedSchemas, baseUrl: string): string => {
  const isStream = operation.responses.some(({ content }) => content?.types.includes('text/event-stream'));
  const verb = operation.method === 'GET' ? '' : ` -X ${operation.method}`;
  const address = addressOf(operation, named, baseUrl);
  const url = /[?&$]/.test(address) ? `"${address}"` : address;
  return [
    `curl${isStream ? ' -N' : ''}${verb} ${url}`,
    ...(operation.scope === 'none' ? [] : [`-H "Authorization: Bearer $${TOKEN_VARIABLE}"`]),
    ...bodyLines(operation, named),
  ].join(' \\\n  ');
};
