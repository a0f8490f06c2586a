import { beforeEach, expect, test } from 'vitest';
import { createRejectingDevices } from '#service/pipelines/ingest/rejecting-devices.ts';

let nowMs: number;
let devices: ReturnType<typeof createRejectingDevices>;
beforeEach(() => {
  nowMs = 1_795_253_400_000;
  devices = createRejectingDevices(() => nowMs);
});
const record = (
  device: string,
  samples: number,
  rejected: number,
  { reason = 'not-a-number', isAfterAccepted = false } = {},
) =>
  devices.record('pip_1', device, {
    isAfterAccepted,
    atMs: nowMs,
    samples,
    rejected,
    rejections: rejected === 0 ? [] : [{ reason, detail: '', samples: rejected }],
  });
const names = () => devices.list().map(({ device }) => device);

test('a device with a third of its samples rejected is listed, one with a quarter is not', () => {
  for (let message = 0; message < 30; message += 1) {
    record('third', 3, 1);
    record('quarter', 4, 1);
  }
  expect(names()).toEqual(['third']);
  expect(devices.list()[0]).toMatchObject({ rejected: 30, reason: 'not-a-number' });
});

test('the samples of each reason are counted apart', () => {
  record('plug', 13, 13, { reason: 'ts-too-far-ahead' });
  nowMs += 60_000;
  record('plug', 1, 1, { reason: 'invalid-json' });
  expect(devices.list()).toMatchObject([
    { reason: 'invalid-json', rejected: 1, otherwiseRejected: 13, sinceMs: nowMs },
  ]);
});

test('two accepted messages after a rejected first one end the listing, and six after many rejected ones', () => {
  const acceptedUntilUnlisted = (device: string) => {
    let accepted = 0;
    for (; names().includes(device); accepted += 1) record(device, 1, 0);
    return accepted;
  };
  record('blip', 1, 1);
  expect(acceptedUntilUnlisted('blip')).toBe(2);
  for (let message = 0; message < 30; message += 1) record('faulty', 1, 1);
  expect(acceptedUntilUnlisted('faulty')).toBe(6);
});

test('one rejected message after accepted ones does not list a device, a second one does', () => {
  record('pump-1', 1, 1, { isAfterAccepted: true });
  expect(names()).toEqual([]);
  record('pump-1', 1, 1);
  expect(names()).toEqual(['pump-1']);
});

test('a device is forgotten a day after its last rejection, however many others are rejected', () => {
  record('silent', 1, 1);
  nowMs += 43_200_000;
  record('sending', 1, 1);
  nowMs += 43_200_000;
  expect(names()).toEqual(['sending']);
});

test('a name that no device can have is not recorded, however long', () => {
  for (const name of ['W'.repeat(250_000), 'a\0b', '']) record(name, 1, 1);
  record('pump-1', 1, 1);
  expect(names()).toEqual(['pump-1']);
});

test('many names in hostile messages replace the devices with the oldest rejections', () => {
  record('first', 1, 1);
  record('second', 1, 1);
  for (let name = 0; name < 9_998; name += 1) record(`hostile-${name}`, 1, 1);
  record('first', 1, 1);
  record('one-more', 1, 1);
  expect(names()).toHaveLength(10_000);
  expect(names()).toContain('first');
  expect(names()).not.toContain('second');
});
