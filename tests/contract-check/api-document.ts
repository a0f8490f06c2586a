/** A piece of JSON Schema (draft 2020-12), as the document holds it. */
export type Schema = {
  $ref?: string;
  type?: string | string[];
  format?: string;
  pattern?: string;
  const?: unknown;
  enum?: unknown[];
  not?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema | boolean>;
  required?: string[];
  propertyNames?: Schema;
  additionalProperties?: Schema | boolean;
  maxProperties?: number;
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  examples?: unknown[];
};
export type Parameter = { name: string; in: 'path' | 'query' | 'header'; required: boolean; schema: Schema };
type Media = { schema: Schema; 'x-events'?: Record<string, Schema> };
export type Response = {
  headers?: Record<string, { required?: boolean; schema: Schema }>;
  content?: Record<string, Media>;
};
export type Operation = {
  operationId: string;
  method: string;
  path: string;
  /** Matches its filled-in paths. */
  pattern: RegExp;
  security: Record<string, string[]>[];
  'x-scope': string;
  parameters: Parameter[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, Response>;
};
export type ApiDocument = {
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, Record<string, unknown>>;
};

/** Resolves a `$ref` into the document; returns other values unchanged. */
const follow = <T extends object>(document: ApiDocument, thing: T | { $ref: string }): T => {
  if (!('$ref' in thing)) return thing;
  const [, , kind = '', name = ''] = String(thing.$ref).split('/');
  return document.components[kind]?.[name] as T;
};

/** Every operation of the document, with the parameters and responses that it refers to. */
export const operationsOf = (document: ApiDocument): Operation[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
      pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
      parameters: operation.parameters.map((parameter) => follow(document, parameter)),
      responses: Object.fromEntries(
        Object.entries(operation.responses).map(([status, response]) => [status, follow(document, response)]),
      ),
    })),
  );

/** The operations of a filled-in path. Literal paths take precedence over parameters. */
export const findOperations = (operations: readonly Operation[], path: string): Operation[] => {
  const fitting = operations.filter(({ pattern }) => pattern.test(path));
  const isWrittenOut = ({ path: template }: Operation) => !template.includes('{');
  return fitting.some(isWrittenOut) ? fitting.filter(isWrittenOut) : fitting;
};

/** The codes that a problem of a status may have, by the document. */
export const codesOf = (response: Response | undefined): string[] => {
  const { 'application/problem+json': problem, 'application/json': answer } = response?.content ?? {};
  const parts = (problem ?? answer)?.schema.allOf ?? [];
  const code = parts.find(({ properties }) => properties?.['code'] !== undefined)?.properties?.['code'];
  return typeof code === 'object' ? ((code.enum ?? []) as string[]) : [];
};
