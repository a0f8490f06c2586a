import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { QueryObserver } from '@tanstack/react-query';
import { afterEach, expect, test } from 'vitest';
import { devicesApi } from '#contract/devices.ts';
import { serviceApi } from '#contract/service.ts';
import { ApiError } from '#dashboard/api/api-error.ts';
import { call, etagOf } from '#dashboard/api/client.ts';
import { queryClient } from '#dashboard/api/query-client.ts';
import { session } from '#dashboard/api/session.ts';

const DEVICE = {
  id: 'dev_01jz3k5v8cf6n9qw2r4t7y0abd',
  externalId: 'b1',
  name: 'Boiler 1',
  type: '',
  description: '',
  notes: '',
  tags: {},
  expectedInterval: null,
  learnedInterval: null,
  state: 'never-seen',
  lastSeenAt: null,
  createdAt: '2026-11-21T09:30:00.000Z',
  updatedAt: '2026-11-21T09:30:00.000Z',
};

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** Responds as a network, a proxy or a newer service might. */
const answerWith = async (answer: (request: IncomingMessage, response: ServerResponse) => void) => {
  const requests: IncomingMessage[] = [];
  server = createServer((request, response) => {
    requests.push(request);
    request.resume();
    answer(request, response);
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  session.start({ token: 'pen_session_test', baseUrl, expiresAt: '2099-01-01T00:00:00.000Z' });
  return requests;
};

const json = (
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
) => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
};
const failureOf = async (promise: Promise<unknown>): Promise<ApiError> => {
  const error: unknown = await promise.catch((reason: unknown) => reason);
  if (error instanceof ApiError) return error;
  throw new Error('It did not fail with an ApiError.');
};

test('a change sends the revision that it is based on, and stores the new one', async () => {
  const requests = await answerWith((request, response) =>
    json(response, 200, DEVICE, { etag: request.method === 'GET' ? '"1"' : '"2"' }),
  );
  const params = { id: DEVICE.id };
  await call(devicesApi.get, { params });
  await call(devicesApi.change, { params, body: { name: 'Boiler' } });
  expect(requests[1]?.headers['if-match']).toBe('"1"');
  expect(requests[1]?.headers['content-type']).toBe('application/merge-patch+json');
  expect(etagOf(devicesApi.change, params)).toBe('"2"');
  await call(devicesApi.change, { params, body: { name: 'Boiler' }, ifMatch: null });
  expect(requests[2]?.headers['if-match']).toBeUndefined();
});

test('a creation without a response is retried with the same idempotency key', async () => {
  let isFirst = true;
  const requests = await answerWith((request, response) => {
    if (isFirst) request.socket.destroy();
    else json(response, 201, DEVICE);
    isFirst = false;
  });
  const failure = await failureOf(call(devicesApi.create, { body: { name: 'Boiler 1' } }));
  expect(failure.code).toBe('offline');
  await call(devicesApi.create, { body: { name: 'Boiler 1' } });
  await call(devicesApi.create, { body: { name: 'Boiler 1' } });
  const [lost, again, another] = requests.map(({ headers }) => headers['idempotency-key']);
  expect(lost).toMatch(/^[\da-f-]{36}$/);
  expect(again).toBe(lost);
  expect(another).not.toBe(lost);
});

test('a creation that timed out in a proxy is retried with the same idempotency key', async () => {
  const answers = [504, 409];
  const requests = await answerWith((_, response) => {
    const status = answers.shift() ?? 201;
    if (status === 504) response.writeHead(504, { 'content-type': 'text/html' }).end('<h1>Too late</h1>');
    else if (status === 201) json(response, 201, DEVICE);
    else
      json(response, status, {
        type: 'about:blank',
        title: 'The first request is still running',
        status,
        detail: 'Ask again in a moment.',
        code: 'idempotency-in-progress',
        requestId: 'req_3',
      });
  });
  const create = () => call(devicesApi.create, { body: { name: 'Boiler 2' } });
  await failureOf(create());
  await failureOf(create());
  await create();
  await create();
  const [first, second, third, another] = requests.map(({ headers }) => headers['idempotency-key']);
  expect([second, third]).toEqual([first, first]);
  expect(another).not.toBe(first);
});

test('a problem becomes an ApiError with fields, request ID and retry time', async () => {
  await answerWith((_, response) =>
    json(
      response,
      422,
      {
        type: 'about:blank',
        title: 'Validation failed',
        status: 422,
        detail: 'Fix them.',
        code: 'validation-failed',
        requestId: 'req_1',
        errors: [{ pointer: '/name', code: 'too-small', detail: 'Must not be empty.' }],
      },
      { 'retry-after': '3' },
    ),
  );
  const failure = await failureOf(call(devicesApi.create, { body: { name: '' } }));
  expect(failure).toMatchObject({
    code: 'validation-failed',
    status: 422,
    requestId: 'req_1',
    retryAfterMs: 3_000,
  });
  expect(failure.fields).toEqual([{ pointer: '/name', code: 'too-small', detail: 'Must not be empty.' }]);
});

test('a response that does not match the contract is an error', async () => {
  await answerWith((_, response) =>
    response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>'),
  );
  expect((await failureOf(call(devicesApi.list))).code).toBe('unexpected-answer');
  server?.closeAllConnections();
  await answerWith((_, response) => json(response, 200, { data: [{ id: 7 }], nextCursor: null }));
  expect((await failureOf(call(devicesApi.list))).code).toBe('unexpected-answer');
});

test('a rejected token ends the session, and nothing that needs a token is sent after it', async () => {
  const requests = await answerWith((request, response) =>
    request.url === '/v1/health'
      ? json(response, 200, { status: 'ok', storage: 'writable' })
      : json(response, 401, {
          type: 'about:blank',
          title: 'Token revoked',
          status: 401,
          detail: 'Sign in again.',
          code: 'token-revoked',
          requestId: 'req_2',
        }),
  );
  await call(serviceApi.health);
  expect(requests[0]?.headers.authorization).toBeUndefined();
  await failureOf(call(devicesApi.list));
  expect(requests[1]?.headers.authorization).toBe('Bearer pen_session_test');
  expect(session.get()).toMatchObject({ status: 'ended', code: 'token-revoked' });
  expect(await failureOf(call(devicesApi.list))).toMatchObject({ code: 'token-missing', status: 401 });
  await call(serviceApi.health);
  expect(requests.map(({ url }) => url)).toEqual(['/v1/health', '/v1/devices', '/v1/health']);
});

test('a request that needs another scope is not sent, and is retried when the token has gained it', async () => {
  const requests = await answerWith((_, response) => json(response, 200, { data: [], nextCursor: null }));
  const active = session.get();
  if (active.status !== 'active') throw new Error('Nobody is signed in.');
  const { token } = active.stored;
  session.recordScopes(token, ['events:read']);
  expect(await failureOf(call(devicesApi.list))).toMatchObject({
    code: 'insufficient-scope',
    fields: [{ code: 'missing-scope', detail: 'devices:read' }],
  });
  const list = new QueryObserver(queryClient, {
    queryKey: ['shown'],
    queryFn: () => call(devicesApi.list),
    retry: false,
  });
  const stop = list.subscribe(() => undefined);
  await expect.poll(() => list.getCurrentResult().isError).toBe(true);
  expect(requests).toEqual([]);

  session.recordScopes('pen_session_of_before', ['devices:read']);
  expect(session.scopes()).toEqual(['events:read']);
  session.recordScopes(token, ['events:read', 'devices:read']);
  await expect.poll(() => list.getCurrentResult().isSuccess).toBe(true);
  stop();
  queryClient.clear();
});

test('an aborted request is an abort, not an ApiError', async () => {
  await answerWith(() => undefined);
  const controller = new AbortController();
  const calling = call(devicesApi.list, { signal: controller.signal });
  controller.abort();
  await expect(calling).rejects.toMatchObject({ name: 'AbortError' });
});
