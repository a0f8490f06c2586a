import { gzipSync } from 'node:zlib';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { diag, DiagLogLevel } from '@opentelemetry/api';
import { OTLPMetricExporter as JsonExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPMetricExporter as ProtobufExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestService, type TestService } from './start-test-service.ts';

const PATH = '/otlp/v1/metrics';
const NOW = Date.now();
const NS = `${NOW}000000`;

let test: TestService;
let secret: string;
beforeAll(async () => {
  test = await startTestService();
  ({ secret } = await test.mintKey(['telemetry:write']));
});
afterAll(() => test.close());

let devices = 0;
let device: string;
beforeEach(() => {
  device = `boiler-${(devices += 1)}`;
});

/** The latest values of a device, by metric. */
const latestOf = async (of = device): Promise<Record<string, unknown>> => {
  const { body } = await test.request('GET', `/v1/telemetry/latest?device=${encodeURIComponent(of)}`);
  const data = (body.data ?? []) as { metric: string; value: unknown }[];
  return Object.fromEntries(data.map(({ metric, value }) => [metric, value]));
};

describe.each([
  ['@opentelemetry/exporter-metrics-otlp-http (JSON)', JsonExporter],
  ['@opentelemetry/exporter-metrics-otlp-proto', ProtobufExporter],
])('%s', (_, Exporter) => {
  it.each(['none', 'gzip'])(
    'writes gauges, counters and histograms with compression %s',
    async (compression) => {
      const exporter = new Exporter({
        url: `${test.url}${PATH}`,
        headers: { authorization: `Bearer ${secret}` },
        compression: compression as never,
      });
      const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
      const provider = new MeterProvider({
        resource: resourceFromAttributes({
          'service.name': 'heating',
          'host.name': device,
          'process.pid': 7,
        }),
        readers: [reader],
      });
      const meter = provider.getMeter('test');
      meter
        .createGauge('boiler.temperature', { unit: 'Cel' })
        .record(71.5, { 'boiler.zone': 1, ready: true });
      meter.createCounter('boiler.starts').add(3);
      meter.createUpDownCounter('boiler.queue').add(-2);
      const histogram = meter.createHistogram('boiler.burn', {
        advice: { explicitBucketBoundaries: [1, 2.5] },
      });
      for (const value of [0.5, 2, 2, 9]) histogram.record(value);
      await provider.forceFlush();
      await provider.shutdown();
      expect(await latestOf()).toEqual({
        'boiler.temperature/boiler.zone:1/ready:true/service.name:heating': 71.5,
        'boiler.starts/service.name:heating': 3,
        'boiler.queue/service.name:heating': -2,
        'boiler.burn.count/service.name:heating': 4,
        'boiler.burn.sum/service.name:heating': 13.5,
        'boiler.burn.min/service.name:heating': 0.5,
        'boiler.burn.max/service.name:heating': 9,
        'boiler.burn.bucket/service.name:heating/le:1': 1,
        'boiler.burn.bucket/service.name:heating/le:2.5': 3,
        'boiler.burn.bucket/service.name:heating/le:_Inf': 4,
      });
    },
  );

  it('logs that samples were rejected, and goes on', async () => {
    const logged: string[] = [];
    const log = (...parts: unknown[]) => void logged.push(JSON.stringify(parts));
    diag.setLogger({ error: log, warn: log, info: log, debug: log, verbose: log }, DiagLogLevel.WARN);
    const exporter = new Exporter({
      url: `${test.url}${PATH}`,
      headers: { authorization: `Bearer ${secret}` },
    });
    const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
    const provider = new MeterProvider({ readers: [reader] });
    provider.getMeter('test').createCounter('boiler.starts').add(3, { device_id: device });
    provider.getMeter('test').createCounter('boiler.starts').add(3, { device_id: 'no device!' });
    await expect(provider.forceFlush()).resolves.toBeUndefined();
    await provider.shutdown();
    diag.disable();
    expect(logged.join()).toContain('1 of 2 samples were rejected');
    expect(await latestOf()).toEqual({ 'boiler.starts': 3 });
  });
});

const attribute = (key: string, value: unknown) => ({ key, value });
const text = (key: string, stringValue: string) => attribute(key, { stringValue });
type Metric = Record<string, unknown>;
const bodyOf = (metrics: readonly Metric[], attributes = [text('device_id', device)], scope = 'test') => ({
  resourceMetrics: [{ resource: { attributes }, scopeMetrics: [{ scope: { name: scope }, metrics }] }],
});
const gauge = (name: string, ...dataPoints: unknown[]): Metric => ({ name, gauge: { dataPoints } });
const send = (body: unknown) => test.request('POST', PATH, { body });

describe('metrics in JSON', () => {
  it('have a time, or get that of their arrival', async () => {
    const { status, body } = await send(
      bodyOf([
        gauge('a', { timeUnixNano: '1763717400000000000', asInt: '9' }),
        gauge('b', { asDouble: 1.5 }),
      ]),
    );
    expect([status, body]).toEqual([200, {}]);
    expect(await latestOf()).toEqual({ a: 9, b: 1.5 });
    const { body: read } = await test.request(
      'GET',
      `/v1/telemetry?device=${device}&metric=a&from=1763717399&to=1763717401`,
    );
    expect(read.series).toMatchObject([{ ts: [1_763_717_400_000], value: [9] }]);
  });

  it('name their device in a data point, else in the resource', async () => {
    const own = { timeUnixNano: NS, asInt: 1, attributes: [text('device_id', device), text('zone', 'a')] };
    const { status } = await send(
      bodyOf([gauge('a', own)], [text('device_id', 'gateway'), text('host.name', 'x')]),
    );
    expect(status).toBe(200);
    expect(await latestOf()).toEqual({ 'a/zone:a': 1 });
  });

  it('leave out what has no value', async () => {
    const { body } = await send(
      bodyOf([
        gauge('a', { timeUnixNano: NS, asDouble: 'NaN' }),
        gauge('b', { timeUnixNano: NS, flags: 1 }),
        gauge('c', { timeUnixNano: NS, asDouble: '-Infinity' }, { timeUnixNano: NS, asDouble: 2 }),
      ]),
    );
    expect(body).toEqual({});
    expect(await latestOf()).toEqual({ c: 2 });
  });

  it('of a summary are its count, sum and quantiles', async () => {
    const point = { timeUnixNano: NS, count: '4', sum: 10, quantileValues: [{ quantile: 0.5, value: 2 }] };
    expect((await send(bodyOf([{ name: 's', summary: { dataPoints: [point] } }]))).body).toEqual({});
    expect(await latestOf()).toEqual({ 's.count': 4, 's.sum': 10, 's/quantile:0.5': 2 });
  });

  it.each([
    [
      'an exponential histogram',
      { name: 'm', exponentialHistogram: { dataPoints: [{ timeUnixNano: NS }] } },
      'm is an exponential histogram, which Penstock does not store.',
    ],
    ['no value', gauge('m', { timeUnixNano: NS }), 'm has no valid value.'],
    ['text as its value', gauge('m', { timeUnixNano: NS, asDouble: 'warm' }), 'm has no valid value.'],
    [
      'too few bounds',
      { name: 'm', histogram: { dataPoints: [{ count: 1, bucketCounts: ['1', '2'], explicitBounds: [] }] } },
      'm has 2 buckets and 0 bounds.',
    ],
    [
      'too many buckets',
      { name: 'm', histogram: { dataPoints: [{ count: 1, bucketCounts: Array(501).fill(0) }] } },
      'm has more than 500 buckets.',
    ],
    [
      'long attributes',
      gauge('m', { asInt: 1, attributes: [text('a', 'x'.repeat(5_000))] }),
      'm has names and attributes of more than 4096 characters.',
    ],
    ['no name', gauge('', { asInt: 1 }), 'The metric has no name.'],
    [
      'an old time',
      gauge('m', { timeUnixNano: '1763717400', asInt: 1 }),
      'The timestamp is before 2000-01-01: "1763717400" was read as nanoseconds since 1970',
    ],
  ])('with %s are rejected, and the others are stored', async (_, metric, reason) => {
    const { status, body } = await send(bodyOf([gauge('fine', { timeUnixNano: NS, asInt: 1 }), metric]));
    expect(status).toBe(200);
    expect(body.partialSuccess).toEqual({
      rejectedDataPoints: '1',
      errorMessage: expect.stringMatching(
        /^1 of 2 samples were rejected, and the others were stored. Metric 2/,
      ),
    });
    expect(body.partialSuccess.errorMessage).toContain(reason);
    expect(await latestOf()).toEqual({ fine: 1 });
  });

  it('without a device are rejected', async () => {
    const { body } = await send(bodyOf([gauge('m', { asInt: 1 })], [text('service.name', 'shop')]));
    expect(body.partialSuccess.errorMessage).toBe(
      'the sample was rejected. Metric 1: m/service.name:shop has none of the attributes device_id, device.id, host.name, service.instance.id, which name the device. Add one, or set OTLP_DEVICE_ATTRIBUTES.',
    );
  });

  it('of two scopes with the same name are not merged', async () => {
    const [first] = bodyOf([gauge('m', { timeUnixNano: NS, asInt: 1 })], undefined, 'one').resourceMetrics;
    const [second] = bodyOf([gauge('m', { timeUnixNano: NS, asInt: 2 })], undefined, 'two').resourceMetrics;
    const { body } = await send({ resourceMetrics: [first, second] });
    expect(body.partialSuccess.errorMessage).toContain(
      'Another series in this body also maps to the metric m.',
    );
    expect(await latestOf()).toEqual({ m: 1 });
  });

  it.each([
    ['a list', [], '', 'Must be an object'],
    [
      'no list of metrics',
      { resourceMetrics: [{ scopeMetrics: [{ metrics: 1 }] }] },
      '/resourceMetrics/0/scopeMetrics/0/metrics',
      'Must be a list.',
    ],
    [
      'a name that is no text',
      bodyOf([{ name: 1 }]),
      '/resourceMetrics/0/scopeMetrics/0/metrics/0/name',
      'Must be a string.',
    ],
    [
      'attributes without keys',
      { resourceMetrics: [{ resource: { attributes: [1] } }] },
      '/resourceMetrics/0/resource/attributes',
      'Must be a list of objects with a key and a value.',
    ],
  ])('are not read from %s', async (_, body, pointer, detail) => {
    const { status, body: problem } = await send(body);
    expect(status).toBe(422);
    expect(problem.errors).toEqual([
      { pointer, code: 'invalid-type', detail: expect.stringContaining(detail) },
    ]);
  });
});

describe('a body in protocol buffers', () => {
  const post = (body: Uint8Array, headers: Record<string, string> = {}) =>
    test.request('POST', PATH, { body, headers: { 'content-type': 'application/x-protobuf', ...headers } });
  const nested = (depth: number): Uint8Array => {
    // AnyValue.arrayValue (5) of values (1), again and again.
    let value: Uint8Array = new Uint8Array();
    for (let i = 0; i < depth; i += 1)
      value = new BinaryWriter()
        .tag(5, WireType.LengthDelimited)
        .fork()
        .tag(1, WireType.LengthDelimited)
        .bytes(value)
        .join()
        .finish();
    const path = [1, 1, 1, 2];
    return path.reduceRight<Uint8Array>(
      (inner, field) => new BinaryWriter().tag(field, WireType.LengthDelimited).bytes(inner).finish(),
      value,
    );
  };

  it.each([
    ['is truncated', Buffer.from([0x0a, 9, 1])],
    ['has a varint without an end', new Uint8Array(40).fill(0xff)],
    ['nests groups', new Uint8Array(20_000).fill(0x3b)],
    ['nests values', nested(200)],
  ])('that %s is answered with 400', async (_, body) => {
    const { status, body: problem } = await post(body);
    expect([status, problem.code]).toEqual([400, 'malformed-body']);
    expect(problem.detail).toMatch(/^The body is not an ExportMetricsServiceRequest in protocol buffers: /);
  });

  it('of millions of values is answered with 413', async () => {
    const body = gzipSync(Buffer.alloc(2_000_010, Buffer.from([0x0a, 0])));
    const { status, body: problem } = await post(body, { 'content-encoding': 'gzip' });
    expect([status, problem.code]).toEqual([413, 'body-too-large']);
  });

  it('is answered with 200 and no bytes if it is empty', async () => {
    const response = await fetch(`${test.url}${PATH}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/x-protobuf' },
      body: new Uint8Array(),
    });
    expect([response.status, response.headers.get('content-type'), (await response.bytes()).length]).toEqual([
      200,
      'application/x-protobuf',
      0,
    ]);
  });
});

it('rejects traces and logs with the address for metrics', async () => {
  const { status, body } = await test.request('POST', '/otlp/v1/traces', { body: {} });
  expect([status, body.detail]).toEqual([404, expect.stringContaining('POST /otlp/v1/metrics')]);
});
