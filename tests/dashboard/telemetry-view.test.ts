import {
  array,
  assert,
  constantFrom,
  double,
  integer,
  oneof,
  option,
  property,
  record,
  string,
  tuple,
  uniqueArray,
} from 'fast-check';
import { expect, test } from 'vitest';
import { acrossFunctions, rankRules } from '#contract/across.ts';
import { comparisons } from '#dashboard/pages/telemetry/chart-options.ts';
import type { ChosenDisplay } from '#dashboard/pages/telemetry/device-display.ts';
import {
  ignoredParams,
  readView,
  writeView,
  type TelemetryView,
} from '#dashboard/pages/telemetry/telemetry-view.ts';
import { shownAs } from '#dashboard/resources/telemetry/counters.ts';
import { ranges } from '#dashboard/resources/telemetry/time-range.ts';

const id = integer({ min: 0, max: 9_999 }).map(
  (n) => `dev_01jz3k5v8cf6n9qw2r4t7y${String(n).padStart(4, '0')}`,
);
const text = string({ minLength: 1 });
const stretch = record({ fromMs: integer(), widthMs: integer({ min: 1 }) }).map(({ fromMs, widthMs }) => ({
  fromMs,
  toMs: fromMs + widthMs,
}));
const view = record<TelemetryView>({
  devices: uniqueArray(id),
  tags: uniqueArray(text.map((value) => `site:${value}`)),
  types: uniqueArray(string({ minLength: 1, maxLength: 64 })),
  display: option(
    oneof(
      constantFrom<ChosenDisplay>(...acrossFunctions.map((across) => ({ is: 'across' as const, across }))),
      record({
        is: constantFrom('top' as const),
        top: integer({ min: 1, max: 100 }),
        by: constantFrom(...rankRules),
      }),
    ),
  ),
  metrics: option(uniqueArray(text)),
  range: constantFrom(...ranges.map(({ value }) => value)),
  fixedRange: option(stretch),
  shows: constantFrom('chart', 'table'),
  hidden: uniqueArray(text),
  only: option(text),
  compare: option(constantFrom(...comparisons)),
  shownAs: uniqueArray(tuple(text, constantFrom(...shownAs)), {
    selector: ([metric]) => metric,
  }).map((pairs) => new Map(pairs)),
  lines: array(
    record({
      metric: text.filter((name) => !name.includes(',')),
      value: double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
      label: string({ maxLength: 60 }),
    }),
    { maxLength: 8 },
  ),
  zone: constantFrom('utc', 'local', null),
});

test('the URL of a view reads back as the same view', () => {
  assert(
    property(view, (written) => {
      const address = writeView(new URLSearchParams('kept=1'), written).toString();
      expect(readView(new URLSearchParams(address))).toEqual(written);
      expect(address).toContain('kept=1');
    }),
  );
});

test('the URL of a view has no value that is ignored', () => {
  assert(
    property(view, (written) => {
      expect(ignoredParams(writeView(new URLSearchParams(), written))).toEqual([]);
    }),
  );
});

test('parameters that the page does not know are kept, whatever their names', () => {
  const names = ['__proto__', '__defineGetter__', 'hasOwnProperty', 'constructor', 'kept'];
  expect(ignoredParams(new URLSearchParams(names.map((name) => [name, '1'])))).toEqual([]);
});

test('any URL reads as a view whose URL reads the same', () => {
  const name = oneof(
    constantFrom(
      'device',
      'tag',
      'type',
      'across',
      'top',
      'by',
      'metric',
      'range',
      'from',
      'to',
      'view',
      'hide',
      'only',
      'compare',
      'as',
      'line',
      'zone',
    ),
    text,
  );
  assert(
    property(array(record({ name, value: string() })), (pairs) => {
      const read = readView(new URLSearchParams(pairs.map(({ name, value }) => [name, value])));
      expect(readView(writeView(new URLSearchParams(), read))).toEqual(read);
    }),
  );
});
