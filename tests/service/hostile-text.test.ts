import mqtt, { type IClientOptions } from 'mqtt';
import Papa from 'papaparse';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { statusesOf, type EndpointShape } from '#contract/endpoint.ts';
import { endpoints } from '#contract/endpoints.ts';
import { problems, problemSchema } from '#contract/problem.ts';
import { messagesApi } from '#contract/messages.ts';
import { streamApi } from '#contract/stream.ts';
import { telemetryApi } from '#contract/telemetry.ts';
import { isStorable } from '#contract/is-storable.ts';
import { createAsker, kindOfId, nameOf, textPlacesOf, type Answer } from './access-matrix.ts';
import { freePort } from './free-port.ts';
import { hostileTexts } from './hostile-texts.ts';
import { createRotation, isFullRun, isSecondDatabase } from './sized.ts';
import { startTestService, type TestService } from './start-test-service.ts';

/**
 * The texts that databases may treat differently, or that a test names; only these run over PostgreSQL in `npm test`.
 */
const DIALECT_TEXTS = [
  'control',
  'nul',
  'bidi',
  'surrogate',
  'emoji',
  'marked',
  'longer',
  'sql',
  'like',
  'match',
  'number',
  'empty',
  'script',
  'formula',
  'rtl',
  'lines',
];
const texts = Object.entries(hostileTexts).filter(
  ([name]) => isFullRun || !isSecondDatabase || DIALECT_TEXTS.includes(name),
);

/** The texts for one place. */
const nextOf = createRotation(12);

let test: TestService;
let mqttPort: number;
let asker: Awaited<ReturnType<typeof createAsker>>;
const logged: string[] = [];
beforeAll(async () => {
  mqttPort = await freePort();
  test = await startTestService({
    logTo: { write: (line) => void logged.push(line) },
    env: { MQTT_PORT: String(mqttPort) },
  });
  asker = await createAsker(test);
});
/** A resource of each kind to change, by ID prefix. */
const existing = new Map<string, string>();
beforeAll(async () => {
  for (const { path, method, ...get } of endpoints.filter(({ path }) =>
    /^\/v1\/[\w-]+\/\{id\}$/.test(path),
  )) {
    const create = endpoints.find((each) => each.method === 'POST' && `${each.path}/{id}` === path);
    if (method !== 'GET' || create === undefined) continue;
    const { body } = await asker.ask(create);
    existing.set(kindOfId({ path, method, ...get })!, body.id);
  }
});
afterAll(async () => {
  await asker.close();
  await test.close();
});

/** Accepted, or rejected with a documented problem, but not 500. */
const expectOrderly = ({ status, headers, text, body }: Answer, what: string): void => {
  if (status >= 500) throw new Error(`${what}: ${text.slice(0, 300)}`);
  if (status < 400) return;
  expect([what, headers['content-type']]).toEqual([
    what,
    expect.stringMatching(/^application\/(problem\+)?json/),
  ]);
  expect(Object.keys(problems)).toContain(problemSchema.parse(body).code);
};

const at = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], value);

describe.each(
  endpoints.filter(({ body }) => body !== undefined).map((each) => [nameOf(each), each] as const),
)('hostile text in the body of %s', (_, endpoint: EndpointShape) => {
  const places = textPlacesOf(endpoint.body!);

  it('is stored unchanged or rejected', async () => {
    const numbered = places.flatMap((place) => nextOf(texts).map(([name, text]) => ({ name, text, place })));
    for (const { name, text, place } of numbered) {
      const answer = await asker.ask(endpoint, { fields: place.fieldsWith(text) });
      const what = `${name} in /${place.path.join('/')}`;
      expectOrderly(answer, what);
      const kept = at(answer.body, place.path);
      if (answer.status < 300 && typeof kept === 'string')
        expect([what, kept]).toEqual([what, place.kept(text)]);
    }
  });
});

describe.each(
  endpoints.filter(({ query }) => query !== undefined).map((each) => [nameOf(each), each] as const),
)('hostile text in the parameters of %s', (_, endpoint: EndpointShape) => {
  it('is accepted as text or rejected', async () => {
    for (const name of Object.keys(endpoint.query!.shape))
      for (const [kind, text] of nextOf(texts))
        expectOrderly(await asker.ask(endpoint, { query: { [name]: text } }), `${kind} in ${name}`);
    for (const name of ['__proto__', 'constructor', '<script>', ''])
      expectOrderly(await asker.ask(endpoint, { query: { [name]: '1' } }), `the parameter ${name}`);
  });
});

describe.each(
  endpoints.filter(({ params }) => params !== undefined).map((each) => [nameOf(each), each] as const),
)('hostile text in the path of %s', (_, endpoint: EndpointShape) => {
  it('finds nothing, or the resource with that name', async () => {
    const inPaths = texts.filter(([, text]) => text !== '' && text.isWellFormed() && text.length < 10_000);
    for (const name of Object.keys(endpoint.params!.shape))
      for (const [kind, text] of nextOf(inPaths))
        expectOrderly(await asker.ask(endpoint, { params: { [name]: text } }), `${kind} in ${name}`);
  });
});

describe('hostile text in a header', () => {
  const inHeaders = texts.filter(
    ([, text]) => /^[\t\x20-\x7e\x80-\xff]*$/.test(text) && text.length < 10_000,
  );

  it.each([
    'authorization',
    'host',
    'x-forwarded-for',
    'x-forwarded-host',
    'x-forwarded-proto',
    'forwarded',
    'x-request-id',
    'request-id',
    'origin',
    'referer',
    'user-agent',
    'accept',
    'accept-encoding',
    'content-type',
    'content-encoding',
    'if-match',
    'idempotency-key',
    'last-event-id',
    'cookie',
  ])('%s is accepted as text or rejected, and adds no response header', async (header) => {
    for (const [kind, text] of nextOf(inHeaders))
      for (const endpoint of [telemetryApi.write, streamApi.open]) {
        const answer = await asker.ask(endpoint, { headers: { [header]: text } });
        expectOrderly(answer, `${kind} in ${header} of ${nameOf(endpoint)}`);
        expect(JSON.stringify(answer.headers)).not.toContain('hacked');
      }
  });

  it('from a proxy is ignored: the address is that of the connection', async () => {
    const { secret, id } = await test.mintKey(['devices:read']);
    const headers = { 'x-forwarded-for': '203.0.113.9', forwarded: 'for=203.0.113.9' };
    await test.request('GET', '/v1/devices', { token: secret, headers });
    expect((await test.request('GET', `/v1/api-keys/${id}`)).body.lastUsedFrom).toBe('127.0.0.1');
  });
});

describe('hostile text as telemetry', () => {
  const write = (type: string, payload: string) =>
    asker.ask(telemetryApi.write, { payload, headers: { 'content-type': type } });

  it('is a value that is returned unchanged or rejected', async () => {
    for (const [name, text] of texts) {
      const { body } = await write(
        'application/json',
        JSON.stringify({ samples: [{ device: 'hostile', values: { [`value.${name}`]: text } }] }),
      );
      const { data } = (await test.request('GET', `/v1/telemetry/latest?device=hostile&metric=value.${name}`))
        .body;
      if (body.accepted === 1) expect([name, data[0].value]).toEqual([name, text]);
      else expect([name, body.errors[0].code]).toEqual([name, 'invalid-value']);
    }
  });

  it('is a name that is accepted unchanged or rejected, in every format', async () => {
    const ofDevice = (text: string) => JSON.stringify({ device: text, values: { level: 1 } });
    const ofMetric = (text: string) => JSON.stringify({ device: 'hostile', values: { [text]: 1 } });
    const inRow = (rowOf: (cell: string) => string) => (text: string) =>
      `ts,device,metric,value\r\n${rowOf(`"${text.replaceAll('"', '""')}"`)}\r\n`;
    const payloads: [type: string, payloadOf: (text: string) => string][] = [
      ['application/json', (text) => `{"samples":[${ofDevice(text)}]}`],
      ['application/json', (text) => `{"samples":[${ofMetric(text)}]}`],
      ['application/json', (text) => text],
      ['application/x-ndjson', ofDevice],
      ['application/x-ndjson', ofMetric],
      ['application/x-ndjson', (text) => text],
      ['text/csv', inRow((cell) => `,${cell},level,1`)],
      ['text/csv', inRow((cell) => `,hostile,${cell},1`)],
      ['text/csv', inRow((cell) => `,hostile,text,${cell}`)],
      ['text/csv', inRow((cell) => `${cell},hostile,level,1`)],
      ['text/csv', (text) => text],
    ];
    for (const [type, payloadOf] of payloads)
      for (const [name, text] of nextOf(texts))
        expectOrderly(await write(type, payloadOf(text)), `${name}: ${payloadOf(text).slice(0, 80)}`);
    for (const [name, text] of nextOf(texts)) expectOrderly(await write(text, text), `${name} as a type`);
  });

  it('is a message that is read, or rejected and stored', async () => {
    const { id } = (
      await test.request('POST', '/v1/pipelines', {
        body: { name: 'Hostile messages', type: 'http', interval: 1, destination: 'telemetry' },
      })
    ).body;
    for (const [name, text] of texts) {
      const messages = [
        text,
        { [text]: 1 },
        { temp: text },
        { device: text, values: { level: 1 } },
        [{ ts: text, values: { a: 1 } }],
        { [text]: [{ values: { level: 1 } }] },
      ];
      for (const message of messages) {
        const answer = await asker.ask(messagesApi.send, {
          params: { id },
          query: { device: text },
          payload: typeof message === 'string' ? message : JSON.stringify(message),
        });
        expectOrderly(answer, name);
      }
    }
    const { ledger } = (await test.request('GET', `/v1/pipelines/${id}`)).body;
    expect(ledger.received).toBe(ledger.delivered + ledger.pending + ledger.rejected);
    const { data } = (await test.request('GET', `/v1/pipelines/${id}/rejections?limit=200`)).body;
    const kept = data.map(({ message }: { message: string }) => message);
    for (const name of ['script', 'control', 'bidi', 'rtl', 'emoji', 'lines', 'sql'])
      expect(kept).toContain(hostileTexts[name]);
  });

  it('is shortened, and without NUL, in the detail of a rejection that names it', async () => {
    const { id } = (
      await test.request('POST', '/v1/pipelines', {
        body: { name: 'Hostile names', type: 'http', interval: 1, destination: 'telemetry' },
      })
    ).body;
    for (const [name, text] of texts)
      for (const message of [
        { device: 'hostile', values: { [text]: [] } },
        [{ bn: 'hostile:', n: 'level', v: 1, [`${text}_`]: 1 }],
        { device: 'hostile', time: `20.11.2026 10:30 ${text}`, level: 1 },
      ])
        expectOrderly(
          await asker.ask(messagesApi.send, { params: { id }, payload: JSON.stringify(message) }),
          name,
        );
    const { data } = (await test.request('GET', `/v1/pipelines/${id}/rejections?limit=200`)).body;
    expect(data.length).toBeGreaterThan(texts.length);
    const wrong = data.filter(
      ({ detail }: { detail: string }) => !isStorable(detail) || detail.length > 2_001,
    );
    expect(wrong).toEqual([]);
  });

  it('is not executed by a spreadsheet', async () => {
    const { text } = await asker.ask(telemetryApi.export, { query: { from: '-1h', format: 'csv' } });
    const { data, errors } = Papa.parse<string[]>(text.trimEnd());
    expect(errors).toEqual([]);
    expect(data.length).toBeGreaterThan(20);
    const cells = data.slice(1).flat();
    expect(cells.filter((cell) => /^[=+\-@\t\r\n]/.test(cell) && Number.isNaN(Number(cell)))).toEqual([]);
    expect(cells).toContain(`'${hostileTexts['formula']}`);
    expect(cells).toContain(hostileTexts['script']);
  });
});

describe('hostile text over MQTT', () => {
  /** Resolves once the connection is closed, or the message is acknowledged. */
  const publish = (options: IClientOptions, topic: string, payload: string): Promise<void> =>
    new Promise((resolve) => {
      const client = mqtt.connect(`mqtt://127.0.0.1:${mqttPort}`, { reconnectPeriod: 0, ...options });
      client.on('error', () => undefined);
      client.once('close', () => resolve());
      client.once('connect', () => {
        client.publish(topic, payload, { qos: 1 }, () => client.end(true));
      });
    });

  it('is accepted or rejected in names, passwords, topics and messages, and leaves readable events', async () => {
    const { secret: password } = await test.mintKey(['telemetry:write']);
    const body = {
      name: 'Any topic',
      type: 'mqtt',
      interval: 1,
      destination: 'telemetry',
      config: { topic: '+/up' },
    };
    const { id } = (await test.request('POST', '/v1/pipelines', { body })).body;
    const sendable = texts
      .filter(([, text]) => text.length < 10_000)
      .map(([, text]) => text.replaceAll(/[+#]/g, ''));
    for (const text of sendable) {
      await publish({ username: text, password: text, clientId: text }, 'v1/devices/me/telemetry', '{}');
      await publish(
        { username: 'hostile', password, clientId: text },
        `v1/devices/${text}/telemetry`,
        '{"level":1}',
      );
      await publish({ username: text, password }, `${text}/up`, JSON.stringify({ [text]: 1, device: text }));
      await publish({ username: 'hostile', password }, 'hostile/up', text);
    }
    const { ledger } = (await test.request('GET', `/v1/pipelines/${id}`)).body;
    expect(ledger.received).toBeGreaterThan(sendable.length);
    expect(ledger.received).toBe(ledger.delivered + ledger.pending + ledger.rejected);
    await expect
      .poll(
        async () => (await test.request('GET', '/v1/events?type=mqtt.refused&limit=200')).body.data.length,
      )
      .toBeGreaterThan(2);
    const events = (await test.request('GET', '/v1/events?type=mqtt.refused&limit=200')).body.data;
    // Control and direction-changing characters would change what the log looks like.
    expect(JSON.stringify(events)).not.toMatch(/[\p{Bidi_Control}\u0080-\u009f]|\\u00[01]/u);
  });
});

describe('after all of this', () => {
  it('the prototypes of the service are unchanged', () => {
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as Record<string, unknown>)['hacked']).toBeUndefined();
  });

  it('left log lines that are one JSON object each', () => {
    expect(logged.length).toBeGreaterThan(0);
    for (const line of logged) {
      expect(line.endsWith('\n')).toBe(true);
      expect(line.trimEnd()).not.toMatch(/[\n\r\u2028\u2029]/);
      expect(JSON.parse(line)).toHaveProperty('level');
    }
    expect(logged.filter((line) => (JSON.parse(line) as { level: number }).level >= 50)).toEqual([]);
  });

  it('everything stored can be listed', async () => {
    for (const endpoint of endpoints.filter(
      ({ method, params }) => method === 'GET' && params === undefined,
    )) {
      // All devices together have more series than one query selects.
      const query = endpoint.path.startsWith('/v1/telemetry') ? { device: 'hostile' } : {};
      expect([nameOf(endpoint), (await asker.ask(endpoint, { query })).status]).toEqual([
        nameOf(endpoint),
        statusesOf(endpoint)[0],
      ]);
    }
  });
});
