import { randomBytes } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { SpooledSamples } from '#service/pipelines/destinations/destination.ts';
import { lineProtocol } from '#service/pipelines/destinations/line-protocol-writer.ts';
import { startFaultProxy } from './fault-proxy.ts';
import { startInfluxd } from './influxd.ts';
import { isInstalled } from './installed.ts';
import { delivery, failureOf, openDestination, timeoutSignal, wordsOfFailure } from './open-destination.ts';
import { FRAGILE_VALUES } from './fragile-values.ts';

const PASSWORD = 'canary-of-influxdb';
const TOKEN = 'canary-of-a-token';
/** Is answered many times over. */
const LONG = 'a long answer ';
const T = 1_700_000_000_123;

const sample = (n: number, values: SpooledSamples['values'] = { n }): SpooledSamples => ({
  device: 'boiler-7',
  ts: T + n,
  values,
});

const open = (url: string, options: Record<string, unknown>, allowedNetworks?: string[]) => {
  let count = 0;
  const { deliver, probe } = openDestination('influxdb', {
    url,
    options,
    ...(allowedNetworks === undefined ? {} : { allowedNetworks }),
  });
  return {
    deliver: (samples: SpooledSamples[], signal = timeoutSignal()) =>
      deliver(delivery(`dlv_${count++}`, samples), signal),
    probe: () => probe(timeoutSignal()),
  };
};

describe.skipIf(!isInstalled('influxd'))('a destination in InfluxDB', () => {
  let server: Awaited<ReturnType<typeof startInfluxd>>;
  const first = (options: Record<string, unknown> = {}, url = server.url) =>
    open(url, { database: 'plant', username: 'penstock', password: PASSWORD, ...options });
  const read = (from = 'penstock') => server.query(`select * from ${from} group by *`, 'plant');

  beforeAll(async () => {
    server = await startInfluxd();
    await server.query('create database plant');
    await server.query('create database closed');
    await server.query(`create user penstock with password '${PASSWORD}'`);
    await server.query('grant all on plant to penstock');
  });
  afterAll(() => server.close());
  afterEach(() => server.query('drop series from /.*/', 'plant'));

  it('stores each value exactly, with its kind and timestamp', async () => {
    await first({ measurement: 'kept' }).deliver([sample(0, FRAGILE_VALUES)]);
    const rows = await read('kept');
    expect(rows).toEqual([{ time: T, ...FRAGILE_VALUES }]);
    expect(Object.is(rows[0]?.['negativeZero'], -0)).toBe(true);
    const kinds = await server.query('show field keys from kept', 'plant');
    expect(new Set(kinds.map(({ fieldType }) => fieldType))).toEqual(new Set(['float', 'boolean', 'string']));
  });

  it('accepts any name of a device, metric or measurement', async () => {
    const names = ['a b', 'a,b', 'a=b', 'a"b"', "a'b", 'a\\b', 'a\\\\b', 'größe/²', '🔥', '#a', '-1', 'true'];
    for (const name of names)
      await first({ measurement: `names ${name}` }).deliver([{ device: name, ts: T, values: { [name]: 1 } }]);
    for (const name of names) {
      const from = `"names ${name.replaceAll(/["\\]/g, '\\$&')}"`;
      expect(await server.query(`select * from ${from} group by *`, 'plant')).toEqual([
        { time: T, [name]: 1 },
      ]);
      expect(await server.query(`show tag values from ${from} with key = device`, 'plant')).toEqual([
        { key: 'device', value: name },
      ]);
    }
  });

  it('replaces characters that line protocol cannot express in names', async () => {
    await first({ measurement: 'pictures' }).deliver([{ device: 'a\\,b\nc\\', ts: T, values: { 'm\\': 1 } }]);
    expect(await read('pictures')).toEqual([{ time: T, 'm＼': 1 }]);
    expect(await server.query('show tag values from pictures with key = device', 'plant')).toEqual([
      { key: 'device', value: 'a＼,b␊c＼' },
    ]);
  });

  it('writes a repeated delivery once, in order, and keeps the last value', async () => {
    const destination = first();
    await destination.deliver([sample(1), sample(2), sample(1, { n: 11 })]);
    await destination.deliver([sample(1), sample(2), sample(1, { n: 11 })]);
    await destination.deliver([sample(2, { n: 22 })]);
    expect(await read()).toEqual([
      { time: T + 1, n: 11 },
      { time: T + 2, n: 22 },
    ]);
  });

  it('sends many samples compressed', async () => {
    await first().deliver(Array.from({ length: 5_000 }, (_, n) => sample(n)));
    expect(await server.query('select count(n) from penstock', 'plant')).toMatchObject([{ count: 5_000 }]);
  });

  it('reports the result of a test without writing samples', async () => {
    expect(await first().probe()).toMatch(
      /^Connected to InfluxDB 1\.\d+\S*\. The database plant accepts samples\.$/,
    );
    expect(await server.query('show series', 'plant')).toEqual([]);
  });

  it('uses the credentials and path of its URL', async () => {
    const url = `http://penstock:${PASSWORD}@127.0.0.1:${server.port}/`;
    await first({ username: undefined, password: undefined }, url).deliver([sample(1)]);
    expect(await read()).toHaveLength(1);
  });

  it('is blocked with invalid or missing credentials, without access, or without a database, and never quotes a secret', async () => {
    const failures = [
      await wordsOfFailure(first({ password: 'canary-of-a-wrong-one' }).deliver([sample(1)])),
      await wordsOfFailure(first({ username: undefined, password: undefined }).deliver([sample(1)])),
      await wordsOfFailure(first({ database: 'closed' }).probe()),
      await wordsOfFailure(first({ database: 'nowhere' }).deliver([sample(1)])),
      await wordsOfFailure(first({}, `${server.url}/elsewhere`).probe()),
    ];
    expect(failures).toEqual([
      expect.stringMatching(
        /^refused: 127\.0\.0\.1:\d+: Answered 401 Unauthorized: .*credentials.*: authorization failed\.$/,
      ),
      expect.stringMatching(/^refused: .*401 Unauthorized/),
      expect.stringMatching(
        /^refused: .*403 Forbidden: these credentials have no write access: .*not authorized/,
      ),
      expect.stringMatching(/^refused: .*404 Not Found: .*: database not found: "nowhere"\.$/),
      expect.stringMatching(/^refused: .*404 Not Found: /),
    ]);
    expect(failures.join()).not.toContain('canary');
    expect(failures.join()).not.toContain(Buffer.from(`penstock:${PASSWORD}`).toString('base64'));
  });

  it('rejects samples of another kind than their field, a metric named “time”, and too large requests', async () => {
    const destination = first();
    await destination.deliver([sample(1)]);
    expect(await wordsOfFailure(destination.deliver([sample(2), sample(3, { n: 'three' })]))).toMatch(
      /^unacceptable: .*field type conflict/,
    );
    expect(await wordsOfFailure(destination.deliver([sample(4, { time: 4 })]))).toMatch(
      /^unacceptable: .*“time”/,
    );
    const text = () => randomBytes(750).toString('base64');
    const large = Array.from({ length: 1_000 }, (_, n) => sample(n, { text: text() }));
    // InfluxDB answers before it has read the samples, and closes the connection, so the answer may be lost.
    let failure = '';
    for (let attempts = 0; attempts < 5; attempts += 1) {
      failure = await wordsOfFailure(destination.deliver(large));
      if (!/^unavailable: .* closed the connection before answering\.$/.test(failure)) break;
    }
    expect(failure).toMatch(/^unacceptable: .*413/);
    await destination.deliver([sample(2)]);
    expect(await read()).toEqual([
      { time: T + 1, n: 1 },
      { time: T + 2, n: 2 },
    ]);
  });

  it('is unavailable while the server is stopped, and delivers after a restart of the server', async () => {
    const destination = first();
    await destination.deliver([sample(1)]);
    await server.stop();
    expect(await wordsOfFailure(destination.deliver([sample(2)]))).toMatch(
      /^unavailable: 127\.0\.0\.1\S* refused the connection/,
    );
    await server.start();
    await destination.deliver([sample(2)]);
    expect(await read()).toHaveLength(2);
  });

  it('ends at the signal if the server hangs, and leaves no connection open', async () => {
    const proxy = await startFaultProxy(server.port);
    onTestFinished(() => proxy.close());
    proxy.fault = 'hang';
    const ended = new AbortController();
    const stuck = first({}, `http://127.0.0.1:${proxy.port}`).deliver([sample(1)], ended.signal);
    const failure = wordsOfFailure(stuck);
    await expect.poll(proxy.open).toBe(2);
    ended.abort();
    expect(await failure).toMatch(/^unavailable: 127\.0\.0\.1:\d+ timed out/);
    await expect.poll(proxy.open).toBe(0);
  });

  it('rejects forbidden addresses with the reason', async () => {
    const destination = open(server.url, { database: 'plant' }, []);
    expect(await wordsOfFailure(destination.deliver([sample(1)]))).toMatch(
      /^refused: 127\.0\.0\.1 is a loopback address.*ALLOWED_NETWORKS/,
    );
  });
});

describe('a destination that speaks as InfluxDB does', () => {
  /** Records requests and responds as configured. */
  const startListener = async (answer: (response: ServerResponse) => void) => {
    const calls: { url: string | undefined; headers: IncomingHttpHeaders; body: string }[] = [];
    const listener = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { url, headers } = request;
        const bytes = Buffer.concat(chunks);
        const body = headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes;
        calls.push({ url, headers, body: body.toString() });
        answer(response);
      });
    });
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      listener.close();
      listener.closeAllConnections();
    });
    return { url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`, calls };
  };
  const second = (url: string) => open(url, { bucket: 'plant b', organization: 'a&b', token: TOKEN });

  it('writes to a bucket of InfluxDB 2 with its token, below the path of the URL', async () => {
    const { url, calls } = await startListener((response) => response.writeHead(204).end());
    await second(`${url}/influx/`).deliver([sample(1)]);
    expect(calls).toMatchObject([
      {
        url: '/influx/api/v2/write?org=a%26b&bucket=plant+b&precision=ms',
        headers: { authorization: `Token ${TOKEN}` },
        body: `penstock,device=boiler-7 n=1 ${T + 1}\n`,
      },
    ]);
    expect(await second(url).probe()).toMatch(
      /^Connected to 127\.0\.0\.1:\d+\. The bucket plant b accepts samples\.$/,
    );
  });

  it('accepts the error of InfluxDB 2 about a test without samples as success', async () => {
    const { url } = await startListener((response) =>
      response.writeHead(400).end(JSON.stringify({ code: 'invalid', message: 'writing requires points' })),
    );
    expect(await second(url).probe()).toContain('accepts samples');
  });

  it('sends no request without samples', async () => {
    const { url, calls } = await startListener((response) => response.writeHead(204).end());
    await second(url).deliver([sample(1, {})]);
    expect(calls).toEqual([]);
  });

  it.each([
    [400, '{"code":"invalid","message":"unable to parse line"}', 'unacceptable', 'unable to parse line'],
    [400, '<html>The plain HTTP request was sent to HTTPS port</html>', 'refused', 'Answered 400'],
    [422, '{"code":"unprocessable entity","message":"beyond retention"}', 'unacceptable', 'beyond retention'],
    [401, '{"code":"unauthorized","message":"unauthorized access"}', 'refused', 'credentials'],
    [
      404,
      '{"code":"not found","message":"bucket \\"plant\\" not found"}',
      'refused',
      'bucket "plant" not found',
    ],
    [413, '', 'unacceptable', 'too large for the server'],
    [301, '', 'refused', 'Penstock does not follow redirects'],
    [200, 'ok', 'refused', 'this is not InfluxDB, which answers 204'],
    [500, '{"error":"timeout"}', 'unavailable', 'timeout'],
    [503, LONG, 'unavailable', '503'],
  ])('treats %i %s as %s', async (status, text, kind, words) => {
    const { url } = await startListener((response) =>
      response.writeHead(status).end(text === LONG ? text.repeat(10_000) : text),
    );
    const failure = await failureOf(second(url).deliver([sample(1)]));
    expect(failure).toMatchObject({ kind, message: expect.stringContaining(words) });
    expect(failure.message.length).toBeLessThan(500);
  });

  it.each([
    ['7', 7_000],
    ['a date', 3_600_000],
    ['soon', undefined],
  ])('honours Retry-After: %s', async (asked, waitMs) => {
    const after = asked === 'a date' ? new Date(Date.now() + 3_600_000).toUTCString() : asked;
    const { url } = await startListener((response) =>
      response.writeHead(429, { 'retry-after': after }).end(),
    );
    const { kind, retryAfterMs } = await failureOf(second(url).deliver([sample(1)]));
    expect(kind).toBe('unavailable');
    if (waitMs === undefined) expect(retryAfterMs).toBeUndefined();
    else expect(Math.abs((retryAfterMs ?? 0) - waitMs)).toBeLessThan(30_000);
  });

  it.each([
    ['head', 'HTTP/1.1 204 No Content\r\nx: '],
    ['body', 'HTTP/1.1 500 Internal Server Error\r\n\r\n'],
  ])('ends at the signal if the %s of a response arrives a byte at a time', async (_, beginning) => {
    let sent = 0;
    let isOpen = true;
    const { url } = await startListener(({ socket }) => {
      socket?.write(beginning);
      const drip = setInterval(() => {
        socket?.write('x');
        sent += 1;
      }, 10);
      socket?.on('close', () => {
        clearInterval(drip);
        isOpen = false;
      });
    });
    const ended = new AbortController();
    const failure = wordsOfFailure(second(url).deliver([sample(1)], ended.signal));
    await expect.poll(() => sent).toBeGreaterThan(5);
    ended.abort();
    expect(await failure).toMatch(/^unavailable: 127\.0\.0\.1:\d+ timed out/);
    await expect.poll(() => isOpen).toBe(false);
  });

  it('hides a secret that the server repeats', async () => {
    const { url } = await startListener((response) => response.writeHead(403).end(`no way, Token ${TOKEN}`));
    expect(await wordsOfFailure(second(url).probe())).toMatch(/^refused: .*no way, Token \*\*\*\.$/);
  });
});

it('writes one line per sample and one field per metric', () => {
  const samples = [sample(0, { a: 1.5, b: true, c: 'x "y" \\' }), sample(1, {}), sample(2, { a: -0 })];
  expect(lineProtocol(samples, 'm, 1')).toBe(
    `m\\,\\ 1,device=boiler-7 a=1.5,b=true,c="x \\"y\\" \\\\" ${T}\nm\\,\\ 1,device=boiler-7 a=-0 ${T + 2}\n`,
  );
});
