import { cleanup, screen, waitFor, within } from '@testing-library/react';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { startTestService, type TestService } from '#tests/service/start-test-service.ts';
import { openPage } from './open-page.tsx';

const MINUTE_MS = 60_000;
const NOON = Date.parse('2026-03-10T12:00:00Z');
/** More than a chart draws a line for. */
const DEVICES = 205;
const nameOf = (n: number) => `meter-${String(n).padStart(3, '0')}`;

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  await service.request('PATCH', '/v1/session', { body: { label: 'Ada' } });
  // Device n: a power of n that doubles after ten minutes, and a counter that rises by n a minute and restarts then.
  const minutes = Array.from({ length: 21 }, (_, minute) => minute);
  const ts = minutes.map((minute) => NOON + minute * MINUTE_MS);
  const series = Array.from({ length: DEVICES }, (_, n) => [
    { device: nameOf(n), metric: 'power', ts, values: minutes.map((i) => (i < 10 ? n : 2 * n)) },
    {
      device: nameOf(n),
      metric: 'energy',
      ts,
      values: minutes.map((i) => (i < 10 ? 500 + n * i : n * (i - 9))),
    },
  ]).flat();
  await service.request('POST', '/v1/telemetry', { body: { series } });
  const tag = (filter: object, site: string) =>
    service.request('POST', '/v1/devices/batch', {
      body: { operation: 'update', filter, change: { tags: { site }, type: 'meter' } },
    });
  await tag({}, 'north');
  await tag({ q: 'meter-00' }, 'south');
  // Two devices that rank first and are not among the first 200 by name.
  for (const n of [203, 204]) {
    const { body } = await service.request('GET', `/v1/devices?q=${nameOf(n)}`);
    await service.request('PATCH', `/v1/devices/${body.data[0].id}`, { body: { name: 'total' } });
  }
});
afterAll(() => service.close());
afterEach(() => vi.restoreAllMocks());

const half = 30 * MINUTE_MS;
const address = (more: string) => `/telemetry?from=${NOON}&to=${NOON + half}&${more}`;
const addressed = (name: string) => new URLSearchParams(window.location.search).getAll(name);
const legendNames = async () => {
  const legend = await screen.findByRole('table', { name: 'Series' });
  return within(legend)
    .getAllByRole('rowheader')
    .map((row) => row.textContent);
};
const figuresOf = async (name: RegExp) => {
  const row = await screen.findByRole('row', { name });
  return within(row)
    .getAllByRole('cell')
    .slice(0, -1)
    .map((cell) => cell.textContent);
};
const choose = async (user: ReturnType<typeof openPage>['user'], field: string, option: string) => {
  await user.click(await screen.findByRole('combobox', { name: field }));
  await user.click(await screen.findByRole('option', { name: option }));
};

test('more devices than lines are ranked, the others are counted, and one click combines all', async () => {
  const { user } = openPage(service, address('type=meter&metric=power'));
  const notice = await screen.findByText('Top 20 of 205 by maximum; 185 not shown.');
  // A live ranking does not interrupt a screen reader.
  expect(notice.closest('[role]')?.getAttribute('role')).toBe('status');
  expect(await screen.findByText('Metrics of the first 20 of 205 devices.')).toBeTruthy();
  await waitFor(async () =>
    expect((await legendNames()).slice(0, 3)).toEqual([
      `total (${nameOf(204)})`,
      `total (${nameOf(203)})`,
      nameOf(202),
    ]),
  );
  expect(await legendNames()).toHaveLength(20);
  await user.click(screen.getByRole('button', { name: 'Show mean of all' }));
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('region', { name: 'Charts' })));
  await waitFor(() => expect(addressed('across')).toEqual(['mean']));
  await waitFor(async () => expect(await legendNames()).toEqual(['Mean of 205 devices']));
  // The mean of 0 to 204 is 102, in buckets of two minutes.
  expect(await figuresOf(/Mean of 205 devices/)).toEqual(['102', '158', '204', '204', '+102', '–']);
  expect(screen.queryByText(/not shown/)).toBeNull();
  window.history.back();
  expect(await screen.findByText(/185 not shown/)).toBeTruthy();
});

test('the options choose how devices are shown, and the URL keeps it', async () => {
  const { user } = openPage(service, address('tag=site:south&metric=power'));
  await waitFor(async () => expect(await legendNames()).toHaveLength(10));
  await user.click(screen.getByRole('button', { name: /^Options/ }));
  await choose(user, 'Show devices as', 'Top devices');
  await choose(user, 'Top', '5');
  await choose(user, 'By', 'Lowest mean');
  await waitFor(() => expect([...addressed('top'), ...addressed('by')]).toEqual(['5', '-mean']));
  await waitFor(async () => expect(await legendNames()).toEqual([0, 1, 2, 3, 4].map(nameOf)));
  const left = 'meter-005, meter-006, meter-007, meter-008, and meter-009';
  expect(screen.getByText(`Top 5 of 10 by lowest mean; ${left} not shown.`)).toBeTruthy();
  await choose(user, 'Show devices as', 'Sum across devices');
  await waitFor(async () => expect(await legendNames()).toEqual(['Sum of 10 devices']));
  expect([...addressed('across'), ...addressed('top')]).toEqual(['sum']);
  await choose(user, 'Show devices as', 'Number of devices with samples');
  await waitFor(async () => expect(await legendNames()).toEqual(['Devices with samples']));
  expect((await figuresOf(/^Devices with samples/)).slice(0, 3)).toEqual(['10', '10', '10']);
  await choose(user, 'Show devices as', 'One line per device');
  await waitFor(async () => expect(await legendNames()).toHaveLength(10));
  expect([...addressed('across'), ...addressed('top')]).toEqual([]);
  expect(screen.getByRole('button', { name: 'Options' })).toBeTruthy();
});

test('devices are found by their type, and its choice closes the list', async () => {
  const { user } = openPage(service, '/telemetry');
  const devices = await screen.findByRole<HTMLInputElement>('combobox', { name: 'Devices' });
  await user.type(devices, 'MET');
  await user.click(await screen.findByRole('option', { name: /^type: meter/ }));
  await waitFor(() => expect(addressed('type')).toEqual(['meter']));
  await waitFor(() => expect(screen.queryByRole('listbox')).toBeNull());
  expect(devices.value).toBe('');
});

test('a tag is found by its value, with the number of its devices', async () => {
  const { user } = openPage(service, '/telemetry');
  await user.type(await screen.findByRole('combobox', { name: 'Devices' }), 'nor');
  await user.click(await screen.findByRole('option', { name: /^site: north\s*195 devices$/ }));
  await waitFor(() => expect(addressed('tag')).toEqual(['site:north']));
});

test('Enter chooses the first device for the typed text, also before the options for it are there', async () => {
  const { user } = openPage(service, '/telemetry');
  const devices = await screen.findByRole('combobox', { name: 'Devices' });
  await user.type(devices, 'meter-01');
  await screen.findByRole('option', { name: /meter-010/ });
  await user.type(devices, '7{Enter}');
  await screen.findByRole('option', { name: /meter-017/, selected: true });
  expect(addressed('device')).toHaveLength(1);
});

test('devices with the same name differ by their external ID', async () => {
  const { user } = openPage(service, '/telemetry');
  await user.type(await screen.findByRole('combobox', { name: 'Devices' }), 'total');
  await waitFor(() =>
    expect(screen.getAllByRole('option').map(({ textContent }) => textContent)).toEqual([
      `total${nameOf(203)}Online`,
      `total${nameOf(204)}Online`,
    ]),
  );
  await user.clear(screen.getByRole('combobox', { name: 'Devices' }));
  await user.type(screen.getByRole('combobox', { name: 'Devices' }), nameOf(202));
  await waitFor(() =>
    expect(screen.getAllByRole('option').map(({ textContent }) => textContent)).toEqual([
      `${nameOf(202)}Online`,
    ]),
  );
});

test('a number of devices has no reference lines', async () => {
  const line = 'line=power,3,Limit';
  const { user } = openPage(service, address(`tag=site:south&metric=power&across=max&${line}`));
  expect(await screen.findByText(/Reference line: Limit \(3\)/)).toBeTruthy();
  await user.click(screen.getByRole('button', { name: /^Options/ }));
  await choose(user, 'Show devices as', 'Number of devices with samples');
  expect(await screen.findByText('Reference lines are not drawn while devices are counted.')).toBeTruthy();
  expect(await screen.findByText(/^Devices with samples, /)).toBeTruthy();
  expect(screen.queryByText(/Reference line: Limit/)).toBeNull();
});

test('a counter of several devices is the sum of their increases, restarts included', async () => {
  openPage(service, address('tag=site:south&metric=energy&as=energy,increase&across=sum'));
  // The numbers 0 to 9 make 45: twice that in each bucket, and once in the last.
  const [min, , max, , change] = await figuresOf(/^Sum of 10 devices, increase/);
  expect([min, max, change]).toEqual(['45', '90', '+855']);
});

test('a combined line is compared with the devices of the earlier period', async () => {
  const later = NOON + 10 * MINUTE_MS;
  const samples = [
    ...[0, 1].map((n) => ({ device: nameOf(n), ts: NOON, values: { load: 4 } })),
    ...[0, 1, 2].map((n) => ({ device: nameOf(n), ts: later, values: { load: 6 } })),
  ];
  await service.request('POST', '/v1/telemetry', { body: { samples } });
  const range = `/telemetry?from=${later}&to=${later + 10 * MINUTE_MS}&compare=previous`;
  const { user } = openPage(service, `${range}&tag=site:south&metric=load&across=mean`);
  expect((await figuresOf(/^Mean of 3 devices/)).slice(0, 3)).toEqual(['6', '6', '6']);
  const earlier = await figuresOf(/^Mean of 2 devices, previous period/);
  expect(earlier.slice(0, 3)).toEqual(['4', '4', '4']);
  await user.click(screen.getByRole('button', { name: /^Options/ }));
  await choose(user, 'Show devices as', 'One line per device');
  const names = [0, 1, 2].flatMap((n) => [nameOf(n), `${nameOf(n)}, previous period`]);
  await waitFor(async () => expect(await legendNames()).toEqual(names));
});

test('a ranking is compared with the earlier period of the ranked devices alone', async () => {
  const sent: { devices?: string[]; top?: number }[] = [];
  const realFetch = globalThis.fetch;
  vi.spyOn(globalThis, 'fetch').mockImplementation((url, init) => {
    if (typeof init?.body === 'string' && init.body.includes('"metrics"'))
      sent.push(JSON.parse(init.body) as (typeof sent)[number]);
    return realFetch(url, init);
  });
  const later = NOON + 10 * MINUTE_MS;
  const range = `/telemetry?from=${later}&to=${later + 10 * MINUTE_MS}&compare=previous`;
  openPage(service, `${range}&type=meter&metric=power&top=5`);
  await waitFor(async () => expect(await legendNames()).toContain('meter-202, previous period'));
  expect(await legendNames()).toHaveLength(10);
  const compared = sent.filter(({ top }) => top === undefined);
  expect(compared.map(({ devices }) => devices?.length)).toEqual([5]);
});

test('a combined series is copied as curl and saved as shown', async () => {
  const saved: Blob[] = [];
  vi.spyOn(URL, 'createObjectURL').mockImplementation((file) => `blob:${saved.push(file as Blob)}`);
  const { user } = openPage(service, address('tag=site:south&metric=power&across=max'));
  await waitFor(async () => expect(await legendNames()).toContain('Maximum of 10 devices'));
  await user.click(screen.getByRole('button', { name: 'Share' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Copy as curl' }));
  await waitFor(async () => expect(await navigator.clipboard.readText()).toMatch(/^curl /));
  const url = /'(http[^']+)'$/.exec(await navigator.clipboard.readText())?.[1] ?? '';
  const { body } = await service.request('GET', url.slice(service.url.length));
  expect(body.series).toMatchObject([
    { device: null, devices: 10, max: [...Array(5).fill(9), ...Array(6).fill(18)] },
  ]);

  await user.click(screen.getByRole('button', { name: 'Export' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Shown values as CSV' }));
  await screen.findByText('Shown values saved');
  const rows = (await saved[0]!.text()).trimEnd().split('\r\n');
  expect(rows.slice(1)).toHaveLength(11);
  expect(rows[1]).toBe(`${new Date(NOON).toISOString()},,,power,Maximum of 10 devices,,9,9,9,`);
  await user.click(screen.getByRole('button', { name: 'Export' }));
  await user.click(await screen.findByRole('menuitem', { name: 'CSV' }));
  expect(await screen.findByText('Saved 210 rows')).toBeTruthy();
});

test('an export of a ranking has the ranked devices', async () => {
  vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:ranked');
  const { user } = openPage(service, address('type=meter&metric=power&top=5'));
  await waitFor(async () => expect(await legendNames()).toHaveLength(5));
  await user.click(screen.getByRole('button', { name: 'Export' }));
  await user.click(await screen.findByRole('menuitem', { name: 'CSV' }));
  expect(await screen.findByText('Saved 105 rows')).toBeTruthy();
});

test('a ranking without series exports nothing, instead of all devices', async () => {
  const samples = [0, 1].map((n) => ({ device: nameOf(n), ts: NOON, values: { open: true } }));
  await service.request('POST', '/v1/telemetry', { body: { samples } });
  const { user } = openPage(service, address('tag=site:south&metric=open&top=5'));
  expect(await screen.findByText('open is not numeric and is not shown.')).toBeTruthy();
  expect(screen.queryByText(/Top 0/)).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Export' }));
  const item = await screen.findByRole('menuitem', { name: 'CSV' });
  expect(item.getAttribute('aria-disabled')).toBe('true');
});

test('a cut-off bucket without all devices is left out of a combined line', async () => {
  // The devices send at different seconds of a minute: at its end, the range has some of them.
  const samples = [0, 1, 2, 3].flatMap((minute) =>
    [0, 20, 40].map((second, n) => ({
      device: nameOf(n),
      ts: NOON + minute * MINUTE_MS + second * 1_000,
      values: { level: 1 },
    })),
  );
  await service.request('POST', '/v1/telemetry', { body: { samples } });
  const to = NOON + 2 * MINUTE_MS + 30_000;
  openPage(service, `/telemetry?from=${NOON}&to=${to}&tag=site:south&metric=level&across=sum`);
  expect((await figuresOf(/^Sum of 3 devices/)).slice(0, 5)).toEqual(['3', '3', '3', '3', '0']);
  expect(screen.queryByText(/only some of the devices/)).toBeNull();
});

test('a combined line at times of some of the devices says so, and their number is one click away', async () => {
  const samples = [0, 1, 2, 3].flatMap((n) =>
    [0, 1, 2, 3].flatMap((minute) =>
      n === 3 && minute > 1
        ? []
        : [{ device: nameOf(n), ts: NOON + minute * MINUTE_MS, values: { flow: 1 } }],
    ),
  );
  await service.request('POST', '/v1/telemetry', { body: { samples } });
  const range = `/telemetry?from=${NOON}&to=${NOON + 4 * MINUTE_MS}&tag=site:south&metric=flow`;
  const { user } = openPage(service, `${range}&across=sum`);
  const [least, , most] = await figuresOf(/^Sum of 4 devices/);
  expect([least, most]).toEqual(['3', '4']);
  const notice = 'At times, only some of the devices have samples (flow: 3 of 4).';
  expect(await screen.findByText(notice)).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Show number of devices' }));
  await waitFor(() => expect(addressed('across')).toEqual(['count']));
  expect((await figuresOf(/^Devices with samples/))[0]).toBe('3');
  expect(screen.queryByText(notice)).toBeNull();
});

test('states cannot be combined, but their devices are counted', async () => {
  const samples = [0, 1].map((n) => ({ device: nameOf(n), ts: NOON, values: { running: true } }));
  await service.request('POST', '/v1/telemetry', { body: { samples } });
  const { user } = openPage(service, address('tag=site:south&metric=running&across=mean'));
  expect(await screen.findByText('running is not numeric and is not shown.')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Show devices with samples' }));
  expect((await figuresOf(/^Devices with samples/)).slice(0, 4)).toEqual(['2', '2', '2', '2']);
});

test('too many series offer only what fits into a chart', async () => {
  const values = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`m${i}`, i]));
  const samples = Array.from({ length: 10 }, (_, n) => ({ device: nameOf(n), ts: NOON, values }));
  await service.request('POST', '/v1/telemetry', { body: { samples } });
  const metrics = Object.keys(values).map((metric) => `metric=${metric}`);
  const { user } = openPage(service, address(`tag=site:south&${metrics.join('&')}`));
  expect(await screen.findByText('Too many series for one chart')).toBeTruthy();
  expect(screen.getByText('A chart can have 500 series. Choose fewer devices or metrics.')).toBeTruthy();
  // All ten devices would be among the top 20.
  expect(screen.queryByRole('button', { name: 'Show top 20' })).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Show mean of all' }));
  expect(await screen.findByRole('row', { name: /m7 · mean of 10 devices/ })).toBeTruthy();
  cleanup();
  openPage(service, address(`type=meter&${metrics.join('&')}`));
  expect(
    await screen.findByText(/^A chart can have 500 series, and Penstock can combine or rank at most 10,000/),
  ).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Show mean of all' })).toBeTruthy();
});
