import { afterAll, expect, test } from 'vitest';
import { createBodyReader } from '#service/body-reader/body-reader.ts';
import type { MessageSlice } from '#service/pipelines/formats/message-columns.ts';
import { defaultTimeRule as times } from '#service/telemetry/write/sample-time.ts';
import { snappy, writeRequest } from './remote-write-body.ts';

const MIB = 1_048_576;
const reader = createBodyReader();
const readerOfLittleMemory = createBodyReader({ heapMb: 24 });
afterAll(() => Promise.all([reader.close(), readerOfLittleMemory.close()]));

const bytesOf = (text: string) => new TextEncoder().encode(text);
const lines = (bytes: number, line: (n: number) => string): string => {
  const pieces: string[] = [];
  for (let [n, length] = [0, 0]; length < bytes; n += 1) {
    const next = `${line(n)}\n`;
    pieces.push(next);
    length += next.length;
  }
  return pieces.join('');
};

/** Reads a write that is too large for the main thread, and counts its values. */
const countWrite = async (format: 'json' | 'ndjson' | 'csv', text: string, from = reader) => {
  const counts = { slices: 0, accepted: 0, rejected: 0, described: 0 };
  for await (const { index, rejections } of from.readLargeWrite({ bytes: bytesOf(text), format, times })!) {
    counts.slices += 1;
    counts.accepted += index.length;
    counts.described += rejections.length;
    for (const { samples } of rejections) counts.rejected += samples;
  }
  return counts;
};

const readSlices = (text: string, from = reader) =>
  from.readLargeMessage({
    bytes: bytesOf(text),
    device: undefined,
    topic: null,
    pipelineDevice: 'exporter',
    times,
    nowMs: Date.now(),
  })!;

const collectSlices = async (text: string): Promise<MessageSlice[]> => {
  const slices: MessageSlice[] = [];
  for await (const slice of readSlices(text)) slices.push(slice);
  return slices;
};

const readMessage = async (text: string) => {
  const slices = readSlices(text, readerOfLittleMemory);
  const found = { samples: 0, reasons: [] as string[] };
  for await (const { reading, rejections } of slices) {
    found.samples += reading?.index.length ?? 0;
    found.reasons.push(...rejections.map(({ reason }) => reason));
  }
  return found;
};

test('a message that needs more memory than its process has is rejected, and the next one is read', async () => {
  const hostile = lines(6 * MIB, (n) => `metric{label="${n}"} 1`);
  expect(await readMessage(hostile)).toEqual({ samples: 0, reasons: ['too-large'] });
  const usual = lines(1.1 * MIB, (n) => `metric_of_the_exporter_number_${n % 500}_with_a_long_name{} 1`);
  expect((await readMessage(usual)).reasons).not.toContain('too-large');
});

test('a message becomes slices of columns that end with a group, with the metrics that they use', async () => {
  const sample = (n: number) =>
    `{"device":"d-${n % 7}","ts":${1_700_000_000_000 + n},"values":{"a":1,"b_${n}":2}}`;
  const text = `[${Array.from({ length: 6_000 }, (_, n) => sample(n)).join(',')}]`;
  const slices = await collectSlices(text);
  expect(slices.length).toBeGreaterThan(1);
  const groups = slices.map(({ reading }) => new Set(reading!.groupOf));
  // The metric that all groups have, and one of its own for each.
  expect(slices.map(({ reading }) => reading!.series.metrics.length)).toEqual(
    groups.map(({ size }) => 1 + size),
  );
  expect(groups.reduce((sum, { size }) => sum + size, 0)).toBe(6_000);
  expect(new Set(groups.flatMap((indexes) => [...indexes])).size).toBe(6_000);
});

test('samples that contradict each other are found across the slices of a message', async () => {
  const sample = (n: number, value: number) =>
    `{"device":"d","ts":${1_700_000_000_000 + n},"values":{"a":${value}}}`;
  const count = 120_000;
  const text = `[${Array.from({ length: count }, (_, n) => sample(n, 1)).join(',')},${sample(0, 2)}]`;
  const slices = await collectSlices(text);
  expect(slices.reduce((sum, { reading }) => sum + reading!.index.length, 0)).toBe(count - 1);
  expect(slices.flatMap(({ rejections }) => rejections)).toMatchObject([
    { reason: 'ts-collision', detail: expect.stringContaining('a of d at'), samples: 2 },
  ]);
});

test('a write with too many lines is rejected before any line is stored', async () => {
  await expect(countWrite('ndjson', 'x\n'.repeat(700_001))).rejects.toMatchObject({ code: 'body-too-large' });
});

test('all rejected samples are counted, and the first hundred of a slice are described', async () => {
  const rows = 200_000;
  const text = `ts,device,metric,value\n${'1,d,m,1\n'.repeat(rows)}`;
  const counts = await countWrite('csv', text);
  expect(counts).toMatchObject({ accepted: 0, rejected: rows });
  expect(counts.described).toBe(counts.slices * 100);
});

test('a slice of a write holds 5,000 samples, 5,000 series and 1,000 devices', async () => {
  const csv = (samples: number, devices: number) => {
    const row = (n: number) => `${1_700_000_000_000 + n},${'d'.repeat(90)}-${n % devices},m,1\n`;
    return countWrite(
      'csv',
      `ts,device,metric,value\n${Array.from({ length: samples }, (_, n) => row(n)).join('')}`,
    );
  };
  expect(await csv(5_000, 1_000)).toMatchObject({ slices: 1, accepted: 5_000 });
  expect(await csv(5_001, 1_000)).toMatchObject({ slices: 2, accepted: 5_001 });
  expect(await csv(1_002, 1_002)).toMatchObject({ slices: 2, accepted: 1_002 });
  const json = (series: number) => {
    const sample = (n: number) =>
      `{"device":"d","ts":${1_700_000_000_000 + n},"values":{"metric_${n % series}":1}}`;
    return countWrite(
      'json',
      `{"samples":[${Array.from({ length: 6_000 }, (_, n) => sample(n)).join(',')}]}`,
    );
  };
  expect(await json(5_000)).toMatchObject({ slices: 1, accepted: 6_000 });
  expect(await json(5_001)).toMatchObject({ slices: 2, accepted: 6_000 });
});

test('each of 100,000 metrics of one device is read', async () => {
  const sample = (n: number) => `{"device":"d","values":{"metric_${n}":1}}`;
  const text = `{"samples":[${Array.from({ length: 100_000 }, (_, n) => sample(n)).join(',')}]}`;
  expect(await countWrite('json', text)).toMatchObject({ accepted: 100_000, rejected: 0 });
});

test('a process that cannot be started only fails its own body', async () => {
  const broken = createBodyReader();
  const { execPath } = process;
  process.execPath = '/nowhere/node';
  try {
    await expect(countWrite('csv', 'x'.repeat(2 * MIB), broken)).rejects.toThrow('ENOENT');
  } finally {
    process.execPath = execPath;
    await broken.close();
  }
});

test('the size of a remote write after decompression decides who reads it', async () => {
  const sample = [1, Date.now()] as const;
  const requestOf = (count: number) =>
    writeRequest([
      { labels: { __name__: 'up', host: 'pi' }, samples: Array.from({ length: count }, () => sample) },
    ]);
  const slicesOf = (request: Uint8Array) => {
    const format = {
      format: 'remote-write',
      deviceLabels: ['host'],
      uncompressedBytes: request.length,
    } as const;
    return reader.readLargeWrite({ ...format, bytes: snappy(request), times: { ...times, unit: 'ms' } });
  };
  const large = requestOf(40_000);
  expect(snappy(large).length).toBeLessThan(large.length / 10);
  expect(slicesOf(requestOf(10))).toBeUndefined();
  let samples = 0;
  for await (const { index } of slicesOf(requestOf(4_000))!) samples += index.length;
  for await (const { index } of slicesOf(large)!) samples += index.length;
  expect(samples).toBe(44_000);
});
