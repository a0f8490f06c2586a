import { exampleOf } from './example-value.ts';
import type { NamedSchemas } from './json-schema.ts';
import type { Operation, Parameter } from './reference.ts';

/** The name of the variable that the token is read from, so that it stands in no history. */
export const TOKEN_VARIABLE = 'PENSTOCK_KEY';

/** `externalId` as the name of a shell variable. */
const variableOf = (name: string): string => `$${name.replace(/([a-z])([A-Z])/g, '$1_$2').toUpperCase()}`;

const valueOf = ({ name, schema }: Parameter, named: NamedSchemas): string => {
  const example = exampleOf(schema, named);
  // An id that is only like those of this server would find nothing.
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

/** In single quotes, as a POSIX shell reads them. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const bodyLines = ({ body, method }: Operation, named: NamedSchemas): string[] => {
  if (body === null) return [];
  const isAny = body.types.includes('*/*');
  const merge = body.types.find((type) => type.includes('merge-patch'));
  const type = isAny ? 'application/json' : method === 'PATCH' ? (merge ?? body.types[0]) : body.types[0];
  const example = isAny ? { temperature: 21.5 } : exampleOf(body.schema, named);
  return [`-H "Content-Type: ${type}"`, `-d ${quoted(JSON.stringify(example))}`];
};

/** A line that calls an endpoint of this server, to be pasted into a shell. */
export const curlExample = (operation: Operation, named: NamedSchemas, baseUrl: string): string => {
  const isStream = operation.answers.some(({ content }) => content?.types.includes('text/event-stream'));
  const verb = operation.method === 'GET' ? '' : ` -X ${operation.method}`;
  const address = addressOf(operation, named, baseUrl);
  const url = /[?&$]/.test(address) ? `"${address}"` : address;
  return [
    `curl${isStream ? ' -N' : ''}${verb} ${url}`,
    ...(operation.scope === 'none' ? [] : [`-H "Authorization: Bearer $${TOKEN_VARIABLE}"`]),
    ...bodyLines(operation, named),
  ].join(' \\\n  ');
};
