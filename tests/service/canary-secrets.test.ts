import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { fillPath } from '#contract/endpoint.ts';
import { endpoints } from '#contract/endpoints.ts';
import {
  startEchoingBroker,
  startEchoingNats,
  startEchoingPostgres,
  startEchoingWeb,
  startHanging,
  startParrot,
  WRITINGS,
} from './echoing-servers.ts';
import { MAIN } from './built-service.ts';
import { freePort } from './free-port.ts';
import { programEnv } from './program-env.ts';
import { openRawStream, type RawStream } from './raw-stream.ts';
import { createRotation } from './sized.ts';
import { startTestService, type TestService } from './start-test-service.ts';

const PATIENT = { timeout: 45_000, interval: 100 };
/** Number of consecutive characters of a secret that are found, at any position. */
const STRETCH = 12;
/** The same, in base 64. */
const ENCODED = 16;

const inEnvironment = 'e0f1'.concat(randomBytes(14).toString('hex'));
const canaries = new Map([['a variable of the environment', inEnvironment]]);
/** A new secret. What follows the canary looks different in each way of writing. */
const canaryOf = (place: string): string => {
  const canary = randomBytes(16).toString('hex');
  canaries.set(place, canary);
  return `${canary}/+&"<%41`;
};

/** Patterns that find a canary, or a part of it, in a text: plain, or in base 64 at any position. */
const tracesOf = (canary: string): string[] => {
  const stretches = Array.from({ length: canary.length - STRETCH + 1 }, (_, at) =>
    canary.slice(at, at + STRETCH),
  );
  const encoded = [0, 1, 2].map((shift) =>
    // Without characters that depend on their neighbours.
    Buffer.from(`${'\0'.repeat(shift)}${canary}`)
      .toString('base64')
      .slice(4, -4),
  );
  return [...stretches, ...encoded.flatMap((text) => [text.slice(0, ENCODED), text.slice(-ENCODED)])];
};

/** Each piece of a word that is as long as a trace. Traces consist of letters and digits. */
const piecesOf = (word: string): { piece: string; at: number }[] =>
  [STRETCH, ENCODED].flatMap((length) =>
    Array.from({ length: Math.max(0, word.length - length + 1) }, (_, at) => ({
      piece: word.slice(at, at + length),
      at,
    })),
  );

let test: TestService;
let stream: RawStream;
const logged: string[] = [];
/** By kind: a response, a log line. */
const seen: [where: string, text: string][] = [];
const closing: (() => Promise<void>)[] = [];
const ports: Record<string, number> = {};

const request: TestService['request'] = async (method, path, options) => {
  const answer = await test.request(method, path, options);
  seen.push([`${method} ${path} (${answer.status})`, JSON.stringify([answer.body, [...answer.headers]])]);
  return answer;
};

const exported = async (path: string) => {
  const answer = await fetch(`${test.url}${path}`, { headers: { authorization: `Bearer ${test.token}` } });
  seen.push([path, await answer.text()]);
};

type Body = Record<string, unknown>;
const pipelines: string[] = [];
const destinations: { id: string; name: string }[] = [];
const webhooks: string[] = [];
const createPipeline = async (name: string, type: string, config: Body, destination = 'telemetry') => {
  const { status, body } = await request('POST', '/v1/pipelines', {
    body: { name, type, interval: 1, destination, config },
  });
  expect([name, status, body.state]).toEqual([name, 201, 'running']);
  pipelines.push(body.id);
  return body.id as string;
};
/** With a pipeline to it, which has something to deliver. */
const createDestination = async (name: string, type: string, url: string, options: Body) => {
  const { status, body } = await test.request('POST', '/v1/destinations', {
    body: { name, type, url, options },
  });
  expect([name, status]).toEqual([name, 201]);
  // The signing secret is shown once, here.
  const { secret, ...shown } = body;
  seen.push(['a new destination', JSON.stringify(shown)]);
  if (secret !== null) canaries.set(`${name}: the signing secret`, secret.slice('whsec_'.length));
  destinations.push({ id: body.id, name });
  const id = await createPipeline(`To ${name}`, 'http', {}, name);
  await request('POST', `/v1/pipelines/${id}/messages?device=d`, { body: { temperature: 21, on: true } });
};
const readAll = async (path: string, ids: readonly string[]) =>
  Promise.all(ids.map(async (id) => (await test.request('GET', `${path}/${id}`)).body));

beforeAll(async () => {
  const servers = {
    web: startEchoingWeb(),
    hanging: startHanging(),
    parrot: startParrot(),
    unspecified: startEchoingBroker(0x80),
    wrong: startEchoingBroker(0x86),
    nats: startEchoingNats(),
    signIn: startEchoingPostgres('28P01'),
    broken: startEchoingPostgres('XX000'),
    values: startEchoingPostgres('22P02'),
  };
  for (const [name, starting] of Object.entries(servers)) {
    const { port, close } = await starting;
    ports[name] = port;
    closing.push(close);
  }
  ports['refusing'] = await freePort();
  test = await startTestService({
    env: {
      ALLOWED_NETWORKS: '127.0.0.0/8',
      PENSTOCK_CANARY: inEnvironment,
      PENSTOCK_CANARY_HOSTS: '127.0.0.1',
    },
    logTo: { write: (line) => void logged.push(line) },
    timeouts: { deliverMs: 500 },
  });
  stream = await openRawStream({ url: test.url, token: test.token, query: '?device=polled&device=d' });
});
afterAll(async () => {
  stream.socket.destroy();
  await test.close();
  for (const close of closing) await close();
});

const web = (status: number, writing: string) => `http://127.0.0.1:${ports['web']}/${status}/${writing}`;
const at = (scheme: string, server: string) => `${scheme}://127.0.0.1:${ports[server]}`;
const REFERENCE = '${env:PENSTOCK_CANARY}';
const STATUSES = [400, 401, 500];
/** A poll that works is searched for secrets as they were sent, not for pieces of them. */
const WHOLE = WRITINGS.filter((writing) => writing !== 'cut');
/** Each status and each way of writing with a few of the others. */
const ways = [
  ...STATUSES.map((status) => [status, 'plain'] as const),
  ...WRITINGS.slice(1).map((writing) => [400, writing] as const),
];
/** The kinds of destinations for a way: an eighth of them, in turn, in `npm test`. */
const nextKinds = createRotation(8);
const SILENT = ['hanging', 'refusing', 'parrot'];

describe('secrets that servers quote, store or reject', () => {
  it('are sent by sources', async () => {
    await test.request('POST', '/v1/devices', { body: { name: 'Polled', externalId: 'polled' } });
    const poll = async (name: string, url: string) => {
      const headers = {
        Authorization: `Bearer ${canaryOf(`${name}: a bearer token`)}`,
        'X-Api-Key': canaryOf(`${name}: a key`),
        Cookie: `session=${REFERENCE}`,
      };
      await createPipeline(name, 'http-poll', { url, headers, timeout: 1, device: 'polled' });
    };
    for (const [status, writing] of [...ways, ...WHOLE.map((each) => [200, each] as const)])
      await poll(`Poll ${status} ${writing}`, web(status, writing));
    for (const server of SILENT) await poll(`Poll ${server}`, at('http', server));
    for (const server of [...SILENT, 'unspecified', 'wrong'])
      for (const password of [canaryOf(`MQTT from ${server}`), REFERENCE])
        await createPipeline(`MQTT from ${server}, ${password.length}`, 'mqtt', {
          url: at('mqtt', server),
          username: 'me',
          password,
        });
    for (const server of [...SILENT, 'nats']) {
      const config = { url: at('nats', server), subject: 'plant.*' };
      const token = canaryOf(`NATS from ${server}: a token`);
      await createPipeline(`NATS from ${server} by token`, 'nats', { ...config, token });
      const password = canaryOf(`NATS from ${server}: a password`);
      await createPipeline(`NATS from ${server}`, 'nats', { ...config, username: 'me', password });
    }
  });

  it('are sent by destinations', async () => {
    const place = { database: 'plant' };
    const creating: Promise<void>[] = [];
    const create = (...destination: Parameters<typeof createDestination>) =>
      void creating.push(createDestination(...destination));
    for (const [status, writing] of ways) {
      const name = (of: string) => `${of} ${status} ${writing}`;
      const url = web(status, writing);
      const inUrl = (secret: string) => url.replace('//', `//me:${encodeURIComponent(secret)}@`);
      const headers = () => ({
        Authorization: `Basic ${Buffer.from(`me:${canaryOf(name('Hook'))}`).toString('base64')}`,
        'X-Api-Key': canaryOf(name('Hook key')),
        Cookie: REFERENCE,
      });
      const token = () => canaryOf(name('Influx token'));
      const password = () => canaryOf(name('Influx user'));
      const kinds = [
        () => create(name('Influx token'), 'influxdb', url, { ...place, token: token() }),
        () =>
          create(name('Influx user'), 'influxdb', url, { ...place, username: 'me', password: password() }),
        () => create(name('Influx url'), 'influxdb', inUrl(canaryOf(name('Influx url'))), place),
        () => create(name('Influx variable'), 'influxdb', url, { ...place, token: REFERENCE }),
        () => create(name('Hook'), 'webhook', url, { headers: headers() }),
        () => create(name('Hook url'), 'webhook', inUrl(canaryOf(name('Hook url'))), {}),
      ];
      for (const createKind of nextKinds(kinds)) createKind();
    }
    const others: [type: string, scheme: string, servers: string[], options: Body][] = [
      ['influxdb', 'http', SILENT, place],
      ['mqtt', 'mqtt', [...SILENT, 'unspecified', 'wrong'], {}],
      ['nats', 'nats', [...SILENT, 'nats'], {}],
      ['postgres', 'postgres', [...SILENT, 'signIn', 'broken', 'values'], {}],
    ];
    for (const [type, scheme, servers, options] of others)
      for (const server of servers) {
        const name = `${type} to ${server}`;
        const url = at(scheme, server);
        create(name, type, url, { ...options, username: 'me', password: canaryOf(name) });
        const inUrl = url.replace('//', `//me:${encodeURIComponent(canaryOf(`${name}, url`))}@`);
        create(`${name}, url`, type, inUrl, options);
        create(`${name}, variable`, type, url.replace('//', `//me:${REFERENCE}@`), options);
      }
    create('NATS token', 'nats', at('nats', 'nats'), { token: canaryOf('NATS token') });
    await Promise.all(creating);
  });

  it('sign notifications', async () => {
    for (const status of STATUSES) {
      const { body } = await test.request('POST', '/v1/webhooks', {
        body: { name: `Notify ${status}`, url: web(status, 'plain'), events: ['device.registered'] },
      });
      canaries.set(`Notify ${status}`, body.secret.slice('whsec_'.length));
      webhooks.push(body.id);
    }
    await request('POST', '/v1/devices', { body: { name: 'New', externalId: 'new' } });
    for (const id of webhooks) await request('POST', `/v1/webhooks/${id}/test`);
  });

  it('are entered in wrong places', async () => {
    const password = canaryOf('a wrong place');
    const [poll] = pipelines;
    const [destination] = destinations;
    for (const [method, path, body] of [
      [
        'POST',
        '/v1/destinations',
        { name: 'x', type: 'mqtt', url: `mqtt://me:${password}@10.0.0.1`, options: {} },
      ],
      ['POST', '/v1/destinations', { name: 'x', type: 'mqtt', url: `mqtt://a b:${password}`, options: {} }],
      [
        'POST',
        '/v1/destinations',
        { name: 'x', type: 'influxdb', url: web(200, 'plain'), options: { tokn: password } },
      ],
      [
        'POST',
        '/v1/destinations',
        { name: 'x', type: 'postgres', url: at('postgres', 'broken'), options: { password: [password] } },
      ],
      [
        'POST',
        '/v1/destinations',
        {
          name: 'x',
          type: 'webhook',
          url: web(200, 'plain'),
          options: { headers: { 'a b': 'x', b: `${password}é` } },
        },
      ],
      [
        'PATCH',
        `/v1/destinations/${destination?.id}`,
        { url: `http://me:${encodeURIComponent(password)}@10.0.0.1` },
      ],
      [
        'PATCH',
        `/v1/pipelines/${poll}`,
        { config: { headers: { Host: password, 'X-Api-Key': `${password}\n` } } },
      ],
      [
        'PATCH',
        `/v1/pipelines/${poll}`,
        { config: { url: `http://me:${encodeURIComponent(password)}@127.0.0.1` } },
      ],
      [
        'POST',
        '/v1/pipelines/test',
        {
          name: 'x',
          type: 'mqtt',
          interval: 1,
          destination: 'telemetry',
          config: { url: at('mqtt', 'wrong'), username: 'me', password },
        },
      ],
      [
        'POST',
        '/v1/pipelines/test',
        {
          name: 'x',
          type: 'nats',
          interval: 1,
          destination: 'telemetry',
          config: { url: at('nats', 'nats'), subject: 'a.*', username: 'me', password },
        },
      ],
      [
        'POST',
        '/v1/pipelines/test',
        {
          name: 'x',
          type: 'http-poll',
          interval: 1,
          destination: 'telemetry',
          config: { url: web(200, 'json'), headers: { Authorization: `Bearer ${password}` } },
        },
      ],
    ] as const)
      await request(method, path, { body });
  });

  it('are not quoted after all these failures', async () => {
    await vi.waitFor(async () => {
      const all = await readAll('/v1/pipelines', pipelines);
      // These are given up after 15 s.
      const quick = all.filter(({ name }) => !/^(MQTT|NATS) from (hanging|parrot)/.test(name));
      for (const { name, lastError, ledger } of quick)
        expect([name, lastError !== null || ledger.rejected > 0 || ledger.delivered > 0]).toEqual([
          name,
          true,
        ]);
      for (const { name, lastError } of await readAll('/v1/webhooks', webhooks))
        expect([name, lastError !== null]).toEqual([name, true]);
    }, PATIENT);
    const talkative = destinations.filter(({ name }) => !/hanging|parrot/.test(name));
    await Promise.all(talkative.map(({ id }) => request('POST', `/v1/destinations/${id}/test`)));
  });
});

/** The traces, each with its position and an excerpt. */
const found = (): string[] => {
  const all = [
    ...seen,
    ...logged.map((line): [string, string] => ['the log', line]),
    ['the stream', stream.text()] as const,
  ];
  const places = new Map(
    [...canaries].flatMap(([place, canary]) => tracesOf(canary).map((trace) => [trace, place])),
  );
  const results = new Set<string>();
  // IDs and names of fields repeat: each word is searched once.
  const clean = new Set<string>();
  for (const [where, text] of all)
    for (const { 0: word, index } of text.matchAll(/[A-Za-z0-9+/=]{12,}/g)) {
      if (clean.has(word)) continue;
      const traces = piecesOf(word).filter(({ piece }) => places.has(piece));
      if (traces.length === 0) clean.add(word);
      for (const { piece, at } of traces)
        results.add(
          `${places.get(piece)} in ${where}: …${text.slice(Math.max(0, index + at - 150), index + at + 100)}…`,
        );
    }
  return [...results];
};

it('appear in no output', async () => {
  const params = { points: '10', from: '-1h', to: 'now' };
  const gets = endpoints.filter(({ method, path }) => method === 'GET' && !path.includes('stream'));
  const devices = (await test.request('GET', '/v1/devices')).body.data as {
    id: string;
    externalId: string;
  }[];
  const idsOf: Record<string, string[]> = {
    pipelines,
    destinations: destinations.map(({ id }) => id),
    webhooks,
    devices: devices.map(({ id }) => id),
  };
  const named = { externalId: devices[0]?.externalId ?? '' };
  for (const { path } of gets) {
    const ids = path.includes('{id}') ? (idsOf[path.split('/')[2] ?? ''] ?? []) : [''];
    for (const id of ids)
      await request('GET', fillPath(path, { ...named, id, metric: 'temperature', deviceType: 'boiler' }));
  }
  const byExternalId = await request('GET', fillPath('/v1/devices/by-external-id/{externalId}', named));
  expect(byExternalId.status).toBe(200);
  for (const list of ['pipelines', 'destinations', 'events', 'webhooks'])
    await request('GET', `/v1/${list}?limit=200`);
  for (const { externalId } of devices) {
    await request('GET', `/v1/telemetry/latest?device=${externalId}`);
    await request(
      'GET',
      `/v1/telemetry?${new URLSearchParams({ device: externalId, ...params }).toString()}`,
    );
    for (const format of ['csv', 'ndjson'])
      await exported(`/v1/telemetry/export?format=${format}&device=${externalId}&from=-1h&to=now`);
  }
  expect(logged.length).toBeGreaterThan(10);
  expect(stream.text()).toContain('event: pipeline');
  expect(seen.length).toBeGreaterThan(200);
  expect(found()).toEqual([]);
});

const of = (pid: string, file: string): string => readFileSync(`/proc/${pid}/${file}`, 'utf8');
const childrenOf = (pid: string): string[] => {
  const children = of(pid, `task/${pid}/children`)
    .split(' ')
    .filter((child) => child !== '');
  return children.flatMap((child) => [child, ...childrenOf(child)]);
};

it.skipIf(process.platform !== 'linux')(
  'are absent from child processes',
  async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'penstock-canary-'));
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
    const service = spawn(process.execPath, [MAIN], {
      env: {
        ...programEnv,
        DATA_DIR: dataDir,
        PORT: '0',
        MQTT_PORT: '0',
        SEED: 'none',
        PENSTOCK_CANARY: inEnvironment,
        PENSTOCK_CANARY_HOSTS: 'broker.invalid',
      },
    });
    onTestFinished(() => void service.kill('SIGKILL'));
    const output = { out: '', log: '' };
    service.stdout.on('data', (chunk: Buffer) => (output.out += chunk.toString()));
    service.stderr.on('data', (chunk: Buffer) => (output.log += chunk.toString()));
    await expect.poll(() => [output.log, output.out].join(), PATIENT).toMatch(/"listening"[^]*#signin=\S+\n/);
    const [, origin, signin] = /(http\S+)\/#signin=(\S+)/.exec(output.out) ?? [];
    let token = '';
    const send = async (path: string, body: unknown) => {
      const headers = {
        'content-type': 'application/json',
        ...(token && { authorization: `Bearer ${token}` }),
      };
      const answer = await fetch(`${origin}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
      return (await answer.json()) as { id: string; token: string; samples: unknown[] };
    };
    ({ token } = await send('/v1/sessions', { token: signin }));
    await send('/v1/pipelines', {
      name: 'Signed in',
      type: 'mqtt',
      interval: 1,
      destination: 'telemetry',
      config: { url: 'mqtt://broker.invalid', username: 'me', password: REFERENCE },
    });
    const { samples } = await send('/v1/pipelines/preview', {
      mapping: { format: 'expression', expression: '{ "device": "d", "values": { "n": n } }' },
      message: '{"n": 1}',
    });
    expect(samples).toHaveLength(1);
    const pid = String(service.pid);
    const children = childrenOf(pid);
    expect(children.length).toBeGreaterThan(0);
    const held = [
      of(pid, 'cmdline'),
      ...children.flatMap((child) => [of(child, 'cmdline'), of(child, 'environ')]),
    ];
    for (const secret of [inEnvironment, token, String(signin)])
      expect(held.filter((text) => text.includes(secret))).toEqual([]);
    expect(`${output.log}${output.out}`).not.toContain(inEnvironment);
  },
  60_000,
);
