import { afterAll, expect, test } from 'vitest';
import { createBodyReader } from '#service/body-reader/body-reader.ts';
import { defaultTimeRule as times } from '#service/telemetry/write/sample-time.ts';

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
    for (const { values } of rejections) counts.rejected += values;
  }
  return counts;
};

const readMessage = async (text: string) => {
  const slices = readerOfLittleMemory.readLargeMessage({
    bytes: bytesOf(text),
    device: undefined,
    pipelineDevice: 'exporter',
    times,
    nowMs: Date.now(),
  })!;
  const found = { samples: 0, reasons: [] as string[] };
  for await (const { samples, rejections } of slices) {
    found.samples += samples.length;
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

test('a write with too many lines is rejected before any line is stored', async () => {
  await expect(countWrite('ndjson', 'x\n'.repeat(700_001))).rejects.toMatchObject({ code: 'body-too-large' });
});

test('all rejected values are counted, and the first hundred of a slice are described', async () => {
  const rows = 200_000;
  const text = `ts,device,metric,value\n${'1,d,m,1\n'.repeat(rows)}`;
  const counts = await countWrite('csv', text);
  expect(counts).toMatchObject({ accepted: 0, rejected: rows });
  expect(counts.described).toBe(counts.slices * 100);
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
