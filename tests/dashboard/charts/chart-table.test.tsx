import { cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ChartTable } from '#dashboard/charts/chart-table.tsx';
import { createLiveWindow } from '#dashboard/charts/live/live-window.ts';
import type { ChartSeries } from '#dashboard/charts/series/series.ts';

const noon = Date.UTC(2026, 10, 21, 12);
const temperature: ChartSeries = {
  id: 't',
  label: 'Temperature',
  unit: '°C',
  colour: 1,
  kind: 'number',
  columns: { ts: [noon - 2_000, noon - 1_000], value: [20.5, 21] },
};
const door: ChartSeries = {
  id: 'd',
  label: 'Door',
  unit: null,
  colour: 2,
  kind: 'string',
  columns: { ts: [noon - 1_000], value: ['open'] },
};
const buckets: ChartSeries = {
  ...temperature,
  columns: { bucketMs: 60_000, ts: [noon - 60_000], avg: [20], min: [18], max: [22], count: [60] },
};

const combined: ChartSeries = {
  ...temperature,
  columns: { bucketMs: 60_000, ts: [noon - 60_000], avg: [20] },
};

const print = window.matchMedia('print');
/** A window that is narrower than any breakpoint. */
const narrow = (query: string): MediaQueryList =>
  Object.assign({}, print, { matches: query.includes('width <') });
afterEach(() => vi.restoreAllMocks());

const show = (series: ChartSeries[], limit?: number) =>
  render(
    <ChartTable
      series={series}
      time={{ fromMs: noon - 3_600_000, toMs: noon, timeZone: 'utc' }}
      label="Boiler"
      {...(limit === undefined ? {} : { limit })}
    />,
  );
const cells = () =>
  screen
    .getAllByRole('row')
    .slice(1)
    .map((row) =>
      within(row)
        .getAllByRole('cell')
        .map((cell) => cell.textContent),
    );

describe('the table of a chart', () => {
  it('has a row for each time, the latest first, and a column for each series with its unit', () => {
    show([temperature, door]);
    expect(screen.getAllByRole('columnheader').map((header) => header.textContent)).toEqual([
      'Time',
      'Temperature (°C)',
      'Door',
    ]);
    expect(cells()).toEqual([
      ['21', 'open'],
      ['20.5', '–'],
    ]);
    expect(screen.getAllByRole('rowheader')[0]?.textContent).toContain('11:59:59');
  });

  it('says how many rows it leaves out', () => {
    show([temperature], 1);
    expect(cells()).toEqual([['21']]);
    expect(screen.getByText(/latest 1 of 2 rows/u)).toBeDefined();
  });

  it('shows the range of a bucket', () => {
    show([buckets]);
    expect(cells()).toEqual([['20 (18–22)']]);
    expect(screen.getByText(/mean of 1 min, with the lowest and highest/u)).toBeDefined();
  });

  it('gives the second of buckets that do not begin with a minute', () => {
    show([{ ...buckets, columns: { bucketMs: 86_487, ts: [noon - 86_487], avg: [20] } }]);
    expect(screen.getByRole('rowheader').textContent).toBe('Nov 21, 2026, 11:58:33');
  });

  it('does not speak of ranges that are not known', () => {
    show([combined]);
    expect(cells()).toEqual([['20']]);
    expect(screen.queryByText(/lowest and highest/u)).toBeNull();
  });

  it('has on a phone a row for each value below its time, named by its series', () => {
    vi.spyOn(window, 'matchMedia').mockImplementation(narrow);
    show([buckets, door]);
    expect(screen.queryByRole('columnheader')).toBeNull();
    const groups = screen.getAllByRole('rowgroup').map((group) =>
      within(group)
        .getAllByRole('row')
        .map((row) => row.textContent),
    );
    expect(groups).toEqual([
      ['Nov 21, 2026, 11:59:59', 'Dooropen'],
      ['Nov 21, 2026, 11:59:00', 'Temperature (°C)20 (18–22)'],
    ]);
    cleanup();
    show([buckets]);
    expect(screen.getByRole('columnheader', { name: 'Temperature (°C)' })).toBeDefined();
  });

  it('keeps its rows in live mode while the pointer is on them', async () => {
    const live = createLiveWindow({ windowMs: 3_600_000 });
    const tableAt = (toMs: number) => (
      <ChartTable
        series={[temperature]}
        time={{ fromMs: toMs - 3_600_000, toMs, timeZone: 'utc', live }}
        label="Boiler"
      />
    );
    const { rerender } = render(tableAt(noon - 1_500));
    const first = screen.getByRole('rowheader');
    fireEvent.pointerEnter(screen.getByRole('table'));
    rerender(tableAt(noon));
    expect(cells()).toEqual([['20.5']]);
    fireEvent.pointerLeave(screen.getByRole('table'));
    await waitFor(() => expect(cells()).toEqual([['21'], ['20.5']]));
    // The rows show other times, and do not move.
    expect(screen.getAllByRole('rowheader')[0]).toBe(first);
    live.clear();
  });

  it('says that there is no data', () => {
    show([]);
    expect(screen.getByText('No data in this range.')).toBeDefined();
  });
});
