import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { queryClient } from '#dashboard/api/query-client.ts';
import { QueryTooLarge } from '#service/platform/storage/store-errors.ts';
import { startTestService, type TestService } from '#tests/service/start-test-service.ts';
import { failRequests, pressTryAgain } from './fail-requests.ts';
import { fill } from './fill.ts';
import { openPage } from './open-page.tsx';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  await service.request('PATCH', '/v1/session', { body: { label: 'Ada' } });
});
afterAll(() => service.close());
afterEach(async () => {
  vi.restoreAllMocks();
  const { body } = await service.request('GET', '/v1/devices?limit=200');
  for (const { id } of body.data) await service.request('DELETE', `/v1/devices/${id}`);
});

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** A day long ago: no range that ends now finds its samples. */
const NOON = Date.parse('2026-03-10T12:00:00Z');

let serial = 0;
/** Registers a device with a new external ID: those of deleted devices stay reserved for a day. */
const register = async (name: string, tags: Record<string, string> = {}): Promise<string> => {
  serial += 1;
  const { body } = await service.request('POST', '/v1/devices', {
    body: { name, externalId: `device-${serial}`, tags },
  });
  return body.id;
};
type Value = number | boolean | string;
const write = async (device: string, samples: readonly (readonly [ts: number, Record<string, Value>])[]) => {
  const body = { samples: samples.map(([ts, values]) => ({ device, ts, values })) };
  const { status } = await service.request('POST', '/v1/telemetry', { body });
  expect(status).toBe(200);
};
const setUnit = (device: string, metric: string, unit: string) =>
  service.request('PATCH', `/v1/devices/${device}/metrics/${metric}`, {
    body: { unit },
    headers: { 'content-type': 'application/merge-patch+json' },
  });

/** An address of the hour after noon of that day. */
const hourAt = (devices: readonly string[], metrics: readonly string[], more = '') =>
  `/telemetry?${devices.map((id) => `device=${id}&`).join('')}${metrics.map((metric) => `metric=${metric}&`).join('')}from=${NOON}&to=${NOON + 60 * MINUTE_MS}${more}`;
const addressed = (name: string) => new URLSearchParams(window.location.search).getAll(name);

const legendRow = async (name: string) => {
  const legend = await screen.findByRole('table', { name: 'Series' });
  return within(legend).findByRole('row', { name: new RegExp(name) });
};
const figures = (row: HTMLElement) =>
  within(row)
    .getAllByRole('cell')
    .slice(0, -1)
    .map((cell) => cell.textContent?.replaceAll('\u00a0', ' '));

const expectFigures = (name: string, expected: readonly string[]) =>
  waitFor(async () => expect(figures(await legendRow(name))).toEqual(expected));

const addressOf = (asked: Parameters<typeof fetch>[0]) =>
  asked instanceof Request ? asked.url : asked.toString();

test('without a selection the most recently seen devices are suggested', async () => {
  const boiler = await register('Boiler 7');
  await register('Silent');
  await write(boiler, [[Date.now() - MINUTE_MS, { temperature: 61, pressure: 1.8 }]]);
  const { user } = openPage(service, '/telemetry');
  await user.click(await screen.findByRole('button', { name: /^Boiler 7/ }));
  expect(await legendRow('temperature')).toBeTruthy();
  expect(await legendRow('pressure')).toBeTruthy();
  expect(window.location.search).toBe(`?device=${boiler}`);
  expect(screen.queryByRole('button', { name: /^Silent/ })).toBeNull();
});

test('devices are found by name and tag, metrics among those of the chosen devices', async () => {
  const [boiler, office] = [
    await register('Boiler 7', { site: 'north' }),
    await register('Office', { site: 'north' }),
  ];
  await register('Pump 3', { site: 'south' });
  const now = Date.now();
  await write(boiler, [[now - MINUTE_MS, { temperature: 61, pressure: 1.8 }]]);
  await write(office, [[now - MINUTE_MS, { temperature: 21 }]]);
  const { user } = openPage(service, '/telemetry');
  const devices = await screen.findByRole('combobox', { name: 'Devices' });
  await fill(user, devices, 'boil');
  await user.click(await screen.findByRole('option', { name: /Boiler 7/ }));
  await waitFor(() => expect(addressed('device')).toEqual([boiler]));
  await user.clear(devices);
  await fill(user, devices, 'site:north');
  await waitFor(() => expect(screen.queryByRole('option', { name: /Pump 3/ })).toBeNull());
  await user.click(await screen.findByRole('option', { name: /site: north/ }));
  await waitFor(() => expect(addressed('tag')).toEqual(['site:north']));
  await user.keyboard('{Escape}');

  await user.click(screen.getByRole('combobox', { name: 'Metrics' }));
  expect(await screen.findByRole('option', { name: /pressure.*1 of 2 devices/ })).toBeTruthy();
  await user.click(screen.getByRole('option', { name: /pressure/, selected: true }));
  await waitFor(() => expect(addressed('metric')).toEqual(['temperature']));
  await user.keyboard('{Escape}');
  expect(await legendRow('Boiler 7')).toBeTruthy();
  expect(await legendRow('Office')).toBeTruthy();
});

test('several devices are chosen by one search, until Escape or a press outside ends it', async () => {
  for (const name of ['Boiler 7', 'Boiler 8', 'Boiler 9', 'Pump 3'])
    await write(await register(name), [[Date.now() - MINUTE_MS, { temperature: 61 }]]);
  const { user } = openPage(service, '/telemetry');
  const devices = await screen.findByRole<HTMLInputElement>('combobox', { name: 'Devices' });
  await fill(user, devices, 'boil');
  await screen.findByRole('option', { name: /Boiler 7/ });
  await waitFor(() => expect(screen.queryByRole('option', { name: /Pump 3/ })).toBeNull());
  for (const name of ['Boiler 7', 'Boiler 8']) {
    await user.click(screen.getByRole('option', { name: new RegExp(name) }));
    expect(await screen.findByRole('option', { name: new RegExp(name), selected: true })).toBeTruthy();
  }
  await user.keyboard('{ArrowDown}{Enter}');
  await waitFor(() => expect(addressed('device')).toHaveLength(3));
  expect(devices.value).toBe('boil');
  await user.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByRole('listbox')).toBeNull());
  expect(devices.value).toBe('');
  await fill(user, devices, 'pump');
  await user.click(await screen.findByRole('option', { name: /Pump 3/ }));
  await waitFor(() => expect(addressed('device')).toHaveLength(4));
  await user.click(screen.getByRole('heading', { name: 'Telemetry', hidden: true }));
  await waitFor(() => expect(screen.queryByRole('listbox')).toBeNull());
  expect(devices.value).toBe('');
});

test('the legend shows the figures of each series in its unit', async () => {
  const boiler = await register('Boiler 7');
  await write(boiler, [
    [NOON - MINUTE_MS, { temperature: 99, running: true }],
    [NOON + MINUTE_MS, { temperature: 60, running: true }],
    [NOON + 2 * MINUTE_MS, { temperature: 70, running: false }],
    [NOON + 3 * MINUTE_MS, { temperature: 62, running: true }],
  ]);
  await setUnit(boiler, 'temperature', '°C');
  openPage(service, hourAt([boiler], ['temperature', 'running', 'flow']));
  await expectFigures('temperature', ['60 °C', '64 °C', '70 °C', '62 °C', '+2 °C', '3']);
  await expectFigures('running', ['98.3% true', 'true', '2 changes', '3']);
  expect(await screen.findByRole('application', { name: 'Values in °C' })).toBeTruthy();
  expect(screen.getByRole('application', { name: 'States' })).toBeTruthy();
  const states = within(screen.getByRole('list', { name: 'States' })).getAllByRole('listitem');
  expect(states.map(({ textContent }) => textContent)).toEqual(['false', 'true']);
});

test('a link shows the same view', async () => {
  const [boiler, office] = [await register('Boiler 7'), await register('Office')];
  await write(boiler, [[NOON + MINUTE_MS, { temperature: 61.5 }]]);
  await write(office, [[NOON + 2 * MINUTE_MS, { temperature: 21 }]]);
  openPage(
    service,
    hourAt([boiler, office], ['temperature'], `&view=table&zone=utc&hide=${office}/temperature`),
  );
  const values = within(await screen.findByRole('region', { name: 'Values' }));
  expect(values.getByRole('rowheader', { name: /12:01:00/ })).toBeTruthy();
  expect(values.getByRole('cell', { name: '61.5' })).toBeTruthy();
  expect(values.queryByRole('columnheader', { name: 'Office' })).toBeNull();
  expect(within(await legendRow('Office')).getByRole('button', { name: 'Show Office' })).toBeTruthy();
});

test('Enter on a chosen option of an open list removes it', async () => {
  const boiler = await register('Boiler 7');
  await write(boiler, [[NOON + MINUTE_MS, { flow: 61, back: 48 }]]);
  const { user } = openPage(service, hourAt([boiler], ['flow', 'back']));
  await legendRow('flow');
  await user.click(await screen.findByRole('combobox', { name: 'Metrics' }));
  const chosen = await screen.findByRole('option', { name: /^flow/, selected: true });
  await user.hover(chosen);
  await waitFor(() => expect(chosen.hasAttribute('data-highlighted')).toBe(true));
  await user.keyboard('{Enter}');
  await waitFor(() => expect(addressed('metric')).toEqual(['back']));
});

test('Enter in an open list without a text chooses nothing', async () => {
  await register('Boiler 7');
  const { user } = openPage(service, '/telemetry');
  await user.click(await screen.findByRole('combobox', { name: 'Devices' }));
  await screen.findByRole('option', { name: /^Boiler 7/ });
  await user.keyboard('{Enter}');
  expect(addressed('device')).toEqual([]);
  const deleteText = '{Backspace}{Backspace}{Backspace}{Enter}';
  await user.keyboard('boi');
  await screen.findByRole('option', { name: /^Boiler 7/ });
  await user.keyboard(deleteText);
  expect(addressed('device')).toEqual([]);
  await user.keyboard('boi{Enter}');
  await waitFor(() => expect(addressed('device')).toHaveLength(1));
  await user.keyboard(deleteText);
  expect(addressed('device')).toHaveLength(1);
});

test('a series is hidden, isolated and shown again, and the URL keeps it', async () => {
  const boiler = await register('Boiler 7');
  await write(boiler, [[NOON + MINUTE_MS, { flow: 61, back: 48, power: 12 }]]);
  const { user } = openPage(service, hourAt([boiler], ['flow', 'back', 'power']));
  await user.click(within(await legendRow('power')).getByRole('button', { name: 'Hide power' }));
  await waitFor(() => expect(addressed('hide')).toEqual([`${boiler}/power`]));
  screen.getByRole('button', { name: 'flow', pressed: false }).focus();
  await user.keyboard('{Enter}');
  await waitFor(() => expect(addressed('only')).toEqual([`${boiler}/flow`]));
  expect(await screen.findByRole('button', { name: 'Show back' })).toBeTruthy();
  await user.keyboard('{Enter}');
  await waitFor(() => expect(addressed('only')).toEqual([]));
  // What was hidden before stays hidden.
  expect(addressed('hide')).toEqual([`${boiler}/power`]);
  expect(await screen.findByRole('button', { name: 'Hide back' })).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Show power' }));
  await waitFor(() => expect(addressed('hide')).toEqual([]));
  window.history.back();
  await waitFor(() => expect(addressed('hide')).toEqual([`${boiler}/power`]));
});

test('a click builds on the one before, rendered or not', async () => {
  const boiler = await register('Boiler 7');
  await write(boiler, [[NOON + MINUTE_MS, { flow: 61, back: 48, power: 12 }]]);
  openPage(service, hourAt([boiler], ['flow', 'back', 'power']));
  const hide = async (metric: string) =>
    within(await legendRow(metric)).getByRole('button', { name: `Hide ${metric}` });
  const [power, back] = [await hide('power'), await hide('back')];
  fireEvent.click(power);
  fireEvent.click(back);
  await waitFor(() => expect(addressed('hide')).toEqual([`${boiler}/power`, `${boiler}/back`]));
});

test('the charts keep their order when the first series is hidden', async () => {
  const [boiler, tank] = [await register('Boiler 7'), await register('Tank')];
  for (const id of [boiler, tank]) {
    await write(id, [[NOON + MINUTE_MS, { temperature: 61, pressure: 1.8 }]]);
    await setUnit(id, 'temperature', '°C');
    await setUnit(id, 'pressure', 'bar');
  }
  const { user } = openPage(service, hourAt([boiler, tank], ['temperature', 'pressure']));
  const charts = () => screen.getAllByRole('application').map((chart) => chart.getAttribute('aria-label'));
  const row = await legendRow('Boiler 7 · temperature');
  expect(charts()).toEqual(['Values in °C', 'Values in bar']);
  await user.click(within(row).getByRole('button', { name: /^Hide/ }));
  expect(await screen.findByRole('button', { name: 'Show Boiler 7 · temperature' })).toBeTruthy();
  expect(charts()).toEqual(['Values in °C', 'Values in bar']);
});

test('a range is compared with the same time a day earlier', async () => {
  const boiler = await register('Boiler 7');
  await write(boiler, [
    [NOON + MINUTE_MS - DAY_MS, { temperature: 40 }],
    [NOON + 2 * MINUTE_MS - DAY_MS, { temperature: 44 }],
    [NOON + MINUTE_MS, { temperature: 60 }],
  ]);
  const { user } = openPage(service, hourAt([boiler], ['temperature']));
  await legendRow('temperature');
  // In the toolbar, without opening the options.
  await user.click(await screen.findByRole('combobox', { name: 'Compare with' }));
  await user.click(await screen.findByRole('option', { name: 'A day earlier' }));
  await waitFor(() => expect(addressed('compare')).toEqual(['day']));
  await expectFigures('temperature, a day earlier', ['40', '42', '44', '44', '+4', '2']);
  expect(screen.getByRole('button', { name: 'Options' })).toBeTruthy();
  // Shown alone, a series keeps what it is compared with.
  await user.click(screen.getByRole('button', { name: 'temperature' }));
  await waitFor(() => expect(addressed('only')).toHaveLength(1));
  expect(screen.getByRole('button', { name: 'Hide temperature, a day earlier' })).toBeTruthy();
});

test('a series and its earlier period have figures with the same prefix and decimals', async () => {
  const boiler = await register('Boiler 7');
  await write(boiler, [
    [NOON + MINUTE_MS - DAY_MS, { temperature: 17.4, energy: 10_214_000_000 }],
    [NOON + 2 * MINUTE_MS - DAY_MS, { temperature: 25.4, energy: 10_300_000_000 }],
    [NOON + MINUTE_MS, { temperature: 21.1, energy: 8_000_000_000 }],
    [NOON + 2 * MINUTE_MS, { temperature: 21.31, energy: 8_112_000_000 }],
  ]);
  await setUnit(boiler, 'energy', 'Wh');
  openPage(service, hourAt([boiler], ['temperature', 'energy'], '&compare=day'));
  await expectFigures('temperature, a day earlier', ['17.4', '21.400', '25.40', '25.40', '+8.00', '2']);
  await expectFigures('^temperature \\d', ['21.1', '21.205', '21.31', '21.31', '+0.21', '2']);
  await expectFigures('energy, a day earlier', [
    '10.21 GWh',
    '10.257 GWh',
    '10.300 GWh',
    '10.300 GWh',
    '+86 MWh',
    '2',
  ]);
  await expectFigures('^energy \\d', ['8.00 GWh', '8.056 GWh', '8.112 GWh', '8.112 GWh', '+112 MWh', '2']);
});

test('an earlier period that cannot be loaded is reported and loaded again', async () => {
  const boiler = await register('Boiler 7');
  await write(boiler, [
    [NOON + MINUTE_MS - DAY_MS, { temperature: 40 }],
    [NOON + MINUTE_MS, { temperature: 60 }],
  ]);
  const realFetch = globalThis.fetch;
  const broken = vi.spyOn(globalThis, 'fetch').mockImplementation((url, init) => {
    const isEarlier = typeof init?.body === 'string' && init.body.includes(`"from":"${NOON - DAY_MS}"`);
    return realFetch(isEarlier ? addressOf(url).replace('/query', '/nowhere') : url, init);
  });
  const { user } = openPage(service, hourAt([boiler], ['temperature'], '&compare=day'));
  expect(await screen.findByText(/^The earlier period could not be loaded\./)).toBeTruthy();
  // The shown period is not affected.
  await expectFigures('temperature', ['60', '60', '60', '60', '0', '1']);
  broken.mockRestore();
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  await expectFigures('temperature, a day earlier', ['40', '40', '40', '40', '0', '1']);
  expect(screen.queryByText(/^The earlier period could not be loaded/)).toBeNull();
  await waitFor(() => expect(screen.getByRole('main').contains(document.activeElement)).toBe(true));
});

test('a counter is shown by its increase or its rate, restarts included', async () => {
  const meter = await register('Meter');
  await write(meter, [
    [NOON, { energy: 100 }],
    [NOON + 20 * MINUTE_MS, { energy: 101 }],
    [NOON + 40 * MINUTE_MS, { energy: 1 }],
  ]);
  await setUnit(meter, 'energy', 'kWh');
  const { user } = openPage(service, hourAt([meter], ['energy']));
  await expectFigures('energy', ['1 kWh', '67 kWh', '101 kWh', '1 kWh', '−99 kWh', '3']);
  await user.click(screen.getByRole('button', { name: 'Options' }));
  const choose = async (view: string) => {
    await user.click(await screen.findByRole('combobox', { name: 'Show energy as' }));
    await user.click(await screen.findByRole('option', { name: view }));
  };
  await choose('Rate per hour');
  await expectFigures('energy, rate', ['–', '3 kWh/h', '3 kWh/h', '3 kWh/h', '+2 kWh', '2']);
  expect(addressed('as')).toEqual(['energy,rate-h']);
  await choose('Increase');
  await expectFigures('energy, increase', ['–', '3 kWh/h', '3 kWh/h', '3 kWh/h', '+2 kWh', '2']);
});

test('reference lines are added, described and removed, and the URL keeps them', async () => {
  const boiler = await register('Boiler 7');
  await write(boiler, [[NOON + MINUTE_MS, { temperature: 60 }]]);
  await setUnit(boiler, 'temperature', '°C');
  const { user } = openPage(service, hourAt([boiler], ['temperature']));
  await legendRow('temperature');
  await user.click(screen.getByRole('button', { name: 'Options' }));
  await user.click(await screen.findByRole('button', { name: 'Add line' }));
  expect(await screen.findByText('Enter a number.')).toBeTruthy();
  await fill(user, screen.getByLabelText('Value'), '80,5');
  await user.type(screen.getByLabelText(/^Label/), 'Limit, hot{Enter}');
  await waitFor(() => expect(addressed('line')).toEqual(['temperature,80.5,Limit, hot']));
  await waitFor(() =>
    expect(screen.getByText(/temperature, .* Reference line: Limit, hot \(80\.5 °C\)\.$/)).toBeTruthy(),
  );
  await user.click(screen.getByRole('button', { name: /^Remove line temperature: 80\.5/ }));
  await waitFor(() => expect(addressed('line')).toEqual([]));
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Value')));
});

test('a reference line is left out while its metric is shown as a rate', async () => {
  const meter = await register('Meter');
  await write(meter, [
    [NOON, { energy: 100 }],
    [NOON + 20 * MINUTE_MS, { energy: 101 }],
  ]);
  const line = '&line=energy,110,Contract';
  const { user } = openPage(service, hourAt([meter], ['energy'], `${line}&as=energy,rate-h`));
  expect(await screen.findByText(/^energy, rate, /)).toBeTruthy();
  expect(screen.queryByText(/Reference line: Contract/)).toBeNull();
  await user.click(screen.getByRole('button', { name: /^Options/ }));
  const notice = 'Lines of metrics that are shown as an increase or a rate are not drawn.';
  expect(await screen.findByText(notice)).toBeTruthy();
  await user.click(await screen.findByRole('combobox', { name: 'Show energy as' }));
  await user.click(await screen.findByRole('option', { name: 'Value' }));
  expect(await screen.findByText(/Reference line: Contract \(110\)/)).toBeTruthy();
  expect(screen.queryByText(notice)).toBeNull();
});

test('the keys of a chart zoom into the range, and Back zooms out', async () => {
  const boiler = await register('Boiler 7');
  await write(boiler, [[NOON + 30 * MINUTE_MS, { temperature: 61 }]]);
  const { user } = openPage(service, hourAt([boiler], ['temperature']));
  (await screen.findByRole('application', { name: 'Values without a unit' })).focus();
  await user.keyboard('+');
  await waitFor(() => expect(addressed('from')).toEqual([String(NOON + 15 * MINUTE_MS)]));
  expect(addressed('to')).toEqual([String(NOON + 45 * MINUTE_MS)]);
  window.history.back();
  await waitFor(() => expect(addressed('from')).toEqual([String(NOON)]));
});

test('live samples follow the history, which is read once, without a loss in between', async () => {
  const boiler = await register('Boiler 7');
  await write(boiler, [[Date.now() - 2 * MINUTE_MS, { temperature: 60, mode: 'auto' }]]);
  // The stream that follows the series opens only after the history was read and another sample was written.
  const mayOpen = Promise.withResolvers<void>();
  const realFetch = globalThis.fetch;
  const starts: string[] = [];
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (asked, init) => {
    if (/\/v1\/stream\?.*device=/.test(addressOf(asked))) await mayOpen.promise;
    if (addressOf(asked).endsWith('/v1/telemetry/query') && typeof init?.body === 'string')
      starts.push((JSON.parse(init.body) as { from: string }).from);
    return realFetch(asked, init);
  });
  openPage(service, `/telemetry?device=${boiler}&metric=temperature&metric=mode&range=15m`);
  await expectFigures('temperature', ['60', '60', '60', '60', '0', '1']);
  // One with a clock that is behind, and a state.
  await write(boiler, [[Date.now() - 20_000, { temperature: 62, mode: 'eco' }]]);
  mayOpen.resolve();
  await expectFigures('temperature', ['60', '61', '62', '62', '+2', '2']);
  await expectFigures('mode', [expect.stringMatching(/^\d\d(\.\d)?% “auto”$/), 'eco', '1 change', '2']);
  await write(boiler, [[Date.now(), { temperature: 64 }]]);
  await expectFigures('temperature', ['60', '62', '64', '64', '+4', '3']);
  // The history, and the last minute before the stream opened.
  expect(starts).toEqual(['-15m', expect.stringMatching(/^\d+$/)]);
  expect(Number(starts[1])).toBeGreaterThan(Date.now() - 10 * MINUTE_MS);
});

test('the chart can be paused, and returns to live with the same range', async () => {
  const boiler = await register('Boiler 7');
  await write(boiler, [[Date.now() - MINUTE_MS, { temperature: 60 }]]);
  const { user } = openPage(service, `/telemetry?device=${boiler}&metric=temperature&range=6h`);
  await legendRow('temperature');
  await user.click(screen.getByRole('button', { name: 'Live', pressed: true }));
  const back = await screen.findByRole('button', { name: 'Back to live' });
  expect(Number(addressed('to')[0]) - Number(addressed('from')[0])).toBe(6 * 60 * MINUTE_MS);
  await user.click(back);
  await screen.findByRole('button', { name: 'Live', pressed: true });
  expect(addressed('from')).toEqual([]);
  expect(screen.getByRole('radio', { name: '6 h', checked: true })).toBeTruthy();
});

test('a custom range uses the zone of the chart, and must end after its start', async () => {
  const boiler = await register('Boiler 7');
  await write(boiler, [[NOON + MINUTE_MS, { temperature: 60 }]]);
  const { user } = openPage(service, `/telemetry?device=${boiler}&metric=temperature&zone=utc`);
  await user.click(await screen.findByRole('button', { name: /^From – to/ }));
  const [from, to] = [await screen.findByLabelText('From'), await screen.findByLabelText('To')];
  await user.clear(from);
  await fill(user, from, '2026-03-10T12:00:00');
  await user.clear(to);
  await fill(user, to, '2026-03-10T11:00:00');
  await user.click(screen.getByRole('button', { name: 'Apply' }));
  expect(await screen.findByText('Must be later than From.')).toBeTruthy();
  await user.clear(to);
  await fill(user, to, '2026-03-10T13:30:00');
  await user.click(screen.getByRole('radio', { name: 'Local' }));
  await waitFor(() => expect((from as HTMLInputElement).value).toMatch(/^2026-03-10T08:00/));
  await user.click(screen.getByRole('button', { name: 'Apply' }));
  await waitFor(() => expect(addressed('to')).toEqual([String(NOON + 90 * MINUTE_MS)]));
  expect(addressed('from')).toEqual([String(NOON)]);
  await expectFigures('temperature', ['60', '60', '60', '60', '0', '1']);
});

test('a range between samples says so, and zooms out to them', async () => {
  const boiler = await register('Boiler 7');
  await write(boiler, [
    [NOON, { temperature: 60 }],
    [NOON + 40 * MINUTE_MS, { temperature: 70 }],
  ]);
  const { user } = openPage(
    service,
    `/telemetry?device=${boiler}&metric=temperature&zone=utc&from=${NOON + 10 * MINUTE_MS}&to=${NOON + 35 * MINUTE_MS}`,
  );
  expect(await screen.findByText('There are samples before and after this range.')).toBeTruthy();
  const [, zoomOut] = screen.getAllByRole('button', { name: 'Zoom out' });
  await user.click(zoomOut!);
  await expectFigures('temperature', ['60', '65', '70', '70', '+10', '2']);
});

test('a range without samples offers the latest ones', async () => {
  const boiler = await register('Boiler 7');
  await write(boiler, [[NOON, { temperature: 60 }]]);
  const { user } = openPage(
    service,
    `/telemetry?device=${boiler}&metric=temperature&zone=utc&from=${NOON + DAY_MS}&to=${NOON + 2 * DAY_MS}`,
  );
  expect(await screen.findByText(/^No samples between .*11.* and .*12/)).toBeTruthy();
  expect(screen.getByText(/^Last sample: .*12:00:00/)).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Go to sample' }));
  await expectFigures('temperature', ['60', '60', '60', '60', '0', '1']);
  expect(Number(addressed('to')[0]) - Number(addressed('from')[0])).toBe(DAY_MS);
});

/** What the browser is given to save. */
const savedFiles = () => {
  const saved: Blob[] = [];
  vi.spyOn(URL, 'createObjectURL').mockImplementation((file) => {
    saved.push(file as Blob);
    return 'blob:saved';
  });
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => undefined);
  return saved;
};

test('an export contains every sample of the range, with times in UTC', async () => {
  const boiler = await register('Boiler 7');
  await write(boiler, [
    [NOON - 1, { temperature: 1 }],
    ...Array.from({ length: 1_500 }, (_, i) => [NOON + i * 1_000, { temperature: i }] as const),
  ]);
  const saved = savedFiles();
  const { user } = openPage(service, hourAt([boiler], ['temperature'], '&zone=local'));
  await legendRow('temperature');
  await user.click(screen.getByRole('button', { name: 'Export' }));
  await user.click(await screen.findByRole('menuitem', { name: 'CSV' }));
  expect(await screen.findByText('Saved 1,500 rows')).toBeTruthy();
  const lines = (await saved[0]!.text()).trimEnd().split('\r\n');
  expect(lines).toHaveLength(1_501);
  expect(lines[1]).toBe(`2026-03-10T12:00:00.000Z,${boiler},device-${serial},temperature,0`);
});

test('the shown values are saved as the chart has them: of the range, in buckets, without hidden series', async () => {
  const boiler = await register('=Boiler 7');
  const half = 30 * MINUTE_MS;
  await write(boiler, [
    ...Array.from({ length: 3_000 }, (_, i) => [NOON + i * 1_000, { temperature: i / 10, flow: 1 }] as const),
    [NOON + half + 500, { mode: '=1+1' }],
  ]);
  const saved = savedFiles();
  const address = hourAt([boiler], ['temperature', 'flow', 'mode'], `&hide=${boiler}/flow`);
  const { user } = openPage(service, address.replace(`to=${NOON + 2 * half}`, `to=${NOON + half + 1_000}`));
  await legendRow('temperature');
  await user.click(screen.getByRole('button', { name: 'Export' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Shown values as CSV' }));
  expect(await screen.findByText('Shown values saved')).toBeTruthy();
  const lines = (await saved[0]!.text()).trimEnd().split('\r\n');
  expect(lines[0]).toBe('time,device,externalId,metric,series,unit,value,min,max,samples');
  const rows = lines.slice(1).map((line) => line.split(','));
  const temperatures = rows.filter((row) => row[3] === 'temperature');
  expect(temperatures.length).toBeLessThanOrEqual(1_000);
  expect(new Set(rows.map((row) => row[2]))).toEqual(new Set([`device-${serial}`]));
  expect(temperatures.reduce((sum, row) => sum + Number(row[9]), 0)).toBe(1_801);
  expect(temperatures.at(-1)?.[8]).toBe('180');
  // Means without the noise of their computation.
  expect(Math.max(...temperatures.map(([, , , , , , value = '']) => value.length))).toBeLessThan(10);
  expect(rows.some((row) => row[3] === 'flow')).toBe(false);
  expect(rows.find((row) => row[3] === 'mode')?.[6]).toBe(`"'=1+1"`);
});

test('the shown values of a live range are those of its whole length up to now', async () => {
  const boiler = await register('Boiler 7');
  const now = Date.now();
  const first = now - DAY_MS + MINUTE_MS;
  await write(boiler, [
    [first, { temperature: 60 }],
    [now - MINUTE_MS, { temperature: 61 }],
  ]);
  const saved = savedFiles();
  const { user } = openPage(service, `/telemetry?device=${boiler}&metric=temperature&range=24h`);
  await legendRow('temperature');
  await user.click(screen.getByRole('button', { name: 'Export' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Shown values as CSV' }));
  const name = (await screen.findByText(/^telemetry-.*\.csv$/)).textContent ?? '';
  const [from = 0, to = 0] = [...name.matchAll(/(\d{8}T\d{6})Z/g)].map(([, text = '']) =>
    Date.parse(text.replace(/^(....)(..)(..T..)(..)(..)$/, '$1-$2-$3:$4:$5Z')),
  );
  expect(to - from).toBe(DAY_MS);
  expect(to).toBeLessThanOrEqual(Date.now() + 1_000);
  const rows = (await saved[0]!.text()).trimEnd().split('\r\n').slice(1);
  expect(rows.map((row) => row.split(',')[0])).toContain(new Date(first).toISOString());
  expect(rows).toHaveLength(2);
});

test('a long export shows its progress, and saves nothing after it is cancelled', async () => {
  const boiler = await register('Boiler 7');
  await write(
    boiler,
    Array.from({ length: 3_000 }, (_, i) => [NOON + i * 1_000, { temperature: i }] as const),
  );
  const saved = savedFiles();
  // The response of the service, which stops after its first part.
  const realFetch = globalThis.fetch;
  let signal: AbortSignal | null | undefined;
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (url, init) => {
    if (!addressOf(url).includes('/export')) return realFetch(url, init);
    // Before the response: the export may be cancelled while it waits.
    signal = init?.signal;
    const answer = await realFetch(url, init);
    const reader = answer.body!.getReader();
    let isFirst = true;
    const halting = new ReadableStream<Uint8Array>({
      async pull(controller) {
        if (!isFirst) return new Promise<void>(() => undefined);
        isFirst = false;
        controller.enqueue((await reader.read()).value!);
        return undefined;
      },
      cancel: () => reader.cancel(),
    });
    return new Response(halting, { status: answer.status, headers: answer.headers });
  });
  const { user } = openPage(service, hourAt([boiler], ['temperature']));
  await legendRow('temperature');
  await user.click(screen.getByRole('button', { name: 'Export' }));
  await user.click(await screen.findByRole('menuitem', { name: 'NDJSON' }));
  const progress = await screen.findByRole('region', { name: 'Export' });
  expect(within(progress).getByText(/of 3,000 rows/)).toBeTruthy();
  await user.click(within(progress).getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(screen.queryByRole('region', { name: 'Export' })).toBeNull());
  expect(signal?.aborted).toBe(true);
  expect(saved).toEqual([]);
});

test('Try again keeps the focus on the page after an export that failed', async () => {
  const boiler = await register('Boiler 7');
  await write(boiler, [[NOON + MINUTE_MS, { temperature: 60 }]]);
  const saved = savedFiles();
  const endFailures = failRequests(({ pathname }) => pathname.endsWith('/export'));
  const { user } = openPage(service, hourAt([boiler], ['temperature']));
  await legendRow('temperature');
  await user.click(screen.getByRole('button', { name: 'Export' }));
  await user.click(await screen.findByRole('menuitem', { name: 'NDJSON' }));
  await pressTryAgain(endFailures, user.click);
  await waitFor(() => expect(saved).toHaveLength(1));
  expect(screen.queryByText(/^The export stopped/)).toBeNull();
  await waitFor(() => expect(screen.getByRole('main').contains(document.activeElement)).toBe(true));
});

test('Try again keeps the focus on the page after data is refreshed', async () => {
  const boiler = await register('Boiler 7');
  await write(boiler, [[NOON + MINUTE_MS, { temperature: 60 }]]);
  const { user } = openPage(service, hourAt([boiler], ['temperature']));
  await legendRow('temperature');
  const endFailures = failRequests(({ pathname }) => pathname === '/v1/telemetry/query');
  await queryClient.invalidateQueries();
  await screen.findByText(/Could not refresh it\./);
  await pressTryAgain(endFailures, user.click);
  await waitFor(() => expect(screen.queryByText(/Could not refresh it\./)).toBeNull());
  await waitFor(() => expect(screen.getByRole('main').contains(document.activeElement)).toBe(true));
});

/** Copies the shown view as curl, and returns the responses to its commands. */
const runCopiedCurl = async (user: ReturnType<typeof openPage>['user']) => {
  await navigator.clipboard.writeText('');
  await user.click(screen.getByRole('button', { name: 'Share' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Copy as curl' }));
  await waitFor(async () => expect(await navigator.clipboard.readText()).toMatch(/^curl /));
  const bodies = [];
  for (const line of (await navigator.clipboard.readText()).split('\n')) {
    const url = /'(http[^']+)'$/.exec(line)?.[1] ?? '';
    bodies.push((await service.request('GET', url.slice(service.url.length))).body);
  }
  return bodies;
};

test('the view is shared as a complete link and as a curl command', async () => {
  const boiler = await register('Boiler 7');
  await write(boiler, [[Date.now() - MINUTE_MS, { temperature: 60 }]]);
  const { user } = openPage(service, `/telemetry?device=${boiler}`);
  await legendRow('temperature');
  await user.click(screen.getByRole('button', { name: 'Share' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Copy link' }));
  await waitFor(async () =>
    expect(await navigator.clipboard.readText()).toBe(
      `${service.url}/telemetry?device=${boiler}&metric=temperature`,
    ),
  );
  const bodies = await runCopiedCurl(user);
  expect(bodies.map(({ series }) => series[0].value)).toEqual([[60]]);
});

test('the curl command of a comparison reads the earlier period too, live and with fixed times', async () => {
  const boiler = await register('Boiler 7');
  const nowMs = Date.now();
  await write(boiler, [
    [nowMs - DAY_MS - MINUTE_MS, { temperature: 40 }],
    [nowMs - MINUTE_MS, { temperature: 60 }],
  ]);
  const fixed = `&from=${new Date(nowMs - 2 * MINUTE_MS).toISOString()}&to=${new Date(nowMs).toISOString()}`;
  for (const range of ['', fixed]) {
    const { user, unmount } = openPage(service, `/telemetry?device=${boiler}&compare=day${range}`);
    await legendRow('temperature, a day earlier');
    const values = (await runCopiedCurl(user)).map(({ series }) => series[0].value);
    expect(values).toEqual([[60], [40]]);
    unmount();
  }
});

test('the curl commands of a compared ranking read the ranked devices of both periods', async () => {
  const nowMs = Date.now();
  const devices: string[] = [];
  // Each metric has other leaders, so the two commands differ in the number of series.
  for (const [name, value] of [
    ['First', 9],
    ['Second', 5],
    ['Third', 1],
  ] as const) {
    const device = await register(name);
    devices.push(device);
    await write(device, [
      [nowMs - DAY_MS - MINUTE_MS, { power: value, flow: 10 - value }],
      [nowMs - MINUTE_MS, { power: value, flow: 10 - value }],
    ]);
  }
  const query = devices.map((id) => `device=${id}`).join('&');
  const { user } = openPage(service, `/telemetry?${query}&metric=power&metric=flow&top=1&compare=day`);
  await legendRow('First · power, a day earlier');
  const shown = (await runCopiedCurl(user)).map(({ series }) =>
    series.map(({ device, metric }: { device: string; metric: string }) => [devices.indexOf(device), metric]),
  );
  expect(shown).toEqual([
    [
      [2, 'flow'],
      [0, 'power'],
    ],
    [
      [0, 'flow'],
      [0, 'power'],
      [2, 'flow'],
      [2, 'power'],
    ],
  ]);
});

test('values of a link that are not valid are named, and the rest of the link is shown', async () => {
  const boiler = await register('Boiler 7');
  await write(boiler, [[Date.now() - MINUTE_MS, { temperature: 60 }]]);
  const rest = `device=${boiler}&metric=temperature&line=temperature,80,Limit`;
  const { user } = openPage(service, `/telemetry?${rest}&range=7x&compare=&line=temperature,warm&zone=moon`);
  await legendRow('temperature');
  expect((await screen.findByText(/^Telemetry ignores values of this link/)).textContent).toBe(
    'Telemetry ignores values of this link that are not valid: “range=7x”, “line=temperature,warm”, “zone=moon”.',
  );
  // A change of the view writes a valid link.
  await user.click(screen.getByRole('radio', { name: '6 h' }));
  await waitFor(() => expect(screen.queryByText(/^Telemetry ignores/)).toBeNull());
  expect(addressed('line')).toEqual(['temperature,80,Limit']);
});

test('a range in a link needs both ends, in order', async () => {
  const ignored = async (query: string) => {
    const { unmount } = openPage(service, `/telemetry?${query}`);
    const text = (await screen.findByText(/^Telemetry ignores/)).textContent;
    unmount();
    return text;
  };
  expect(await ignored('from=2026-11-21T09:30:00Z')).toMatch(/: “from=2026-11-21T09:30:00Z”\.$/);
  expect(await ignored('from=1700000600&to=1700000000')).toMatch(/: “from=1700000600”, “to=1700000000”\.$/);
});

test('of many values of a link that are not valid, the first few are named', async () => {
  openPage(service, `/telemetry?${Array.from({ length: 2_000 }, (_, n) => `tag=${n}`).join('&')}`);
  expect((await screen.findByText(/^Telemetry ignores/)).textContent).toMatch(/“tag=4” and 1,995 more\.$/);
});

test('a missing device in the URL is reported, and can be removed', async () => {
  const boiler = await register('Boiler 7');
  await write(boiler, [[NOON + MINUTE_MS, { temperature: 60 }]]);
  const gone = await register('Gone');
  await service.request('DELETE', `/v1/devices/${gone}`);
  const { user } = openPage(service, hourAt([gone, boiler], ['temperature']));
  expect(await legendRow('temperature')).toBeTruthy();
  expect(screen.getByText(/^1 device in this link is missing/)).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Remove it' }));
  await waitFor(() => expect(addressed('device')).toEqual([boiler]));
});

test('a link may name devices by external ID, and one that is unknown is named', async () => {
  const boiler = await register('Boiler 7');
  const externalId = `device-${serial}`;
  await write(boiler, [[NOON + MINUTE_MS, { temperature: 60 }]]);
  const { user } = openPage(
    service,
    hourAt([externalId, 'boiler-77', boiler], ['temperature'], '&compare=never'),
  );
  await expectFigures('temperature', ['60', '60', '60', '60', '0', '1']);
  expect(screen.getByText(/^1 device in this link is missing: boiler-77\./)).toBeTruthy();
  expect(addressed('device')).toEqual([boiler, 'boiler-77']);
  expect(screen.getByText(/^Telemetry ignores a value of this link/).textContent).toContain(
    '“compare=never”',
  );
  await user.click(screen.getByRole('button', { name: 'Remove it' }));
  await waitFor(() => expect(addressed('device')).toEqual([boiler]));
});

test('without devices:read the page offers no search, and says once why', async () => {
  const { secret } = await service.mintKey(['telemetry:read']);
  openPage(service, '/telemetry', secret);
  await screen.findByText('Open a link that names devices.');
  expect(screen.queryByText(/Search above/)).toBeNull();
  expect(await screen.findAllByText(/lacks devices:read/)).toHaveLength(1);
});

test('a link by external ID works without devices:read', async () => {
  const boiler = await register('Boiler 7');
  const externalId = `device-${serial}`;
  await write(boiler, [[NOON + MINUTE_MS, { temperature: 60 }]]);
  const { secret } = await service.mintKey(['telemetry:read']);
  openPage(service, hourAt([externalId], ['temperature']), secret);
  await expectFigures('temperature', ['60', '60', '60', '60', '0', '1']);
});

test('a link of which no device is known offers others', async () => {
  const boiler = await register('Boiler 7');
  await write(boiler, [[Date.now() - MINUTE_MS, { temperature: 61 }]]);
  const { user } = openPage(service, '/telemetry?device=boiler-77&metric=temperature');
  expect(await screen.findByText(/^1 device in this link is missing: boiler-77\./)).toBeTruthy();
  await user.click(await screen.findByRole('button', { name: /^Boiler 7/ }));
  expect(await legendRow('temperature')).toBeTruthy();
});

test('too many series are rejected with advice', async () => {
  const devices = await Promise.all(['A', 'B', 'C'].map((name) => register(name)));
  const metrics = Array.from({ length: 200 }, (_, i) => `m${i}`);
  const values = Object.fromEntries(metrics.map((metric) => [metric, 1]));
  for (const device of devices) await write(device, [[NOON + MINUTE_MS, values]]);
  openPage(service, hourAt(devices, metrics));
  expect(await screen.findByText('Too many series for one chart')).toBeTruthy();
  expect(screen.getByText(/^A chart can have 500 series\. Choose fewer devices or metrics/)).toBeTruthy();
});

test('a query that is too large for another reason shows what the service advises', async () => {
  const boiler = await register('Boiler 8');
  await write(boiler, [[NOON + MINUTE_MS, { mode: 'eco' }]]);
  const detail = 'This query reads too much text. Choose a shorter range.';
  vi.spyOn(service.service.parts.telemetry, 'read').mockRejectedValue(new QueryTooLarge(detail));
  openPage(service, hourAt([boiler], ['mode']));
  expect(await screen.findByText('Too many series for one chart')).toBeTruthy();
  expect(screen.getByText(detail)).toBeTruthy();
});

test('a session without telemetry:read sees a message and sends no query', async () => {
  const { secret } = await service.mintKey(['devices:read']);
  const fetched = vi.spyOn(globalThis, 'fetch');
  openPage(service, '/telemetry', secret);
  expect(await screen.findByText('No access to telemetry')).toBeTruthy();
  expect(
    fetched.mock.calls.map(([url]) => addressOf(url)).filter((url) => url.includes('/telemetry')),
  ).toEqual([]);
});

test('a failed query shows an error, and Try again shows the chart', async () => {
  const boiler = await register('Boiler 7');
  await write(boiler, [[NOON + MINUTE_MS, { temperature: 60 }]]);
  const realFetch = globalThis.fetch;
  const broken = vi
    .spyOn(globalThis, 'fetch')
    .mockImplementation(async (url, init) =>
      addressOf(url).includes('/telemetry/query') ? new Response('', { status: 500 }) : realFetch(url, init),
    );
  onTestFinished(() => broken.mockRestore());
  const { user } = openPage(service, hourAt([boiler], ['temperature']));
  const again = await screen.findByRole('button', { name: 'Try again' });
  expect(screen.queryByRole('application')).toBeNull();
  broken.mockRestore();
  await user.click(again);
  expect(await legendRow('temperature')).toBeTruthy();
});

test('devices without samples of the chosen metrics are named once', async () => {
  const boiler = await register('Boiler 31');
  const others = [await register('Pump 31'), await register('Pump 32')];
  await write(boiler, [[NOON + MINUTE_MS, { temperature: 20 }]]);
  openPage(service, hourAt([boiler, ...others], ['temperature']));
  await screen.findByText('2 devices without samples of these metrics in this range: Pump 31, Pump 32.');
  await legendRow('Boiler 31');
  expect(screen.queryByText(/none of the chosen metrics/)).toBeNull();
});
