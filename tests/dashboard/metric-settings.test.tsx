import { screen, waitFor, within } from '@testing-library/react';
import type { UserEvent } from '@testing-library/user-event';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '#tests/service/start-test-service.ts';
import { fill } from './fill.ts';
import { openPage } from './open-page.tsx';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  await service.request('PATCH', '/v1/session', { body: { label: 'Ada' } });
});
afterAll(() => service.close());

const NOON = Date.parse('2026-03-10T12:00:00Z');
const MINUTE_MS = 60_000;

let serial = 0;
const register = async (type: string, samples: readonly Record<string, unknown>[]): Promise<string> => {
  serial += 1;
  const body = { name: `Device ${serial}`, externalId: `device-${serial}`, type };
  const { id } = (await service.request('POST', '/v1/devices', { body })).body;
  await service.request('POST', '/v1/telemetry', {
    body: { samples: samples.map((values, i) => ({ device: id, ts: NOON + (i + 1) * MINUTE_MS, values })) },
  });
  return id;
};
const change = (path: string, body: unknown) => service.request('PATCH', path, { body });
const metricOf = async (id: string, metric: string) =>
  (await service.request('GET', `/v1/devices/${id}/metrics/${metric}`)).body;
const deviceAt = (id: string, metric: string) =>
  `/devices/${id}?metric=${metric}&from=${NOON}&to=${NOON + 60 * MINUTE_MS}`;
const telemetryAt = (id: string, metric: string) =>
  `/telemetry?device=${id}&metric=${metric}&from=${NOON}&to=${NOON + 60 * MINUTE_MS}`;

const plain = (text: string | null | undefined) => text?.replaceAll('\u00a0', ' ');
const latestValue = async (label: string) => {
  const table = await screen.findByRole('region', { name: 'Latest values' });
  const row = await within(table).findByRole('row', { name: new RegExp(label) });
  return plain(within(row).getAllByRole('cell')[0]?.textContent);
};
const lastInLegend = async (label: string) => {
  const legend = await screen.findByRole('table', { name: 'Series' });
  const row = await within(legend).findByRole('row', { name: new RegExp(label) });
  return plain(within(row).getAllByRole('cell')[3]?.textContent);
};
const openDialog = async (user: UserEvent, label: string) => {
  await user.click(await screen.findByRole('button', { name: `Edit ${label}` }));
  const dialog = await screen.findByRole('dialog', { name: /^Metric / });
  await within(dialog).findByLabelText(/^Label/);
  return within(dialog);
};
const save = async (user: UserEvent) => {
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(screen.queryByRole('dialog', { name: /^Metric / })).toBeNull());
};

test('a metric gets its label, unit and decimals for all devices of its type', async () => {
  const [id, other] = [await register('boiler', [{ flow: 61.25 }]), await register('boiler', [{ flow: 60 }])];
  const { user } = openPage(service, `/devices/${id}`);
  const dialog = await openDialog(user, 'flow');
  await waitFor(() => expect(dialog.getByLabelText(/^Label/)).toBe(document.activeElement));
  await fill(user, dialog.getByLabelText(/^Label/), 'Flow temperature');
  await user.type(dialog.getByLabelText(/^Unit/), '°C');
  await user.type(dialog.getByLabelText(/^Decimals/), '1');
  await save(user);
  await waitFor(async () => expect(await latestValue('Flow temperature')).toBe('61.3 °C'));
  expect(await metricOf(other, 'flow')).toMatchObject({ label: 'Flow temperature', unit: '°C', decimals: 1 });
  await user.click(within(screen.getByRole('navigation')).getByRole('link', { name: 'Activity' }));
  expect(await screen.findByText('(label of flow, unit of flow, decimals of flow)')).toBeTruthy();
  expect(screen.getByRole('link', { name: 'boiler' }).getAttribute('href')).toBe('/devices?type=boiler');
});

test('the samples of a metric that is text by mistake are deleted, and numbers are stored again', async () => {
  const id = await register('', [{ flow: '61,25', level: 2 }]);
  const other = await register('', [{ flow: 60 }]);
  const { user } = openPage(service, `/devices/${id}`);
  const dialog = await openDialog(user, 'flow');
  await user.click(dialog.getByRole('button', { name: 'Delete samples…' }));
  const question = await screen.findByRole('dialog', { name: 'Delete all samples of flow?' });
  await fill(user, within(question).getByRole('textbox'), 'flow');
  await user.click(within(question).getByRole('button', { name: 'Delete samples' }));
  expect(await screen.findByText('Deleted 1 sample of flow')).toBeTruthy();
  expect(screen.queryByRole('dialog', { name: /^Metric / })).toBeNull();
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Edit flow' })).toBeNull());
  expect(await latestValue('level')).toBe('2');
  expect((await metricOf(other, 'flow')).value).toBe(60);
  const body = { samples: [{ device: id, values: { flow: 61.25 } }] };
  expect((await service.request('POST', '/v1/telemetry', { body })).body).toMatchObject({ accepted: 1 });
});

test('a device has its own settings until they are reset', async () => {
  const id = await register('pump', [{ flow: 61.25 }]);
  await change('/v1/device-types/pump/metrics/flow', { unit: 'm³/h' });
  const { user } = openPage(service, `/devices/${id}`);
  expect(await latestValue('flow')).toBe('61.25 m³/h');
  const dialog = await openDialog(user, 'flow');
  expect(dialog.getByLabelText<HTMLInputElement>(/^Unit/).value).toBe('m³/h');
  await user.click(dialog.getByRole('radio', { name: 'Only this device' }));
  expect(dialog.getByLabelText<HTMLInputElement>(/^Unit/).placeholder).toBe('m³/h');
  await fill(user, dialog.getByLabelText(/^Unit/), 'L/min');
  await save(user);
  await waitFor(async () => expect(await latestValue('flow')).toBe('61.25 L/min'));

  const again = await openDialog(user, 'flow');
  expect(again.getByRole<HTMLInputElement>('radio', { name: 'Only this device' }).checked).toBe(true);
  await user.click(again.getByRole('button', { name: 'Use the settings of the type' }));
  await save(user);
  await waitFor(async () => expect(await latestValue('flow')).toBe('61.25 m³/h'));
});

test('a guessed unit is shown as a guess, and can be replaced or removed', async () => {
  const id = await register('', [{ inside_celsius: 21 }]);
  const { user } = openPage(service, `/devices/${id}`);
  expect(await latestValue('inside_celsius')).toBe('21 °C');
  const value = screen.getByText(/^21/);
  expect(value.dataset['hint']).toBe('Penstock guesses the unit from the name of the metric');
  const dialog = await openDialog(user, 'inside_celsius');
  expect(dialog.getByText('Penstock guesses °C from the name of the metric.')).toBeTruthy();
  expect(dialog.getByText(/^Applies to this device only/)).toBeTruthy();
  await user.click(dialog.getByRole('checkbox', { name: 'No unit' }));
  await save(user);
  await waitFor(async () => expect(await latestValue('inside_celsius')).toBe('21'));
});

test('a device shows the name of a metric in spite of the label of its type', async () => {
  const id = await register('stove', [{ temp: 21 }]);
  await change('/v1/device-types/stove/metrics/temp', { label: 'Flow' });
  const { user } = openPage(service, `/devices/${id}`);
  const dialog = await openDialog(user, 'Flow');
  await user.click(dialog.getByRole('radio', { name: 'Only this device' }));
  await user.click(dialog.getByRole('checkbox', { name: 'No label' }));
  await save(user);
  await waitFor(async () => expect(await latestValue('temp')).toBe('21'));
  expect(await metricOf(id, 'temp')).toMatchObject({ label: null, deviceSettings: { label: '' } });

  const again = await openDialog(user, 'temp');
  expect(again.getByLabelText<HTMLInputElement>(/^Label/).placeholder).toBe('temp');
  await user.click(again.getByRole('checkbox', { name: 'No label' }));
  await save(user);
  await waitFor(async () => expect(await latestValue('Flow')).toBe('21'));
});

test('wrong decimals are reported at the field, and nothing is saved', async () => {
  const id = await register('valve', [{ opening: 21 }]);
  const { user } = openPage(service, `/devices/${id}`);
  const dialog = await openDialog(user, 'opening');
  await user.type(dialog.getByLabelText(/^Decimals/), '1.5{Escape}');
  await user.click(dialog.getByRole('button', { name: 'Save' }));
  expect(await dialog.findByText('Enter a whole number from 0 to 10.')).toBeTruthy();
  await waitFor(() => expect(document.activeElement).toBe(dialog.getByLabelText(/^Decimals/)));
  expect(await metricOf(id, 'opening')).toMatchObject({ decimals: null });
});

test('a change by a colleague shows at once, and is not overwritten without asking', async () => {
  const id = await register('fan', [{ speed: 900 }]);
  const path = '/v1/device-types/fan/metrics/speed';
  const { user } = openPage(service, telemetryAt(id, 'speed'));
  expect(await lastInLegend('speed')).toBe('900');
  const dialog = await openDialog(user, 'speed');
  await fill(user, dialog.getByLabelText(/^Label/), 'Fan speed');
  // Changed again until the stream, which opens after the page, reports a change.
  let decimals: 0 | null = null;
  await waitFor(
    async () => {
      decimals = decimals === null ? 0 : null;
      await change(path, { unit: 'rpm', decimals });
      expect(plain(document.querySelector('table[aria-label=Series]')?.textContent)).toContain('900 rpm');
    },
    { interval: 500, timeout: 20_000 },
  );
  await user.click(dialog.getByRole('button', { name: 'Save' }));
  await user.click(await dialog.findByRole('button', { name: 'Save anyway' }));
  await waitFor(async () => expect(await lastInLegend('Fan speed')).toBe('900 rpm'));
});

test('a counter is charted by its rate, and by its value on request', async () => {
  const id = await register('meter', [{ energy: 1 }, { energy: 2 }, { energy: 3 }]);
  await change('/v1/device-types/meter/metrics/energy', { unit: 'kWh' });
  const { user } = openPage(service, telemetryAt(id, 'energy'));
  expect(await lastInLegend('energy')).toBe('3 kWh');
  const dialog = await openDialog(user, 'energy');
  await user.click(dialog.getByRole('combobox', { name: 'Metric type' }));
  await user.click(await screen.findByRole('option', { name: 'Counter' }));
  await save(user);
  await waitFor(async () => expect(await lastInLegend('energy, rate')).toBe('60 kWh/h'));

  await user.click(screen.getByRole('button', { name: 'Options' }));
  await user.click(await screen.findByRole('combobox', { name: 'Show energy as' }));
  await user.click(await screen.findByRole('option', { name: 'Value' }));
  await waitFor(async () => expect(await lastInLegend('energy')).toBe('3 kWh'));
  expect(new URLSearchParams(window.location.search).getAll('as')).toEqual(['energy,value']);
});

test('the chart of a device shows a counter by its rate', async () => {
  const id = await register('gas meter', [{ energy: 1 }, { energy: 2 }, { energy: 3 }]);
  await change('/v1/device-types/gas meter/metrics/energy', { unit: 'kWh', metricType: 'counter' });
  const { user } = openPage(service, deviceAt(id, 'energy'));
  expect(await latestValue('energy')).toBe('3 kWh');
  await user.click(await screen.findByRole('button', { name: 'Show as table' }));
  expect(await screen.findByRole('columnheader', { name: 'energy, rate (kWh/h)' })).toBeTruthy();
  expect(screen.getAllByRole('cell', { name: '60' })).toHaveLength(2);
  expect(screen.getByRole('region', { name: 'Values' }).tabIndex, 'scrolls by keyboard').toBe(0);
});

test('a click outside the dialog closes it until something is typed', async () => {
  const id = await register('press', [{ force: 40 }]);
  const { user } = openPage(service, `/devices/${id}`);
  const isOpen = () => screen.queryByRole('dialog', { name: 'Metric force' }) !== null;
  const clickOutside = () => user.click(document.querySelector('[data-scrim]')!);
  await openDialog(user, 'force');
  await clickOutside();
  await waitFor(() => expect(isOpen()).toBe(false));

  const dialog = await openDialog(user, 'force');
  await user.type(dialog.getByLabelText(/^Label/), 'Force');
  await clickOutside();
  await user.keyboard('{Escape}');
  expect(isOpen()).toBe(true);
  expect(screen.getByLabelText(/^Label/)).toHaveProperty('value', 'Force');
  await user.click(dialog.getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(isOpen()).toBe(false));
});

test('without devices:write, metrics have no edit button', async () => {
  const id = await register('lamp', [{ power: 9 }]);
  const { secret } = await service.mintKey(['devices:read', 'telemetry:read']);
  openPage(service, `/devices/${id}`, secret);
  expect(await latestValue('power')).toBe('9');
  expect(screen.queryByRole('button', { name: 'Edit power' })).toBeNull();
});
