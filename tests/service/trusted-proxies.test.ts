import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '#service/app.ts';
import { createFailureLimit } from '#service/platform/http/failure-limit.ts';
import { noPeers } from '#service/platform/peers.ts';
import { startTestService, type TestService } from './start-test-service.ts';

const PROXY = '192.0.2.1';
const OUTER_PROXY = '10.20.0.7';
const STRANGER = '198.51.100.66';
const CLIENT = '203.0.113.9';

const HOST = 'penstock.example.org';
const BASE_URL = `https://${HOST}/iot`;

let test: TestService;
let app: Awaited<ReturnType<typeof createApp>>;
beforeAll(async () => {
  test = await startTestService({ env: { TRUSTED_PROXIES: `${PROXY}, 10.20.0.0/16, loopback` } });
  const { parts } = test.service;
  const config = { ...parts.config, baseUrl: BASE_URL };
  // The same service without a port, so that requests can come from any address.
  app = await createApp({ ...parts, config, baseUrl: () => BASE_URL }, undefined);
});
afterAll(async () => {
  await app.close();
  await test.close();
});

type Sender = { from?: string; headers?: Record<string, string | string[]>; token?: string; host?: string };

const ask = (
  method: 'GET' | 'POST',
  url: string,
  { from = PROXY, headers = {}, token = test.token, host = HOST }: Sender = {},
  payload?: object,
) =>
  app.inject({
    method,
    url,
    remoteAddress: from,
    headers: { host, ...(token === '' ? {} : { authorization: `Bearer ${token}` }), ...headers },
    ...(payload === undefined ? {} : { payload }),
  });

/** The address that an API key was used from, according to its resource. */
const seenAddress = async (sender: Sender): Promise<unknown> => {
  const minted = await ask('POST', '/v1/api-keys', {}, { name: 'Gateway', scopes: ['devices:read'] });
  const { id, secret } = minted.json();
  expect((await ask('GET', '/v1/devices', { ...sender, token: secret })).statusCode).toBe(200);
  return (await ask('GET', `/v1/api-keys/${id}`)).json().lastUsedFrom;
};

const forwarded = (...values: string[]) => ({ 'x-forwarded-for': values });

describe('the address of a client is taken from X-Forwarded-For', () => {
  it.each([
    ['of a trusted address', PROXY, forwarded(CLIENT), CLIENT],
    ['of a trusted network', OUTER_PROXY, forwarded(CLIENT), CLIENT],
    ['of a trusted name', '127.0.0.1', forwarded(CLIENT), CLIENT],
    ['of a trusted address in IPv6 form', `::ffff:${PROXY}`, forwarded(CLIENT), CLIENT],
    ['in IPv6', PROXY, forwarded('2001:db8::9'), '2001:db8::9'],
    ['through several trusted proxies', PROXY, forwarded(`${CLIENT}, ${OUTER_PROXY}`), CLIENT],
    ['in several headers', PROXY, forwarded(CLIENT, OUTER_PROXY), CLIENT],
  ])('%s', async (_, from, headers, address) => {
    expect(await seenAddress({ from, headers })).toBe(address);
  });
});

describe('a client that sends the header itself gains nothing', () => {
  it.each([
    ['without a proxy', STRANGER, forwarded(CLIENT), STRANGER],
    ['without a proxy, as a trusted one', STRANGER, forwarded(`${CLIENT}, ${PROXY}`), STRANGER],
    ['before what the proxy adds', PROXY, forwarded(`${CLIENT}, ${STRANGER}`), STRANGER],
    ['as a trusted proxy before what the proxy adds', PROXY, forwarded(`${PROXY}, ${STRANGER}`), STRANGER],
    ['as text that is no address', PROXY, forwarded('<script>alert(1)</script>'), PROXY],
    ['as unknown, before a trusted proxy', PROXY, forwarded(`unknown, ${OUTER_PROXY}`), OUTER_PROXY],
    ['as nothing', PROXY, forwarded(' , '), PROXY],
    ['in other headers', PROXY, { forwarded: `for=${CLIENT}`, 'x-real-ip': CLIENT }, PROXY],
  ])('%s', async (_, from, headers, address) => {
    expect(await seenAddress({ from, headers })).toBe(address);
  });

  it('against the limit of wrong tokens, which counts addresses of clients and not of their proxy', async () => {
    const limited = await createApp(
      { ...test.service.parts, baseUrl: () => BASE_URL, failureLimit: createFailureLimit(noPeers) },
      undefined,
    );
    const guess = async (headers: Record<string, string | string[]>) =>
      (
        await limited.inject({
          url: '/v1/devices',
          remoteAddress: PROXY,
          headers: { host: HOST, authorization: 'Bearer wrong', ...headers },
        })
      ).statusCode;
    for (let at = 1; at <= 10; at += 1)
      expect(await guess(forwarded(`203.0.113.${at}, ${STRANGER}`))).toBe(401);
    expect(await guess(forwarded(`203.0.113.99, ${STRANGER}`))).toBe(429);
    expect(await guess(forwarded(CLIENT))).toBe(401);
    await limited.close();
  });
});

it('events of sign-ins name the client behind the proxy', async () => {
  const minted = await ask('POST', '/v1/api-keys', {}, { name: 'Ada', scopes: ['devices:read'] });
  const signIn = (token: string) =>
    ask('POST', '/v1/sessions', { headers: forwarded(CLIENT), token: '' }, { token, remember: false });
  expect((await signIn(minted.json().secret)).statusCode).toBe(201);
  expect((await signIn('pen_key_wrong')).statusCode).toBe(401);
  const listed = async (type: string) => (await ask('GET', `/v1/events?type=${type}&limit=1`)).json().data[0];
  expect(await listed('session.opened')).toMatchObject({ data: { from: CLIENT } });
  expect(await listed('session.refused')).toMatchObject({
    subject: { name: CLIENT },
    data: { from: CLIENT },
  });
});

describe('the host and scheme of links are those of BASE_URL', () => {
  const forged = {
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'http',
    'x-forwarded-port': '81',
  };

  it('whatever a trusted proxy forwards', async () => {
    expect((await ask('GET', '/v1/connection', { headers: forged })).json()).toMatchObject({
      baseUrl: BASE_URL,
    });
    const document = (await ask('GET', '/v1/openapi.json', { headers: forged })).json();
    expect(document.servers[0].url).toBe(BASE_URL);
    const created = await ask('POST', '/v1/devices', { headers: forged }, { name: 'Pump' });
    expect(created.headers['location']).toBe(`/iot/v1/devices/${created.json().id}`);
  });

  it('so a forwarded host does not pass the check of Host', async () => {
    const headers = { 'x-forwarded-host': HOST };
    const answer = await ask('GET', '/v1/devices', { headers, host: 'evil.example' });
    expect([answer.statusCode, answer.json().code]).toEqual([421, 'unknown-host']);
  });
});
