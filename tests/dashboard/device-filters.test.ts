import { expect, test } from 'vitest';
import { deviceColumns } from '#dashboard/pages/devices/device-columns.tsx';
import { isFiltered, readFilters, readSort, sortParam } from '#dashboard/pages/devices/device-filters.ts';
import { readView, writeView } from '#dashboard/pages/device/device-view.ts';
import { withParams } from '#dashboard/ui/browser/with-params.ts';
import { fitColumns } from '#dashboard/ui/table/fitting-columns.ts';

const read = (query: string) => readFilters(new URLSearchParams(query));

test('filters are read from the URL, and unknown ones are ignored', () => {
  expect(read('')).toEqual({ sort: 'name' });
  expect(read('q=+boil+&state=online&state=late&type=pump&tag=site:north&sort=-lastSeenAt')).toEqual({
    q: 'boil',
    state: ['online', 'late'],
    type: ['pump'],
    tag: ['site:north'],
    sort: '-lastSeenAt',
  });
  expect(read('state=broken&sort=colour&q=')).toEqual({ sort: 'name' });
  expect(read('silentFor=3600&withoutTag=site')).toEqual({
    silentFor: 3_600,
    withoutTag: ['site'],
    sort: 'name',
  });
  expect(read('silentFor=-1&withoutTag=')).toEqual({ sort: 'name' });
  expect(read('state=late&tag=broken&tag=a:1&type=pump')).toEqual({
    state: ['late'],
    tag: ['a:1'],
    type: ['pump'],
    sort: 'name',
  });
  const tags = Array.from({ length: 12 }, (_, index) => `k:${index}`);
  const many = new URLSearchParams([['q', 'x'.repeat(300)], ...tags.map((tag) => ['tag', tag])]);
  expect(readFilters(many)).toEqual({ q: 'x'.repeat(200), tag: tags.slice(0, 10), sort: 'name' });
  expect(isFiltered(read('sort=-name'))).toBe(false);
  expect(isFiltered(read('type=pump'))).toBe(true);
});

test('a parameter is changed without touching the others, and the default order is not written', () => {
  const params = new URLSearchParams('q=a&tag=x:1&tag=y:2');
  expect(withParams(params, { tag: ['x:1'] }).toString()).toBe('q=a&tag=x%3A1');
  expect(withParams(params, { q: '' }).toString()).toBe('tag=x%3A1&tag=y%3A2');
  expect(sortParam({ by: 'name', isDescending: false })).toBe('');
  expect(sortParam({ by: 'name', isDescending: true })).toBe('-name');
  expect(readSort(new URLSearchParams('sort=-name'))).toEqual({ by: 'name', isDescending: true });
});

test('the URL of a device view reads back as the same view', () => {
  const views = [
    { zoom: null, range: '1h', isLive: true, metrics: null },
    { zoom: null, range: '7d', isLive: false, metrics: ['a b', 'c&d'] },
    { zoom: { fromMs: 1_000, toMs: 2_000 }, range: '24h', isLive: false, metrics: [] },
  ] as const;
  for (const view of views) {
    expect(readView(writeView(new URLSearchParams('edit=open'), view))).toEqual(view);
  }
  expect(writeView(new URLSearchParams('edit=open'), views[0]).toString()).toBe('edit=open');
  expect(readView(new URLSearchParams('from=9&to=3')).zoom).toBeNull();
});

test('columns are dropped by rank on narrow screens, and those without one stay', () => {
  const columns = [
    { id: 'state', min: 100 },
    { id: 'name', min: 160 },
    { id: 'tags', min: 200, drop: 3 },
    { id: 'seen', min: 100, drop: 1 },
  ];
  const fitting = (widthPx: number) => fitColumns(columns, widthPx).map(({ id }) => id);
  expect(fitting(1_000)).toEqual(['state', 'name', 'tags', 'seen']);
  expect(fitting(400)).toEqual(['state', 'name', 'seen']);
  expect(fitting(200)).toEqual(['state', 'name']);
});

test('external IDs fit a window of 768 px, and all columns one of 1,280 px', () => {
  const columns = deviceColumns.filter(({ isOff }) => isOff !== true);
  const fitting = (widthPx: number) => fitColumns(columns, widthPx).map(({ id }) => id);
  // Of the window without the navigation, a scrollbar, the padding of a row, its check box and its actions.
  expect(fitting(543)).toEqual(['state', 'name', 'externalId', 'type', 'lastSeenAt']);
  expect(fitting(879)).toEqual(columns.map(({ id }) => id));
});
