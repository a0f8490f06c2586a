import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endpoint } from '#contract/endpoint.ts';
import { endpoints } from '#contract/endpoints.ts';
import { createApp } from '#service/app.ts';
import { registerRoute, route } from '#service/platform/http/route.ts';
import { startTestService, type TestService } from './start-test-service.ts';

let test: TestService;
beforeAll(async () => {
  test = await startTestService();
});
afterAll(() => test.close());

const nameOf = (method: string, path: string) => `${method.toUpperCase()} ${path}`;

type Content = { content?: Record<string, { example?: unknown; examples?: unknown }> };
type Operation = { requestBody?: Content; responses: Record<string, Content> };

/** Where of the document a description is missing: operations, parameters, tags, schemas with a name, and fields. */
const undescribed = (document: object): string[] => {
  const missing: string[] = [];
  const visit = (value: unknown, path: string[]) => {
    if (typeof value !== 'object' || value === null) return;
    const [place, before] = [path.at(-2) ?? '', path.at(-3) ?? ''];
    const isField = place === 'properties' && !path.includes('allOf') && !path.includes('oneOf');
    const isNamed = before === 'components' && place !== 'examples' && place !== 'securitySchemes';
    const isOperation = 'operationId' in value;
    const isParameter = 'in' in value && 'name' in value;
    if ((isField || isNamed || isOperation || isParameter) && !('description' in value))
      missing.push(path.join('/'));
    for (const [name, child] of Object.entries(value))
      if (!['example', 'examples', 'value'].includes(name)) visit(child, [...path, name]);
  };
  visit(document, []);
  return missing;
};

/** The routes of Fastify, without HEAD, which GET includes. */
const routed = async (): Promise<string[]> => {
  const names: string[] = [];
  const app = await createApp(test.service.parts, undefined, (options) => {
    const methods = [options.method].flat().filter((method) => method !== 'HEAD');
    if (options.url !== '*')
      names.push(...methods.map((method) => nameOf(method, options.url.replace(/:(\w+)/g, '{$1}'))));
  });
  await app.close();
  return names.toSorted();
};

describe('the document', () => {
  it('lists every endpoint of the contract, with its scope', async () => {
    const { body } = await test.request('GET', '/v1/openapi.json', { token: null });
    const documented = Object.entries<Record<string, { 'x-scope': string }>>(body.paths).flatMap(
      ([path, operations]) =>
        Object.entries(operations).map(([method, operation]) => [nameOf(method, path), operation['x-scope']]),
    );
    expect(documented.toSorted()).toEqual(
      endpoints.map(({ method, path, scope }) => [nameOf(method, path), scope]).toSorted(),
    );
  });

  it('lists exactly the routed endpoints', async () => {
    expect(await routed()).toEqual(endpoints.map(({ method, path }) => nameOf(method, path)).toSorted());
  });

  it('describes each parameter and body', async () => {
    const { body } = await test.request('GET', '/v1/openapi.json', { token: null });
    const list = body.paths['/v1/devices'].get;
    expect(list.parameters.find(({ name }: { name: string }) => name === 'limit').schema).toMatchObject({
      type: 'integer',
      minimum: 1,
      maximum: 200,
      default: 50,
    });
    const create = body.paths['/v1/devices'].post.requestBody.content['application/json'].schema;
    expect(create).toEqual({ $ref: '#/components/schemas/NewDevice' });
    expect(body.components.schemas.NewDevice).toMatchObject({
      required: ['name'],
      additionalProperties: false,
    });
  });

  it('has no broken references', async () => {
    const { body } = await test.request('GET', '/v1/openapi.json', { token: null });
    const names = [...JSON.stringify(body).matchAll(/"\$ref":"([^"]+)"/g)].map((match) => match[1]);
    const held = Object.entries<object>(body.components).flatMap(([kind, named]) =>
      kind === 'securitySchemes' ? [] : Object.keys(named).map((name) => `#/components/${kind}/${name}`),
    );
    expect([...new Set(names)].toSorted()).toEqual(held.toSorted());
  });

  it('has a description for every operation, parameter and field', async () => {
    const { body } = await test.request('GET', '/v1/openapi.json', { token: null });
    expect(undescribed(body)).toEqual([]);
  });

  it('has an example of every body and response', async () => {
    const { body } = await test.request('GET', '/v1/openapi.json', { token: null });
    const without = Object.entries(body.paths as Record<string, Record<string, Operation>>).flatMap(
      ([path, operations]) =>
        Object.entries(operations).flatMap(([method, { requestBody, responses }]) =>
          [requestBody, ...Object.values(responses)].flatMap((place) =>
            Object.entries(place?.content ?? {}).flatMap(([type, { example, examples }]) =>
              example === undefined && examples === undefined ? [`${method} ${path} ${type}`] : [],
            ),
          ),
        ),
    );
    expect(without).toEqual([]);
  });
});

describe('an endpoint without a scope', () => {
  it('cannot be registered', async () => {
    const { scope: _, ...unscoped } = endpoint({
      method: 'GET',
      path: '/v1/unscoped',
      scope: 'any',
      status: 204,
      doc: { tag: 'Service', summary: 'Nobody said who may', description: 'And so nobody may.' },
    });
    const app = await createApp(test.service.parts, undefined);
    expect(() => registerRoute(app, route(unscoped as never, (async () => undefined) as never))).toThrow(
      /has no scope/,
    );
    await app.close();
  });
});
