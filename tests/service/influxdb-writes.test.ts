import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestService, type TestService } from './start-test-service.ts';

const NOW = Date.UTC(2026, 10, 21, 12);
const NS = `${NOW}000000`;

let test: TestService;
beforeAll(async () => {
  test = await startTestService({ now: () => NOW });
});
afterAll(() => test.close());

let hosts = 0;
let host: string;
beforeEach(() => {
  host = `host-${(hosts += 1)}`;
});

type Options = { headers?: Record<string, string>; token?: string | null };
const write = (body: string | Uint8Array, path = '/api/v2/write', options: Options = {}) =>
  test.request('POST', path, { body, headers: { 'content-type': 'text/plain' }, ...options });

/** The samples of a device, by metric. */
const samplesOf = async (device = host) => {
  const { body } = await test.request('GET', `/v1/telemetry?device=${device}&from=-7d&to=%2B1h`);
  return Object.fromEntries(
    (body.series as { metric: string; ts: number[]; value: unknown[] }[]).map(({ metric, ts, value }) => [
      metric,
      ts.map((at, i) => [at, value[i]]),
    ]),
  );
};

describe('a write in line protocol', () => {
  it('stores each field as a metric of the device that a tag names', async () => {
    const { status } = await write(
      `# a comment\n\ncpu,cpu=cpu0,host=${host} usage_idle=99.5,cores=4i,busy=t,mode="eco, \\"low\\"" ${NS}\n` +
        `cpu,host=${host},cpu=cpu-total usage_idle=1e2 ${NS}\r\n`,
    );
    expect(status).toBe(204);
    expect(await samplesOf()).toEqual({
      'cpu.cpu.cpu0.usage_idle': [[NOW, 99.5]],
      'cpu.cpu.cpu0.cores': [[NOW, 4]],
      'cpu.cpu.cpu0.busy': [[NOW, true]],
      'cpu.cpu.cpu0.mode': [[NOW, 'eco, "low"']],
      'cpu.cpu.cpu-total.usage_idle': [[NOW, 100]],
    });
  });

  it('states the units of Telegraf that its names do not state', async () => {
    await write(
      `cpu,cpu=cpu0,host=${host} usage_idle=99.5,cores=4i ${NS}\nmem,host=${host} total=17179869184i,used_percent=71.5 ${NS}`,
    );
    const { body } = await test.request('GET', `/v1/telemetry?device=${host}&from=-7d&to=%2B1h`);
    expect(body.series).toMatchObject([
      { metric: 'cpu.cpu.cpu0.cores', unit: null },
      { metric: 'cpu.cpu.cpu0.usage_idle', unit: '%' },
      { metric: 'mem.total', unit: 'B' },
      { metric: 'mem.used_percent', unit: '%' },
    ]);
  });

  it('prefers the tags in the order of the configuration', async () => {
    expect((await write(`disk,device=sda1,host=${host} used=1 ${NS}`)).status).toBe(204);
    expect((await write(`room,device=${host} temp=2 ${NS}`)).status).toBe(204);
    expect((await write(`room,device_id=${host},host=gateway temp=3 ${NS}`)).status).toBe(204);
    expect(await samplesOf()).toEqual({
      'disk.device.sda1.used': [[NOW, 1]],
      'room.temp': [[NOW, 2]],
      'room.host.gateway.temp': [[NOW, 3]],
    });
  });

  it('reads escaped names and text of several lines', async () => {
    const lines = `a\\ b,host=${host},k\\,1=v\\=2 f\\ 1="one\ntwo",g=1 ${NS}\nc,host=${host} h=2 ${NS}`;
    expect((await write(lines)).status).toBe(204);
    expect(await samplesOf()).toEqual({
      'a_b.k_1.v_2.f_1': [[NOW, 'one\ntwo']],
      'a_b.k_1.v_2.g': [[NOW, 1]],
      'c.h': [[NOW, 2]],
    });
  });

  it.each([
    ['ns', NS],
    ['n', NS],
    ['us', `${NOW}000`],
    ['u', `${NOW}000`],
    ['µ', `${NOW}000`],
    ['ms', `${NOW}`],
    ['s', `${NOW / 1_000}`],
    ['m', `${NOW / 60_000}`],
    ['h', `${NOW / 3_600_000}`],
  ])('reads timestamps with the precision %s', async (precision, ts) => {
    const { status } = await write(`m,host=${host} v=1 ${ts}`, `/write?db=x&precision=${precision}`);
    expect(status).toBe(204);
    expect(await samplesOf()).toEqual({ 'm.v': [[NOW, 1]] });
  });

  it('without a timestamp has the time of arrival', async () => {
    expect((await write(`m,host=${host} v=1`)).status).toBe(204);
    expect(await samplesOf()).toEqual({ 'm.v': [[NOW, 1]] });
  });

  it('may be compressed, and empty', async () => {
    const headers = { 'content-encoding': 'gzip', 'content-type': 'text/plain; charset=utf-8' };
    const body = gzipSync(`m,host=${host} v=1 ${NS}\n`);
    expect((await write(body, undefined, { headers })).status).toBe(204);
    expect((await write('\n# nothing\n')).status).toBe(204);
    expect(await samplesOf()).toEqual({ 'm.v': [[NOW, 1]] });
  });

  it('rejects only the lines that are not UTF-8', async () => {
    const body = [1, 2, 3, 4]
      .map((n) => `room,host=${host} temp=${n},at="caf\u00e9 ${n}" ${NOW + n}`)
      .join('\n');
    // The second line is in Latin-1, and so is a text over two lines.
    const bytes = Buffer.from(`${body}\nroom,host=${host} note="caf\u00e9\n",temp=5 ${NOW + 5}\n`);
    const second = bytes.indexOf('caf', bytes.indexOf('\n'));
    const last = bytes.lastIndexOf('caf');
    for (const at of [second, last]) bytes.fill(0xe9, at + 3, at + 5);
    const answer = await write(bytes, '/api/v2/write?precision=ms');
    expect(answer.status).toBe(400);
    expect(answer.body.message).toMatch(
      / 4 of 10 .*The first rejection is in line 2: The line is not UTF-8 text\..* dropped=4$/,
    );
    expect(await samplesOf()).toEqual({
      'room.at': [1, 3, 4].map((n) => [NOW + n, `caf\u00e9 ${n}`]),
      'room.temp': [1, 3, 4].map((n) => [NOW + n, n]),
    });
  });

  it('stores a replacement character that was sent as UTF-8, beside a line that is not UTF-8', async () => {
    const lines = ['before="\ufffd"', 'split="\ufffd\n\ufffd"', 'bad="?"', 'after="\ufffd"'];
    const bytes = Buffer.from(lines.map((field) => `m,host=${host} ${field} ${NS}`).join('\n# \ufffd\n\n'));
    bytes[bytes.indexOf('?')] = 0xff;
    const { body } = await write(bytes);
    expect(body.message).toMatch(/ 1 of 4 .*Line 8: The line is not UTF-8 text\..* dropped=1$/);
    expect(await samplesOf()).toEqual({
      'm.before': [[NOW, '\ufffd']],
      'm.split': [[NOW, '\ufffd\n\ufffd']],
      'm.after': [[NOW, '\ufffd']],
    });
  });

  it('reads valid lines between many without a space', async () => {
    const bad = 'nonsense\n'.repeat(2_000);
    const { status } = await write(`${bad}a,host=${host} f=1 ${NS}\n${bad}b,host=${host} f=2 ${NS}\n${bad}`);
    expect(status).toBe(400);
    expect(await samplesOf()).toEqual({ 'a.f': [[NOW, 1]], 'b.f': [[NOW, 2]] });
  });

  it('is rejected with more lines than can be valid', async () => {
    const { status, body } = await write(gzipSync('x\n'.repeat(1_700_001)), '/api/v2/write', {
      headers: { 'content-encoding': 'gzip' },
    });
    expect([status, body.message]).toEqual([413, expect.stringContaining('1700001 lines')]);
  });

  it('reads a body in slices', async () => {
    const lines = Array.from({ length: 30_000 }, (_, n) => `m,host=${host} v=${n} ${NOW - n}\n`);
    expect((await write(lines.join(''), '/write?precision=ms')).status).toBe(204);
    const { body } = await test.request('GET', `/v1/devices?q=${host}`);
    const { body: metrics } = await test.request('GET', `/v1/devices/${body.data[0].id}/metrics`);
    expect(metrics.data).toMatchObject([{ firstTs: NOW - 29_999, lastTs: NOW, value: 0 }]);
  });
});

describe('a write with invalid values', () => {
  it.each([
    ['no fields', `m,host=HOST`, 'Line 2: The line has no fields.'],
    ['a tag without a value', `m,host= v=1`, 'Line 2: The line has the tag "host=" instead of key=value.'],
    ['a tag twice', `m,host=HOST,a=1,a=2 v=1`, 'Line 2: The line has the tag a twice.'],
    ['an invalid value', `m,host=HOST v=abc`, 'Line 2: The line has the invalid value "abc".'],
    ['an open quote', `m,host=HOST v="abc`, 'Line 2: The line has a string without a closing quote.'],
    ['an invalid timestamp', `m,host=HOST v=1 soon`, 'Line 2: The line has the invalid timestamp "soon".'],
    ['NaN', `m,host=HOST v=NaN ${NS}`, 'Line 2, m.v: Must be a finite number'],
    ['a metric with a slash', `disk,host=HOST,path=/var v=NaN ${NS}`, 'Line 2, disk.path./var.v: Must be'],
    [
      'no device',
      `m,site=a v=1,w=2`,
      'The first rejection is in line 2: The line has none of the tags device_id, host, device',
    ],
    ['an invalid device', `m,host=a\\ b v=1`, 'Line 2, device: Must be the ID or external ID of a device'],
    [
      'seconds read as nanoseconds',
      `m,host=HOST v=1 1763717400`,
      'Line 2, ts: The timestamp is before 2000-01-01: 1763717400 was read as nanoseconds since 1970: 1970-01-01T00:00:01.763Z. Set precision to the unit',
    ],
    [
      'a time too far ahead',
      `m,host=HOST v=1 ${NOW + 700_000}000000`,
      'Line 2, ts: The timestamp is more than 10 minutes ahead',
    ],
    [
      'another kind',
      `ok,host=HOST v="text" ${NS}`,
      'Line 2, ok.v: The metric holds numbers, and this value is text. The first',
    ],
    [
      'two series with one name',
      `ok,host=HOST,a\\ b=1 v=1\nok,host=HOST,a_b=1 v=2`,
      'also maps to the metric ok.a_b.1.v',
    ],
  ])('stores the others, and names the line: %s', async (_, line, detail) => {
    const ok = `ok,host=${host} v=1 ${NS}\n`;
    const { status, body, headers } = await write(
      `${ok}${line.replaceAll('HOST', host)}\nafter,host=${host} v=3 ${NS}\n`,
    );
    expect([status, headers.get('content-type')]).toEqual([400, 'application/json']);
    expect(body).toMatchObject({ code: 'partial-write', message: expect.stringContaining(detail) });
    expect(body.message).toMatch(/^partial write: /);
    expect(body.error).toBe(body.message);
    expect(await samplesOf()).toMatchObject({ 'ok.v': [[NOW, 1]], 'after.v': [[NOW, 3]] });
  });

  it('names the precision for milliseconds that were read as seconds', async () => {
    const { status, body } = await write(`m,host=${host} v=1 1795449745000`, '/api/v2/write?precision=s');
    expect([status, body.message]).toEqual([
      400,
      'partial write: the sample was rejected. Line 1, ts: Is out of range: 1795449745000 was read as seconds since 1970: after the year 9999. Set precision to the unit of the timestamps (ns, us, ms, s, m or h). dropped=1',
    ]);
  });

  it('counts the last of several samples for one time, as a JSON write does', async () => {
    expect((await write(`m,host=${host} v=1 ${NS}\nm,host=${host} v=2 ${NS}`)).status).toBe(204);
    expect(await samplesOf()).toEqual({ 'm.v': [[NOW, 2]] });
  });
});

describe('a rejected line', () => {
  it.each([
    ['without fields', 'm,host=HOST', 1],
    ['with an invalid timestamp', 'm,host=HOST v=1,w=2 soon', 2],
    ['with a text over two lines and an invalid timestamp', 'm,host=HOST v="a\nb" soon', 1],
    ['with an invalid timestamp and a value that is rejected already', 'm,host=HOST v=NaN soon', 1],
    ['with an invalid timestamp, a rejected value and a valid one', 'm,host=HOST v=NaN,w=1 soon', 2],
    ['with an invalid value after a valid one', 'm,host=HOST v=1,w=abc', 2],
    ['with a field that has no value', 'm,host=HOST v=1,w', 2],
    ['without a device and with an invalid timestamp', 'm v=1,w=2 soon', 2],
    ['without a device', 'm v=1,w=2', 2],
    [
      'with too many fields',
      `m,host=HOST ${Array.from({ length: 5_001 }, (__, n) => `f${n}=1`).join()}`,
      5_001,
    ],
    ['that is not UTF-8', Buffer.from('m,host=HOST v=1,w="caf\u00e9"', 'latin1'), 2],
  ])('counts its values: %s', async (_, line, values) => {
    const bytes = Buffer.from(Buffer.from(line).toString('latin1').replace('HOST', host), 'latin1');
    const { body } = await write(bytes);
    const outcome = values === 1 ? 'the sample was' : `all ${values} samples were`;
    expect(body.message).toContain(`partial write: ${outcome} rejected. `);
    expect(body.message).toMatch(new RegExp(` dropped=${values}$`));
  });
});

describe('a client of InfluxDB', () => {
  const basic = (key: string) => `Basic ${Buffer.from(`telegraf:${key}`).toString('base64')}`;

  it.each([
    ['Token', (key: string) => ({ headers: { authorization: `Token ${key}` } })],
    ['Token with a user', (key: string) => ({ headers: { authorization: `Token telegraf:${key}` } })],
    ['Bearer', (key: string) => ({ headers: { authorization: `Bearer ${key}` } })],
    ['Basic', (key: string) => ({ headers: { authorization: basic(key) } })],
    ['the query', (key: string) => ({ path: `/write?u=telegraf&p=${key}` })],
  ])('sends its key as %s', async (_, how) => {
    const send = (key: string) => {
      const { path = '/write?db=x', headers = {} } = how(key) as {
        path?: string;
        headers?: Record<string, string>;
      };
      return write(`m,host=${host} v=1 ${NS}`, path, { token: null, headers });
    };
    const { secret } = await test.mintKey(['telemetry:write']);
    expect((await send(secret)).status).toBe(204);
    const refused = await send('pen_key_none');
    expect([refused.status, refused.body.code]).toEqual([401, 'token-invalid']);
    expect(refused.body.message).toContain('Unknown token');
  });

  it('cannot use these credentials elsewhere', async () => {
    const { secret } = await test.mintKey(['telemetry:write', 'devices:read']);
    for (const authorization of [`Token ${secret}`, basic(secret)]) {
      const { status } = await test.request('GET', '/v1/devices', {
        token: null,
        headers: { authorization },
      });
      expect(status).toBe(401);
    }
    expect((await test.request('GET', `/v1/devices?p=${secret}`, { token: null })).status).toBe(401);
  });

  it('with a key limited to devices writes only to them', async () => {
    await write(`m,host=${host} v=1 ${NS}`);
    const { body } = await test.request('GET', `/v1/devices?q=${host}`);
    const { secret } = await test.mintKey(['telemetry:write'], { devices: [body.data[0].id] });
    const headers = { authorization: `Token ${secret}` };
    const own = await write(`m,host=${host} w=1 ${NS}`, undefined, { token: null, headers });
    expect(own.status).toBe(204);
    const other = await write(`m,host=other v=1 ${NS}`, undefined, { token: null, headers });
    expect([other.status, other.body.message]).toEqual([400, expect.stringContaining('no device other')]);
  });

  it('marks its devices as seen', async () => {
    await write(`m,host=${host} v=1 ${NS}`);
    const { body } = await test.request('GET', `/v1/devices?q=${host}`);
    expect(body.data).toMatchObject([{ externalId: host, state: 'online' }]);
  });

  it('finds the service with ping and health', async () => {
    for (const method of ['GET', 'HEAD'])
      expect((await test.request(method, '/ping', { token: null })).status).toBe(204);
    const { status, body } = await test.request('GET', '/health', { token: null });
    expect([status, body.status]).toEqual([200, 'pass']);
  });

  it('may create its database, and run no other statement', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const created = await test.request('POST', '/query', {
      body: 'q=CREATE+DATABASE+%22telegraf%22',
      headers: form,
    });
    expect([created.status, created.body]).toEqual([200, { results: [{ statement_id: 0 }] }]);
    expect((await test.request('GET', '/query?q=SHOW%20DATABASES')).status).toBe(200);
    const spaces = '+'.repeat(250_000);
    for (const [end, status] of [
      [';', 200],
      ['x', 400],
      [';x', 400],
    ] as const) {
      const body = `q=show+databases${spaces}${end}`;
      expect((await test.request('POST', '/query', { body, headers: form })).status).toBe(status);
    }
    const other = await test.request('POST', '/query?q=DROP%20DATABASE%20x', { body: '', headers: form });
    expect([other.status, other.body.error]).toEqual([400, expect.stringContaining('Only CREATE DATABASE')]);
  });

  it('gets an error that names the missing parts of the InfluxDB 2 API', async () => {
    for (const [method, path] of [
      ['POST', '/api/v2/query'],
      ['GET', '/api/v2/buckets'],
      ['POST', '/api/v2/delete'],
    ] as const) {
      const { status, body } = await test.request(method, path);
      expect([status, body.code]).toEqual([404, 'not-found']);
      expect(body.detail).toContain(
        'no Flux queries, deletions or buckets. Read telemetry with GET /v1/telemetry',
      );
    }
  });

  it('gets 405 for another method', async () => {
    const { status, headers } = await test.request('GET', '/write');
    expect([status, headers.get('allow')]).toEqual([405, 'POST']);
  });
});
