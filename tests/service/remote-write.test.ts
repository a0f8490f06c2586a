import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { distinctMetricOf, otlpSpelling, prometheusSpelling } from '#service/telemetry/write/metric-name.ts';
import { freePort } from './free-port.ts';
import { snappy, writeRequest, type Series } from './remote-write-body.ts';
import { startTestService, type TestService } from './start-test-service.ts';

const NOW = Date.UTC(2026, 10, 21, 12);
const STALE = 0x7ff0000000000002n;
const PATH = '/api/v1/write';
const HEADERS = {
  'content-type': 'application/x-protobuf',
  'content-encoding': 'snappy',
  'x-prometheus-remote-write-version': '0.1.0',
};

let test: TestService;
let metricsUrl: string;
beforeAll(async () => {
  const port = await freePort();
  test = await startTestService({ now: () => NOW, env: { METRICS_PORT: `${port}` } });
  metricsUrl = `http://127.0.0.1:${port}/metrics`;
});
afterAll(() => test.close());

let instances = 0;
let instance: string;
beforeEach(() => {
  instance = `pi-${(instances += 1)}:9100`;
});

type Options = { headers?: Record<string, string>; path?: string };
const send = (body: Uint8Array, { headers = {}, path = PATH }: Options = {}) =>
  test.request('POST', path, { body, headers: { ...HEADERS, ...headers } });
const write = (series: readonly Series[], options?: Options) => send(snappy(writeRequest(series)), options);

/** The samples of a device, by metric. */
const samplesOf = async (device = instance) => {
  const { body } = await test.request(
    'GET',
    `/v1/telemetry?device=${encodeURIComponent(device)}&from=-7d&to=%2B1h`,
  );
  return Object.fromEntries(
    (body.series as { metric: string; ts: number[]; value: unknown[] }[]).map(({ metric, ts, value }) => [
      metric,
      ts.map((at, i) => [at, value[i]]),
    ]),
  );
};

const load = (labels: Record<string, string> = {}) => ({ __name__: 'node_load1', instance, ...labels });

describe('a remote write', () => {
  it('stores each series as a metric of its instance', async () => {
    const answer = await write([
      {
        labels: load({ job: 'node' }),
        samples: [
          [0.5, NOW - 1_000],
          [0.25, NOW],
        ],
      },
      { labels: { ...load(), __name__: 'up', zone: '', job: 'node' }, samples: [[1, NOW]] },
    ]);
    expect(answer.status).toBe(204);
    expect(await samplesOf()).toEqual({
      'node_load1.job.node': [
        [NOW - 1_000, 0.5],
        [NOW, 0.25],
      ],
      'up.job.node': [[NOW, 1]],
    });
  });

  it('prefers the labels in the order of the configuration', async () => {
    const device = instance;
    const { status } = await write([
      { labels: { __name__: 'disk_free', instance: device, device: 'sda1' }, samples: [[1, NOW]] },
      { labels: { __name__: 'disk_size', device_id: device, instance: 'gateway:9100' }, samples: [[2, NOW]] },
      { labels: { __name__: 'room_temperature', device }, samples: [[3, NOW]] },
    ]);
    expect(status).toBe(204);
    expect(await samplesOf()).toEqual({
      'disk_free.device.sda1': [[NOW, 1]],
      'disk_size.instance.gateway:9100': [[NOW, 2]],
      room_temperature: [[NOW, 3]],
    });
  });

  it('gives different series different metrics, in one write and in several', async () => {
    const variants = [{ path: 'a b' }, { path: 'a_b' }, { path: 'a+b' }, { a: '1', b: '2' }, { a: '1.b.2' }];
    const labels = [...variants, { le: '+Inf' }, { mode: 'x'.repeat(200) }, { mode: `${'x'.repeat(200)}y` }];
    for (const [i, label] of labels.entries())
      expect(
        (await write([{ labels: load(label as Record<string, string>), samples: [[i, NOW]] }])).status,
      ).toBe(204);
    const samples = await samplesOf();
    expect(Object.keys(samples)).toHaveLength(labels.length);
    expect(samples).toMatchObject({
      'node_load1.path.a_b': [[NOW, 1]],
      'node_load1.a.1.b.2': [[NOW, 3]],
      'node_load1.le._Inf': [[NOW, 5]],
    });
    expect(
      (
        await write(
          labels.map((label) => ({ labels: load(label as Record<string, string>), samples: [[7, NOW]] })),
        )
      ).status,
    ).toBe(204);
    expect(Object.keys(await samplesOf())).toHaveLength(labels.length);
  });

  it('skips staleness markers, NaN and infinity, and counts them', async () => {
    const noValues = [STALE, Number.NaN, Infinity, -Infinity].map((value) => [value, NOW] as const);
    const { status } = await write([{ labels: load(), samples: [...noValues, [1, NOW - 5]] }]);
    expect(status).toBe(204);
    expect(await samplesOf()).toEqual({ node_load1: [[NOW - 5, 1]] });
    expect(await (await fetch(metricsUrl)).text()).toContain('penstock_no_value_samples_total 4\n');
  });

  it('changes nothing when it is sent again', async () => {
    const series = [{ labels: load(), samples: [[1, NOW]] }] as const;
    expect((await write(series)).status).toBe(204);
    expect((await write(series)).status).toBe(204);
    expect(await samplesOf()).toEqual({ node_load1: [[NOW, 1]] });
  });

  it('accepts requests without series, such as metadata, and labels after samples', async () => {
    expect((await write([])).status).toBe(204);
    const { LengthDelimited, Varint } = WireType;
    const body = new BinaryWriter()
      .tag(3, LengthDelimited)
      .fork()
      .tag(1, Varint)
      .uint32(1)
      .tag(2, LengthDelimited)
      .string('node_load1')
      .join()
      .tag(1, LengthDelimited)
      .fork()
      .tag(2, LengthDelimited)
      .fork()
      .tag(2, Varint)
      .int64(NOW)
      .join()
      .tag(1, LengthDelimited)
      .fork()
      .tag(1, LengthDelimited)
      .string('__name__')
      .tag(2, LengthDelimited)
      .string('zero')
      .join()
      .tag(1, LengthDelimited)
      .fork()
      .tag(1, LengthDelimited)
      .string('instance')
      .tag(2, LengthDelimited)
      .string(instance)
      .join()
      .join();
    expect((await send(snappy(body.finish()))).status).toBe(204);
    expect(await samplesOf()).toEqual({ zero: [[NOW, 0]] });
  });

  it('stores a write of many series, and of many samples of one series', async () => {
    const many = Array.from({ length: 3_000 }, (_, i) => ({
      labels: load({ cpu: `${i}` }),
      samples: [[i, NOW]] as [number, number][],
    }));
    const long = { labels: load(), samples: Array.from({ length: 12_000 }, (_, i) => [i, NOW - i] as const) };
    expect((await write([...many, long])).status).toBe(204);
    const { body: latest } = await test.request(
      'GET',
      `/v1/telemetry/latest?device=${encodeURIComponent(instance)}`,
    );
    expect(latest.data).toHaveLength(3_001);
    const { body: read } = await test.request(
      'GET',
      `/v1/telemetry?device=${encodeURIComponent(instance)}&metric=node_load1&from=-12s&to=%2B1s&bucket=30s&agg=count`,
    );
    const counts = read.series[0].count as number[];
    expect(counts.reduce((sum, count) => sum + count)).toBe(12_000);
  });
});

it.each([
  ['Prometheus', prometheusSpelling],
  ['OpenTelemetry', otlpSpelling],
])('different labels give different metrics in the spelling of %s', (_, spelling) => {
  const { beforeLabel, beforeValue } = spelling;
  const parts = fc.constantFrom(
    '1',
    'b',
    '_',
    ' ',
    beforeLabel,
    beforeValue,
    `${beforeLabel}b${beforeValue}1`,
  );
  const value = fc.array(parts, { minLength: 1, maxLength: 3 }).map((each) => each.join(''));
  const label = fc.constantFrom('a', 'b', `a${beforeLabel}b`, 'a_b', 'a b');
  const labels = fc
    .dictionary(label, value, { maxKeys: 2, noNullPrototype: true })
    .map((values) => Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  const series = fc.tuple(label, labels);
  const metrics = new Map<string, string>();
  fc.assert(
    fc.property(series, ([metric, own]) => {
      const identity = JSON.stringify([metric, own]);
      const named = distinctMetricOf(metric, own, spelling).metric;
      expect(metrics.get(named) ?? identity).toBe(identity);
      metrics.set(named, identity);
    }),
    { numRuns: 5_000, seed: 65 },
  );
});

describe('rejected samples', () => {
  it.each([
    [
      'no device',
      { __name__: 'up', job: 'a' },
      'series 2: up.job.a has none of the labels device_id, instance, host, device, which name the device.',
    ],
    [
      'a device that is a URL',
      { __name__: 'up', instance: 'https://a/' },
      'series 2: up has the label instance "https://a/", which cannot be a device ID',
    ],
    ['no name', { instance: 'a' }, 'series 2: The series has no label __name__'],
    [
      'a label twice',
      [
        ['__name__', 'up'],
        ['a', '1'],
        ['a', '2'],
      ] as const,
      'series 2: The series has the label "a" twice',
    ],
    [
      'long labels',
      { __name__: 'up', a: 'x'.repeat(20_000) },
      'series 2: The series has labels of more than 16384 bytes',
    ],
  ])('of a series with %s are named, and the others are stored', async (_, labels, detail) => {
    const { status, body } = await write([
      { labels: load(), samples: [[1, NOW]] },
      {
        labels,
        samples: [
          [2, NOW],
          [3, NOW - 1],
        ],
      },
    ]);
    expect(status).toBe(400);
    expect(body).toMatchObject({
      code: 'partial-write',
      detail: expect.stringContaining(
        `partial write: 2 of 3 samples were rejected, and the others were stored. The first rejection is in ${detail}`,
      ),
    });
    expect(await samplesOf()).toEqual({ node_load1: [[NOW, 1]] });
  });

  it('are those of native histograms', async () => {
    const { status, body } = await write([{ labels: load(), samples: [], histograms: 2 }]);
    expect(status).toBe(400);
    expect(body.detail).toContain(
      'all 2 samples were rejected. The first rejection is in series 1: The series has native histograms',
    );
  });

  it('are those before 2000, unless they are allowed', async () => {
    const series = [{ labels: load(), samples: [[1, 5]] }] as const;
    const { status, body } = await write(series);
    expect(status).toBe(400);
    expect(body.detail).toContain(
      "Series 1, ts: The timestamp is before 2000-01-01: 5 was read as milliseconds since 1970: 1970-01-01T00:00:00.005Z. Set the device's clock, or allow old timestamps (allowOld).",
    );
    expect((await write(series, { path: `${PATH}?allowOld=true` })).status).toBe(204);
  });

  it('are those of a label that is not UTF-8', async () => {
    const request = writeRequest([{ labels: { ...load(), a: '~~~~' }, samples: [[1, NOW]] }]);
    const at = Buffer.from(request).indexOf('~~~~');
    request.fill(0xff, at, at + 4);
    const { status, body } = await send(snappy(request));
    expect(status).toBe(400);
    expect(body.detail).toContain('Series 1: The series has a label that is not UTF-8 text.');
  });
});

describe('an invalid request', () => {
  const valid = () => writeRequest([{ labels: load(), samples: [[1, NOW]] }]);
  const nothingStored = async () => {
    const { status } = await test.request(
      'GET',
      `/v1/devices/by-external-id/${encodeURIComponent(instance)}`,
    );
    expect(status).toBe(404);
  };

  it.each([
    [
      'Remote Write 2.0',
      { 'content-type': 'application/x-protobuf;proto=io.prometheus.write.v2.Request' },
      'Penstock accepts Remote Write 1.0 (prometheus.WriteRequest), not io.prometheus.write.v2.Request.',
    ],
    [
      'another compression',
      { 'content-encoding': 'zstd' },
      'The Content-Encoding zstd is not supported. Use snappy.',
    ],
    [
      'JSON',
      { 'content-type': 'application/json' },
      'Send the body as application/x-protobuf, not as application/json.',
    ],
  ])('of %s is answered with 415', async (_, headers, detail) => {
    const { status, body } = await send(snappy(valid()), { headers });
    expect(status).toBe(415);
    expect(body.detail).toContain(detail);
    await nothingStored();
  });

  it.each([
    ['is empty', () => new Uint8Array(), 'The body cannot be decompressed. Compress it with Snappy'],
    ['is not compressed', valid, 'The body cannot be decompressed'],
    ['is not Snappy', () => new Uint8Array(100).fill(0xff), 'The body cannot be decompressed'],
    [
      'announces more than it can contain',
      () => new Uint8Array([0x80, 0x80, 0x80, 0x08, 0, 0]),
      'The body cannot be decompressed',
    ],
    [
      'is truncated',
      () => snappy(valid().subarray(0, -3)),
      'The body is not a prometheus.WriteRequest in protocol buffers: a field is longer than its message',
    ],
    [
      'has a varint without an end',
      () => snappy(new Uint8Array(50).fill(0xff)),
      'The body is not a prometheus.WriteRequest in protocol buffers: ',
    ],
    [
      'has a length of 4 GB',
      () => snappy(new Uint8Array([0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f])),
      'a field is longer than its message',
    ],
    [
      'nests groups',
      () => snappy(new Uint8Array(30_000).fill(0x3b)),
      'The body is not a prometheus.WriteRequest',
    ],
    [
      'is invalid after its first series',
      () => snappy(Buffer.concat([valid(), Buffer.from([0x0a, 9, 1])])),
      'The body is not a prometheus.WriteRequest',
    ],
  ])('that %s is answered with 400, and nothing is stored', async (_, body, detail) => {
    const answer = await send(body());
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code: 'malformed-body', detail: expect.stringContaining(detail) });
    await nothingStored();
  });

  it('that decompresses to more than 20 MiB is answered with 413', async () => {
    const { status, body } = await send(snappy(new Uint8Array(20 * 2 ** 20 + 1)));
    expect(status).toBe(413);
    expect(body.detail).toBe(
      'The limit is 5 MiB as sent and 20 MiB after decompression. Split the body and send several requests.',
    );
  });

  it.each([
    ['600001 series', new Uint8Array(600_001 * 2).fill(0x0a).map((byte, i) => (i % 2 === 0 ? byte : 0))],
    [
      '2400001 samples',
      new BinaryWriter()
        .tag(1, WireType.LengthDelimited)
        .bytes(new Uint8Array(2_400_001 * 2).fill(0x12).map((byte, i) => (i % 2 === 0 ? byte : 0)))
        .finish(),
    ],
  ])('of %s is answered with 413', async (count, body) => {
    const answer = await send(snappy(body));
    expect(answer.status).toBe(413);
    expect(answer.body.detail).toContain(`The body contains ${count}.`);
  });

  it('of a million labels is rejected with the reason', async () => {
    const label = new BinaryWriter().tag(1, WireType.LengthDelimited).bytes(new Uint8Array()).finish();
    const labels = Buffer.alloc(1_000_000 * label.length, label);
    const body = new BinaryWriter()
      .tag(1, WireType.LengthDelimited)
      .bytes(Buffer.concat([labels, Buffer.from([0x12, 0])]))
      .finish();
    const { status, body: answer } = await send(snappy(body));
    expect(status).toBe(400);
    expect(answer.detail).toContain('Series 1: The series has labels of more than 16384 bytes.');
  });

  it('without the scope telemetry:write is answered with 403', async () => {
    const { secret } = await test.mintKey(['telemetry:read']);
    const { status } = await test.request('POST', PATH, {
      body: snappy(valid()),
      headers: HEADERS,
      token: secret,
    });
    expect(status).toBe(403);
    await nothingStored();
  });
});

it('is all of the API of Prometheus', async () => {
  const { status, body } = await test.request('GET', '/api/v1/query?query=up');
  expect(status).toBe(404);
  expect(body.detail).toContain('no PromQL queries');
});
