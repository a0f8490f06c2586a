import fc from 'fast-check';
import { expect, test } from 'vitest';
import { deviceStates } from '#contract/device-filter.ts';
import { devicePageToJson } from '#service/devices/device-json.ts';
import { deviceOf, newDeviceRow } from '#service/devices/device-store.ts';

const text = fc.string({ unit: 'binary' });
const time = fc.integer({ min: 1, max: 8_640_000_000_000_000 });
const seconds = fc.integer({ min: 1, max: 604_800 });

test('a device has the same JSON in a list as alone', () => {
  const fields = fc.record({
    name: text,
    type: text,
    description: text,
    notes: text,
    tags: fc.dictionary(text, text),
    expectedInterval: fc.option(seconds, { nil: undefined }),
  });
  const stored = fc.record({
    state: fc.constantFrom(...deviceStates),
    learned_interval: fc.option(seconds),
    last_seen_at: fc.oneof(fc.constant(0), time),
    updated_at: time,
  });
  const devices = fc.array(
    fc.tuple(fields, text, stored, time).map(([device, externalId, change, nowMs]) => ({
      ...newDeviceRow(device, externalId, nowMs),
      ...change,
    })),
    { maxLength: 3 },
  );
  const page = fc.record(
    { rows: devices, nextCursor: fc.option(text), total: fc.nat() },
    { requiredKeys: ['rows', 'nextCursor'] },
  );
  fc.assert(
    fc.property(page, ({ rows, ...others }) => {
      const alone = JSON.stringify({ data: rows.map(deviceOf), ...others });
      expect(devicePageToJson({ rows, ...others })).toBe(alone);
    }),
  );
});
