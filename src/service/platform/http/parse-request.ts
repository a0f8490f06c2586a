import type { FastifyRequest } from 'fastify';
import type * as z from 'zod';
import { describeIssue } from '#contract/describe-issue.ts';
import type { EndpointShape } from '#contract/endpoint.ts';
import { pointerOf } from '#contract/json-pointer.ts';
import { type FieldProblem } from '#contract/problem.ts';
import { decodeQuery } from '#contract/query-string.ts';
import { isStorable } from '#contract/is-storable.ts';
import { invalidField, notFound, HttpProblem } from './http-problem.ts';

/** The first problem of each field: the others often follow from it. */
const firstOfEachField = <P extends { pointer: string }>(problems: readonly P[]): P[] => {
  const pointers = new Set<string>();
  return problems.filter(({ pointer }) => {
    const isFirst = !pointers.has(pointer);
    pointers.add(pointer);
    return isFirst;
  });
};

/** Names the fields of a body whose schema is known. */
const describeUnknownField = (schema: z.ZodType | undefined): string =>
  schema !== undefined && 'shape' in schema
    ? `Unknown field. The fields are ${Object.keys(schema.shape as object).join(', ')}.`
    : 'Unknown field. Remove it, or correct its name.';

/** Each invalid field that a schema found in a body, with its first problem in words. */
export const fieldProblems = (
  error: z.ZodError,
  schema?: z.ZodType,
): (FieldProblem & { pointer: string })[] =>
  firstOfEachField(
    error.issues.flatMap((issue) => {
      const code = issue.code === 'custom' ? 'invalid-value' : issue.code.replaceAll('_', '-');
      if (issue.code !== 'unrecognized_keys')
        return [{ pointer: pointerOf(issue.path), code, detail: describeIssue(issue) }];
      return issue.keys.map((key) => ({
        pointer: pointerOf([...issue.path, key]),
        code: 'unknown-field',
        detail: describeUnknownField(issue.path.length === 0 ? schema : undefined),
      }));
    }),
  );

const UNSTORABLE = 'Must not contain NUL or unpaired surrogates.';

/** More errors would not help the client. */
const MAX_ERRORS = 100;

/** The path of a key or value that not every database can store; undefined: none. */
const findUnstorable = (value: unknown, path: string[] = []): readonly string[] | undefined => {
  if (typeof value === 'string') return isStorable(value) ? undefined : path;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    if (!isStorable(key)) return path;
    path.push(key);
    const found = findUnstorable(inner, path);
    if (found !== undefined) return found;
    path.pop();
  }
  return undefined;
};

/** Validates a body by its schema. `safe`: the request only reads. @throws HttpProblem 422 with up to 100 invalid fields */
export const parseBody = <T>(schema: z.ZodType<T>, body: unknown, { safe = false } = {}): T => {
  const unstorable = findUnstorable(body);
  if (unstorable !== undefined) throw invalidField(pointerOf(unstorable), 'invalid-text', UNSTORABLE);
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const errors = fieldProblems(parsed.error, schema);
  const first = errors[0];
  throw new HttpProblem(
    'validation-failed',
    `${errors.length > 1 ? `${errors.length} fields are invalid. The first is ` : ''}${first?.pointer || 'the body'}: ${first?.detail}${safe ? '' : ' Nothing was changed.'}`,
    { errors: errors.slice(0, MAX_ERRORS) },
  );
};

const parseQuery = (schema: z.ZodObject | undefined, request: FastifyRequest): unknown => {
  const { searchParams } = new URL(request.url, 'http://localhost');
  if (schema === undefined) {
    const [name] = searchParams.keys();
    if (name === undefined) return undefined;
    throw wrongParameters([
      { parameter: name, code: 'unknown-parameter', detail: 'This endpoint has no parameters.' },
    ]);
  }
  const unstorable = [...searchParams].find((pair) => !pair.every(isStorable))?.[0];
  if (unstorable !== undefined)
    throw wrongParameters([{ parameter: unstorable, code: 'invalid-text', detail: UNSTORABLE }]);
  const { value, repeated } = decodeQuery(schema, searchParams);
  if (repeated.length > 0)
    throw wrongParameters(
      repeated.map((parameter) => ({ parameter, code: 'repeated', detail: 'Must not be repeated.' })),
    );
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw wrongParameters(
    fieldProblems(parsed.error).map(({ pointer, code, detail }) => {
      const unknown = code === 'unknown-field';
      return {
        parameter: pointer.split('/')[1] ?? '',
        code: unknown ? 'unknown-parameter' : code,
        detail: unknown
          ? `Unknown parameter. The parameters are ${Object.keys(schema.shape).join(', ')}.`
          : detail,
      };
    }),
  );
};

const wrongParameters = (errors: (FieldProblem & { parameter: string })[]): HttpProblem =>
  new HttpProblem('invalid-parameter', `${errors[0]?.parameter}: ${errors[0]?.detail}`, { errors });

const parseParams = (schema: z.ZodObject | undefined, request: FastifyRequest): unknown => {
  if (schema === undefined) return undefined;
  const parsed = schema.safeParse(request.params);
  if (!parsed.success) throw notFound('resource');
  return parsed.data;
};

/**
 * Parses the parameters, query and body of a request by the schemas of the endpoint. The handler reads raw bodies.
 * @throws HttpProblem with each invalid field
 */
export const parseRequest = (endpoint: EndpointShape, request: FastifyRequest) => ({
  params: parseParams(endpoint.params, request),
  query: parseQuery(endpoint.query, request),
  body:
    endpoint.body === undefined || endpoint.readsBody === true || request.body instanceof Uint8Array
      ? request.body
      : parseBody(endpoint.body, request.body, endpoint),
});
