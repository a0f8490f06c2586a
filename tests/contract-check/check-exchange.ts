import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import addFormats from 'ajv-formats';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import {
  findOperations,
  operationsOf,
  type ApiDocument,
  type Operation,
  type Parameter,
  type Response,
  type Schema,
} from './api-document.ts';
import type { Exchange } from './record-traffic.ts';

/** Headers of HTTP itself, of the connection and of the browser's protection: not documented by the API. */
const HTTP_HEADERS =
  /^(date|connection|keep-alive|vary|cache-control|trailer|transfer-encoding|content-(type|length|encoding|security-policy)|x-content-type-options|x-accel-buffering|referrer-policy|cross-origin-.*|access-control-.*|strict-transport-security|permissions-policy)$/;

/** Problems without an operation: invalid path, unknown path, other method, or unknown host. */
const WITHOUT_OPERATION: Record<number, string> = {
  400: 'invalid-parameter',
  404: 'not-found',
  405: 'method-not-allowed',
  421: 'unknown-host',
};

const inflated = (body: Buffer, encoding: string | undefined): Buffer => {
  if (encoding === 'gzip') return gunzipSync(body);
  return encoding === 'br' ? brotliDecompressSync(body) : body;
};

const isDecodable = (url: string): boolean => {
  try {
    decodeURIComponent(url.split('?')[0] ?? '');
    return true;
  } catch {
    return false;
  }
};

const mediaTypeOf = (header: string | undefined): string => (header ?? '').split(';')[0]?.trim() ?? '';

/** A copy in which objects have only the properties that they list, as in the responses of the service. */
const closed = (value: unknown, place = ''): unknown => {
  if (Array.isArray(value)) return value.map((item) => closed(item, place === 'allOf' ? 'allOf item' : ''));
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([name, item]) => [name, closed(item, name)]));
  const isSchema = place !== 'properties' && place !== 'allOf item';
  const lists = ('properties' in value && !('additionalProperties' in value)) || 'allOf' in value;
  return isSchema && lists ? { ...copy, unevaluatedProperties: false } : copy;
};

const formatError = ({ instancePath, message, params }: ErrorObject): string => {
  const extra = (params as { unevaluatedProperty?: string; additionalProperty?: string })[
    'unevaluatedProperty'
  ];
  return extra === undefined
    ? `${instancePath || 'it'} ${message}`
    : `${instancePath}/${extra} is not in the document`;
};

const readParameter = ({ schema }: Parameter, texts: readonly string[]): unknown => {
  const read = (type: Schema['type'], text = ''): unknown => {
    if ((type === 'integer' || type === 'number') && /^-?\d+(\.\d+)?$/.test(text)) return Number(text);
    return type === 'boolean' && /^(true|false)$/.test(text) ? text === 'true' : text;
  };
  return schema.type === 'array' ? texts : read(schema.type, texts[0]);
};

/** Checks exchanges against the document, and describes the errors of each. */
export const createExchangeCheck = (served: ApiDocument) => {
  // Under a name of its own, so that a schema that is compiled alone still finds its references.
  const document = JSON.parse(JSON.stringify(served).replaceAll('"#/', '"api#/')) as ApiDocument;
  const operations = operationsOf(document);
  const validators = {
    asked: new Map<Schema, ValidateFunction>(),
    answered: new Map<Schema, ValidateFunction>(),
  };
  const compilers = { asked: document, answered: closed(document) as ApiDocument };
  const ajvs = Object.fromEntries(
    Object.entries(compilers).map(([side, schemas]) => {
      const ajv = new Ajv2020({
        strict: false,
        allErrors: true,
        validateSchema: false,
        // Each process compiles for a few calls: half of the time went into making the compiled code shorter.
        code: { optimize: false },
      });
      addFormats.default(ajv);
      return [side, ajv.addSchema({ components: schemas.components }, 'api')];
    }),
  ) as Record<keyof typeof validators, Ajv2020>;

  const faults = (side: keyof typeof validators, schema: Schema, value: unknown): string[] => {
    const known = validators[side].get(schema);
    const validate = known ?? ajvs[side].compile(side === 'answered' ? (closed(schema) as Schema) : schema);
    validators[side].set(schema, validate);
    return validate(value) ? [] : (validate.errors ?? []).slice(0, 3).map(formatError);
  };

  const headerFaults = (response: Response, headers: Exchange['headers']): string[] => {
    const documented = Object.entries(response.headers ?? {});
    const names = documented.map(([name]) => name.toLowerCase());
    return [
      ...documented.flatMap(([name, { required, schema }]) => {
        const text = headers[name.toLowerCase()];
        if (text === undefined) return required === true ? [`the header ${name} is missing`] : [];
        const value = schema.type === 'integer' ? Number(text) : text;
        return faults('answered', schema, value).map((fault) => `the header ${name}: ${fault}`);
      }),
      ...Object.keys(headers)
        .filter((name) => !HTTP_HEADERS.test(name) && !names.includes(name))
        .map((name) => `the header ${name} is not documented`),
    ];
  };

  const eventFaults = (frames: Record<string, Schema>, text: string): string[] =>
    text.split('\n\n').flatMap((frame) => {
      const field = (name: string) => new RegExp(`^${name}: ?(.*)$`, 'm').exec(frame)?.[1];
      const [name, data] = [field('event'), field('data')];
      if (name === undefined || data === undefined) return [];
      const schema = frames[name];
      if (schema === undefined) return [`the event ${name} is not documented`];
      return faults('answered', schema, JSON.parse(data)).map((fault) => `the event ${name}: ${fault}`);
    });

  const bodyFaults = (response: Response, { headers, body, isWhole, method }: Exchange): string[] => {
    if (response.content === undefined)
      return body.length === 0 ? [] : ['it has a body, which is not documented'];
    const type = mediaTypeOf(headers['content-type']);
    const media = response.content[type];
    if (media === undefined)
      return [`${type || 'no type'} is not among ${Object.keys(response.content).join(', ')}`];
    if (!isWhole || method === 'HEAD') return [];
    const text = inflated(body, headers['content-encoding']).toString();
    if (type.endsWith('json') && type !== 'application/x-ndjson')
      return faults('answered', media.schema, JSON.parse(text));
    return media['x-events'] === undefined ? [] : eventFaults(media['x-events'], text);
  };

  const problemFaults = ({ status, headers, body, method }: Exchange): string[] => {
    if (
      status < 400 ||
      method === 'HEAD' ||
      mediaTypeOf(headers['content-type']) !== 'application/problem+json'
    )
      return [];
    const problem = JSON.parse(inflated(body, headers['content-encoding']).toString()) as {
      status: number;
      requestId: string;
    };
    return [
      ...(problem.status === status ? [] : [`the status in its body is ${problem.status}`]),
      ...(problem.requestId === headers['x-request-id'] ? [] : ['its requestId is not its X-Request-Id']),
    ];
  };

  /** Accepted requests that the document does not allow. */
  const requestFaults = (operation: Operation, exchange: Exchange): string[] => {
    // Not by URL, which would take `/./` away.
    const [path = '', query = ''] = exchange.url.split('?');
    const inPath = operation.path.split('/').flatMap((part, i) => {
      const name = /^\{(\w+)\}$/.exec(part)?.[1];
      return name === undefined ? [] : [[name, decodeURIComponent(path.split('/')[i] ?? '')] as const];
    });
    const sent: Record<Parameter['in'], readonly (readonly [string, string])[]> = {
      path: inPath,
      query: [...new URLSearchParams(query)],
      header: Object.entries(exchange.requestHeaders).map(([name, value]) => [name, String(value)]),
    };
    const found = operation.parameters.flatMap((parameter) => {
      const isNamed = ([name]: readonly [string, string]) =>
        parameter.in === 'header' ? name === parameter.name.toLowerCase() : name === parameter.name;
      const texts = sent[parameter.in].filter(isNamed).map(([, text]) => text);
      if (texts.length === 0) return parameter.required ? [`it was accepted without ${parameter.name}`] : [];
      return faults('asked', parameter.schema, readParameter(parameter, texts)).map(
        (fault) => `it was accepted with ${parameter.name}=${texts.join(',')}: ${fault}`,
      );
    });
    const names = operation.parameters.map(({ name }) => name);
    const strangers = sent.query.filter(([name]) => !names.includes(name));
    const isOpen = operation.security.length === 0;
    return [
      ...found,
      ...strangers.map(([name]) => `it was accepted with the parameter ${name}, which is not documented`),
      ...(isOpen || exchange.requestHeaders.authorization !== undefined
        ? []
        : ['it was accepted without a token']),
      ...sentBodyFaults(operation, exchange),
    ];
  };

  const sentBodyFaults = ({ requestBody }: Operation, exchange: Exchange): string[] => {
    if (requestBody === undefined) return [];
    const type = mediaTypeOf(exchange.requestHeaders['content-type']);
    const media = requestBody.content[type] ?? requestBody.content['*/*'];
    if (media === undefined) return [`it was accepted as ${type || 'no type'}, which is not documented`];
    // Bodies that are validated value by value list rejected values in the response.
    const isInPart = /"rejected":[1-9]/.test(
      inflated(exchange.body, exchange.headers['content-encoding']).toString(),
    );
    if (requestBody.content[type] === undefined || media.schema.type === 'string' || isInPart) return [];
    const text = inflated(exchange.requestBody, exchange.requestHeaders['content-encoding']).toString();
    return faults('asked', media.schema, JSON.parse(text.replace(/^\ufeff/, ''))).map(
      (fault) => `it was accepted with a body in which ${fault}`,
    );
  };

  const strayFaults = (exchange: Exchange, there: readonly Operation[]): string[] => {
    const { status, headers } = exchange;
    const expected = there.length > 0 ? 405 : isDecodable(exchange.url) ? 404 : 400;
    if (status !== expected && status !== 421) return [`it should be ${expected}`];
    const methods = there.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
    const allow = headers['allow']?.split(', ').toSorted().join();
    return [
      ...faults(
        'answered',
        {
          allOf: [
            { $ref: 'api#/components/schemas/Problem' },
            { properties: { code: { const: WITHOUT_OPERATION[status] } } },
          ],
        },
        exchange.method === 'HEAD'
          ? {}
          : JSON.parse(inflated(exchange.body, headers['content-encoding']).toString()),
      ),
      ...problemFaults(exchange),
      ...(status !== 405 || allow === methods.toSorted().join() ? [] : [`Allow says ${allow}`]),
    ];
  };

  const faultsOf = (exchange: Exchange): string[] => {
    const { method, status } = exchange;
    const there = findOperations(operations, exchange.url.split('?')[0] ?? '');
    const operation = there.find((each) => each.method === (method === 'HEAD' ? 'GET' : method));
    if (operation === undefined) return strayFaults(exchange, there);
    const response = operation.responses[status];
    if (response === undefined)
      return [`${status} is not among ${Object.keys(operation.responses).join(', ')}`];
    return [
      ...headerFaults(response, exchange.headers),
      ...bodyFaults(response, exchange),
      ...problemFaults(exchange),
      ...(status < 300 && exchange.isWhole ? requestFaults(operation, exchange) : []),
    ];
  };

  return (exchange: Exchange): string[] => {
    // Files of the dashboard and CORS preflights are not part of the API.
    if (!exchange.url.startsWith('/v1/') || exchange.method === 'OPTIONS') return [];
    return faultsOf(exchange).map(
      (fault) => `${exchange.method} ${exchange.url.slice(0, 200)} answered ${exchange.status}, and ${fault}`,
    );
  };
};
