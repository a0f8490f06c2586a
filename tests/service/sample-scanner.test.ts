import fc from 'fast-check';
import { expect, it } from 'vitest';
import { addWrite } from '#service/telemetry/write/read-telemetry-body.ts';
import { UnreadableBody } from '#service/telemetry/write/unreadable-body.ts';
import { SampleParser } from '#service/telemetry/write/read-samples.ts';
import { scanSamples } from '#service/telemetry/write/sample-scanner.ts';
import type { SampleReading } from '#service/telemetry/write/sample-reading.ts';
import { defaultTimeRule as times } from '#service/telemetry/write/sample-time.ts';
import { partOf, rangesOf } from '#service/telemetry/write/split-reading.ts';
import { seriesAt, valueAt } from '#service/telemetry/store/sample-columns.ts';

const valuesOf = (reading: SampleReading) =>
  Array.from(reading.index, (s, i) => {
    const { device, metric } = seriesAt(reading.series, s);
    return { sample: reading.groupOf[i], device, metric, ts: reading.ts[i], value: valueAt(reading, i) };
  });

/** What the general reader reads; undefined if it rejects the body. */
const readGenerally = (text: string, format: 'json' | 'ndjson') => {
  const parser = new SampleParser(times);
  try {
    for (const _ of addWrite({ bytes: new TextEncoder().encode(text), format, times }, () => parser))
      continue;
  } catch (error) {
    if (error instanceof UnreadableBody) return undefined;
    throw error;
  }
  return parser.reading();
};

const expectSame = (text: string, format: 'json' | 'ndjson'): boolean => {
  const scanned = scanSamples(text, format, times);
  if (scanned === undefined) return false;
  const read = readGenerally(text, format);
  expect(read?.rejections).toEqual([]);
  expect(valuesOf(scanned)).toEqual(valuesOf(read!));
  return true;
};

const usualValue = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.boolean(),
  fc.constantFrom('on', '', 'ü 🙂'),
);
const name = fc.constantFrom('temperature', 'a', 'b.c', 'é');
const sample = fc.record(
  {
    device: fc.constantFrom('boiler', 'd-1', 'd:2'),
    ts: fc.oneof(
      fc.integer({ min: 946_684_800, max: 4e9 }),
      fc.integer({ min: 946_684_800_000, max: 4e12 }),
      fc.constantFrom(1_700_000_000.25, '2026-03-01T10:00:00Z', '1700000000'),
    ),
    values: fc.dictionary(name, usualValue, { minKeys: 1 }),
  },
  { requiredKeys: ['device', 'values'] },
);
/** With the timestamp before or after the values. */
const ordered = fc
  .tuple(sample, fc.boolean())
  .map(([{ device, ts, values }, isLast]) =>
    ts === undefined ? { device, values } : isLast ? { device, values, ts } : { ts, device, values },
  );
const samples = fc.array(ordered, { minLength: 1, maxLength: 8 });

it('reads samples of the usual form as the general reader does', () => {
  fc.assert(
    fc.property(samples, fc.constantFrom('', ' ', '\t'), (list, indent) => {
      expect(expectSame(JSON.stringify({ samples: list }, null, indent), 'json')).toBe(true);
      expect(expectSame(list.map((each) => JSON.stringify(each)).join('\n'), 'ndjson')).toBe(true);
    }),
    { numRuns: 500 },
  );
});

const fragments = [
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"',
  '\\',
  '\n',
  ' ',
  '-',
  '.',
  'e',
  '0',
  '1',
  '01',
  '1.',
  '.5',
  '1e999',
  '-0',
  '00',
  'null',
  'true',
  'tru',
  '"\\u0041"',
  '"device"',
  '"ts"',
  '"values"',
  '"samples"',
  '"__proto__"',
  '"constructor"',
  '"1"',
  '"a"',
  '"a b"',
  '"device":"d"',
  '"ts":1',
  '"ts":null',
  '"values":{}',
  '"x":1',
  '{"a":1}',
  '\u0000',
  '\ud800',
  '\ufeff',
];

it('reads no other text differently than the general reader', () => {
  const edit = fc.record({
    at: fc.nat(400),
    length: fc.nat(6),
    insert: fc.oneof(fc.constantFrom(...fragments), fc.constant('')),
  });
  let scanned = 0;
  fc.assert(
    fc.property(
      samples,
      fc.array(edit, { minLength: 1, maxLength: 3 }),
      fc.constantFrom('json', 'ndjson'),
      (list, edits, format) => {
        let text =
          format === 'json'
            ? JSON.stringify({ samples: list })
            : list.map((each) => JSON.stringify(each)).join('\n');
        for (const { at, length, insert } of edits) {
          const position = at % (text.length + 1);
          text = text.slice(0, position) + insert + text.slice(position + length);
        }
        if (expectSame(text, format)) scanned += 1;
      },
    ),
    { numRuns: 5_000 },
  );
  expect(scanned).toBeGreaterThan(100);
});

it.each([
  ['a field twice', '{"device":"d","device":"d","values":{"a":1}}'],
  ['a name without its colon', '{"device":"d","device""values":{"a":1}}'],
  ['a metric twice', '{"device":"d","values":{"a":1,"a":2}}'],
  ['a name that parsing would reorder', '{"device":"d","values":{"b":1,"1":2}}'],
  ['a forbidden name', '{"device":"d","values":{"constructor":1}}'],
  ['a number that is too large', '{"device":"d","values":{"a":1e999}}'],
  ['an implausible time', '{"device":"d","ts":12,"values":{"a":1}}'],
  ['no values', '{"device":"d","values":{}}'],
  ['another field', '{"device":"d","unit":"C","values":{"a":1}}'],
  ['an escape', '{"device":"d","values":{"a":"\\n"}}'],
])('leaves a sample with %s to the general reader', (_, text) => {
  expect(scanSamples(`{"samples":[${text}]}`, 'json', times)).toBeUndefined();
  expect(scanSamples(text, 'ndjson', times)).toBeUndefined();
});

it('the parts of a reading have its samples, and begin with a group', () => {
  const list = Array.from({ length: 12_000 }, (_, i) => ({
    device: `d${i % 3_000}`,
    values: { a: i, b: `text ${i}` },
  }));
  const reading = scanSamples(JSON.stringify({ samples: list }), 'json', times)!;
  const parts = rangesOf(reading).map((range) => partOf(reading, range));
  // Each but the last has one device more than it may have.
  expect(parts.map(({ series }) => series.devices.length)).toEqual([...Array(11).fill(1_001), 989]);
  expect(parts.flatMap(valuesOf)).toEqual(valuesOf(reading));
  for (const { groupOf } of parts) {
    expect(groupOf.indexOf(groupOf[0]!, 1)).toBe(1);
  }
});
