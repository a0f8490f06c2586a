import { expect, test } from 'vitest';
import type { NumberSeries } from '#dashboard/charts/series/series.ts';
import { withLineLabels } from '#dashboard/pages/telemetry/line-labels.ts';

const series = (device: string, metric: string, more: Partial<NumberSeries> = {}): NumberSeries => ({
  id: `${device}/${metric}`,
  label: `${device} · ${metric}`,
  deviceName: device,
  unit: null,
  colour: 1,
  kind: 'number',
  columns: { ts: [], value: [] },
  ...more,
});
const labelsOf = (all: readonly NumberSeries[]) =>
  withLineLabels(all).map(({ label, lineLabel = label }) => lineLabel);

test('lines of one metric are labelled by their devices only', () => {
  const kiln = series('Kiln 1', 'heat');
  const before = series('Kiln 1', 'heat', {
    id: 'Kiln 1/heat~day',
    comparisonOf: kiln.id,
    deviceName: 'Kiln 1, a day earlier',
  });
  expect(labelsOf([kiln, before, series('Kiln 2', 'heat')])).toEqual([
    'Kiln 1',
    'Kiln 1, a day earlier',
    'Kiln 2',
  ]);
});

test('lines of several metrics keep their full labels', () => {
  expect(labelsOf([series('Kiln 1', 'heat'), series('Kiln 1', 'flow')])).toEqual([
    'Kiln 1 · heat',
    'Kiln 1 · flow',
  ]);
});
