import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { LIMITS } from '#contract/sample-rules.ts';
import { createIngest, type Accepted, type Ingest } from '#service/telemetry/write/ingest-samples.ts';
import type { Sender } from '#service/devices/sender.ts';
import type { ResolvedDevice } from '#service/devices/device-registry.ts';
import { readSamples } from '#service/telemetry/write/read-samples.ts';
import { epochMsRule } from '#service/telemetry/write/sample-time.ts';
import { openSqliteTelemetryStore } from '#service/telemetry/store/embedded/sqlite-telemetry-store.ts';
import type { TelemetryStore } from '#service/telemetry/store/telemetry-store.ts';

const NOW = Date.UTC(2026, 10, 21);
const sender: Sender = { actor: null, devices: null, onUnknownDevice: 'register' };

let dataDir: string;
let store: TelemetryStore;
let ingest: Ingest;
let accepted: Accepted[] = [];
let asked: (readonly string[])[] = [];

/** `gone…` is rejected; a name and its id in capitals are the same device. */
const resolveDevices = async (names: readonly string[]) => {
  asked.push(names);
  return new Map(
    names.map((name): [string, ResolvedDevice] => [
      name,
      name.startsWith('gone')
        ? { reason: 'device-deleted', detail: 'It was deleted.' }
        : { id: `dev_${name.toUpperCase()}`, externalId: name.toLowerCase() },
    ]),
  );
};

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'penstock-ingest-'));
  store = await openSqliteTelemetryStore(dataDir);
  ingest = createIngest({
    store,
    resolveDevices,
    onAccepted: (what) => void accepted.push(what),
    clock: () => NOW,
    metricsPerDevice: 10_000,
  });
});
afterAll(async () => {
  await store.close();
  rmSync(dataDir, { recursive: true, force: true });
});
beforeEach(() => {
  [accepted, asked] = [[], []];
});

let devices = 0;
const freshDevice = () => `device-${(devices += 1)}`;
const accept = (...samples: unknown[]) => ingest.accept(readSamples(samples, epochMsRule), sender);

it('returns the outcome of each sample, the seen devices and the stored samples', async () => {
  const device = freshDevice();
  const id = `dev_${device.toUpperCase()}`;
  await accept({ device, ts: 1, values: { temp: 20, mode: 'eco' } });
  accepted = [];
  const report = await accept(
    { device, ts: 1, values: { temp: 20 } },
    { device: device.toUpperCase(), ts: 1, values: { mode: 'off' } },
    { device, ts: 2, values: { temp: 21, mode: 7, broken: null } },
    { device: 'gone-1', ts: 2, values: { a: 1, b: 2 } },
  );
  expect(report).toEqual({
    received: 7,
    accepted: 2,
    overwritten: 1,
    duplicates: 1,
    newByGroup: new Map(),
    overwrittenByGroup: new Map([[1, 1]]),
    overwrites: [{ device: id, metric: 'mode', count: 1, index: 1, ts: 1, before: 'eco', after: 'off' }],
    rejected: 4,
    seenDevices: [id],
    rejections: [
      expect.objectContaining({
        code: 'invalid-value',
        pointer: '/samples/2/values/broken',
        index: 2,
        samples: 1,
      }),
      expect.objectContaining({
        code: 'kind-mismatch',
        pointer: '/samples/2/values/mode',
        index: 2,
        samples: 1,
      }),
      expect.objectContaining({ code: 'device-deleted', pointer: '/samples/3/device', index: 3, samples: 2 }),
    ],
  });
  expect(accepted).toEqual([
    {
      at: NOW,
      seenDevices: [id],
      registered: [],
      stored: 2,
      series: [
        { device: id, metric: 'mode', kind: 'string', ts: [1], value: ['off'] },
        { device: id, metric: 'temp', kind: 'number', ts: [2], value: [21] },
      ],
      routed: 0,
      samplesByDevice: new Map([[id, 4]]),
      isLive: true,
    },
  ]);
});

it('counts two names of one device as one', async () => {
  const device = freshDevice();
  const name = device.toUpperCase();
  const report = await accept(
    { device: name, ts: 1, values: { temp: 1 } },
    { device, ts: 5, values: { temp: 2, other: 1 } },
    { device: name, ts: 5, values: { temp: 3 } },
  );
  expect(report).toMatchObject({ accepted: 4, overwritten: 1, seenDevices: [`dev_${name}`] });
});

it('stamps a sample without a timestamp with the time of receipt', async () => {
  const device = freshDevice();
  await accept({ device, values: { temp: 1 } });
  expect(accepted[0]?.series[0]?.ts).toEqual([NOW]);
});

it('rejects a sample that is more than ten minutes ahead', async () => {
  const device = freshDevice();
  const report = await accept(
    { device, ts: NOW + LIMITS.aheadMs, values: { a: 1 } },
    { device, ts: NOW + LIMITS.aheadMs + 1, values: { a: 1, b: 2 } },
  );
  expect(report).toMatchObject({
    accepted: 1,
    rejected: 2,
    rejections: [{ code: 'ts-too-far-ahead', pointer: '/samples/1/ts', samples: 2 }],
  });
});

it('resolves each device once', async () => {
  const [a, b] = [freshDevice(), freshDevice()];
  await accept(...[a, b, a, a].map((device, ts) => ({ device, ts, values: { x: 1, y: 2 } })));
  expect(asked).toEqual([[a, b]]);
});

it('marks a device as seen that only sends duplicates', async () => {
  const device = freshDevice();
  await accept({ device, ts: 1, values: { x: 1 } });
  accepted = [];
  await accept({ device, ts: 1, values: { x: 1 } });
  expect(accepted).toEqual([
    {
      at: NOW,
      seenDevices: [`dev_${device.toUpperCase()}`],
      registered: [],
      stored: 0,
      series: [],
      routed: 0,
      samplesByDevice: new Map([[`dev_${device.toUpperCase()}`, 1]]),
      isLive: true,
    },
  ]);
});

it('neither writes nor publishes if all samples are rejected', async () => {
  const report = await accept({ device: 'gone-2', values: { x: 1 } }, 'nonsense');
  expect(report).toMatchObject({ received: 2, accepted: 0, rejected: 2, seenDevices: [] });
  expect(accepted).toEqual([]);
  expect(await accept()).toMatchObject({ received: 0, rejected: 0 });
});

it('always balances: received = accepted + duplicates + rejected', async () => {
  const sample = fc.record({
    device: fc.constantFrom('a', 'A', 'gone', 'b c'),
    ts: fc.constantFrom(1, 2, 'soon', NOW * 2),
    values: fc.dictionary(
      fc.constantFrom('x', 'y', 'z z'),
      fc.constantFrom<unknown>(1, 2, 'text', true, null),
    ),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(sample, { maxLength: 12 }), async (samples) => {
      const report = await accept(...samples);
      const rejected = report.rejections.reduce((sum, { samples }) => sum + samples, 0);
      expect(report.rejected).toBe(rejected);
      expect(report.received).toBe(report.accepted + report.duplicates + report.rejected);
      expect(report.overwritten).toBeLessThanOrEqual(report.accepted);
      const again = await accept(...samples);
      expect([again.received, again.rejected]).toEqual([report.received, report.rejected]);
    }),
    { numRuns: 100 },
  );
});

it('stores samples without their unit if it is not a short text of visible characters', async () => {
  const device = freshDevice();
  const stated = ['°C', 'a\0b', 'W'.repeat(33), 'a\u200bb', '', Object.prototype.toString];
  const units = new Map(stated.map((unit, n) => [`${device}/m${n}`, unit as string]));
  const values = Object.fromEntries(stated.map((_, n) => [`m${n}`, n]));
  await ingest.accept(readSamples([{ device, values }], epochMsRule), { ...sender, units });
  const stored = await store.metrics([`dev_${device.toUpperCase()}`]);
  expect(Object.fromEntries(stored.map(({ metric, unit }) => [metric, unit]))).toEqual({
    m0: '°C',
    m1: null,
    m2: null,
    m3: null,
    m4: null,
    m5: null,
  });
});
