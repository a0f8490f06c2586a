import { cleanup, screen, waitFor, within } from '@testing-library/react';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { startTestService, type TestService } from '#tests/service/start-test-service.ts';
import { openPage } from './open-page.tsx';

let service: TestService;
let clockMs = Date.now();
beforeAll(async () => {
  service = await startTestService({ now: () => clockMs });
  const devices = [
    ['boiler-1', 'boiler', 'Lyon'],
    ['boiler-2', 'boiler', 'Lyon'],
    ['boiler-3', 'boiler', 'Metz'],
    ['pump-1', 'pump', 'Metz'],
    ['pump-2', 'pump', undefined],
  ] as const;
  const items = devices.map(([externalId, type, site]) => ({
    externalId,
    name: externalId,
    type,
    tags: site === undefined ? {} : { site },
  }));
  await service.request('POST', '/v1/devices/batch', { body: { operation: 'upsert', items } });
  const samples = [{ device: 'boiler-3', values: { a: 1 } }];
  await service.request('POST', '/v1/telemetry', { body: { samples } });
  await service.service.parts.presence.flush();
  clockMs += 7_200_000;
  await vi.waitUntil(
    async () => (await service.request('GET', '/v1/overview')).body.devices.byState.offline === 1,
    { timeout: 20_000 },
  );
});
afterAll(() => service.close());

const names = () =>
  screen
    .getAllByRole('row')
    .slice(1)
    .map((row) => within(row).getAllByRole('link')[0]?.textContent);

test('a type and a tag value are chosen with the number of matching devices, as one types', async () => {
  const { user } = openPage(service, '/devices');
  await screen.findByRole('row', { name: /pump-2/ });
  await user.click(screen.getByRole('button', { name: 'Filter' }));
  await user.type(await screen.findByRole('combobox', { name: 'Type' }), 'BOIL');
  await waitFor(() =>
    expect(screen.getAllByRole('option').map(({ textContent }) => textContent)).toEqual(['boiler3']),
  );
  await user.click(screen.getByRole('option', { name: /boiler/ }));
  await waitFor(() => expect(window.location.search).toBe('?type=boiler'));
  expect(await screen.findByRole('button', { name: 'Remove filter Type boiler' })).toBeTruthy();
  await waitFor(() => expect(names()).toEqual(['boiler-1', 'boiler-2', 'boiler-3']));

  await user.click(screen.getByRole('button', { name: 'Filter' }));
  await user.click(await screen.findByRole('combobox', { name: 'Tag' }));
  await user.click(await screen.findByRole('option', { name: /site\s*3/ }));
  await user.click(await screen.findByRole('combobox', { name: 'Value of site' }));
  // Only boilers are counted: the pump in Metz is not.
  await user.click(await screen.findByRole('option', { name: /Metz\s*1/ }));
  await waitFor(() => expect(window.location.search).toBe('?type=boiler&tag=site%3AMetz'));
  await waitFor(() => expect(names()).toEqual(['boiler-3']));
});

test('devices that are silent for longer than a chosen time are found', async () => {
  const { user } = openPage(service, '/devices');
  await user.click(await screen.findByRole('button', { name: 'Filter' }));
  await user.click(await screen.findByRole('radio', { name: '1 h' }));
  await waitFor(() => expect(window.location.search).toBe('?silentFor=3600'));
  await waitFor(() => expect(names()).toEqual(['boiler-3']));
  await user.click(screen.getByRole('button', { name: 'Filter' }));
  await user.click(await screen.findByRole('radio', { name: '15 min' }));
  await waitFor(() => expect(window.location.search).toBe('?silentFor=900'));
  const open = async () => {
    await user.click(screen.getByRole('button', { name: 'Filter' }));
    return screen.findByRole('textbox', { name: 'Silent for more than' });
  };
  const count = await open();
  for (const text of ['long', '0', '5256001']) {
    await user.clear(count);
    await user.type(count, `${text}{Enter}`);
    await screen.findByText('Enter a number greater than 0, at most 3,650 days.');
  }
  await user.clear(count);
  await user.type(count, '5{Enter}');
  await waitFor(() => expect(window.location.search).toBe('?silentFor=300'));
  await user.type(await open(), '2,5');
  await user.click(screen.getByRole('combobox', { name: 'Unit' }));
  await user.click(await screen.findByRole('option', { name: 'hours' }));
  await user.click(screen.getByRole('button', { name: 'Add filter: silent for more than' }));
  await waitFor(() => expect(window.location.search).toBe('?silentFor=9000'));
  expect(await screen.findByText('No matching devices')).toBeTruthy();
  await user.click(
    await screen.findByRole('button', { name: 'Remove filter Silent for more than 2 h 30 min' }),
  );
  await waitFor(() => expect(window.location.search).toBe(''));
  await waitFor(() => expect(document.activeElement, 'stays on the page').not.toBe(document.body));
});

test('devices are grouped by a tag, worst first, and each group opens its devices', async () => {
  const { user } = openPage(service, '/devices');
  await user.click(await screen.findByRole('button', { name: 'Group' }));
  await user.click(await screen.findByRole('combobox', { name: 'Group by' }));
  await user.click(await screen.findByRole('option', { name: /site/ }));
  await waitFor(() => expect(window.location.search).toBe('?group=site'));
  const table = await screen.findByRole('table', { name: 'Devices by site' });
  await within(table).findByRole('row', { name: /Metz/ });
  expect(names()).toEqual(['Metz', 'Lyon', 'Without site']);
  await user.click(within(table).getByRole('link', { name: 'Without site' }));
  await waitFor(() => expect(window.location.search).toBe('?withoutTag=site'));
  await waitFor(() => expect(names()).toEqual(['pump-2']));
  expect(await screen.findByRole('button', { name: 'Remove filter Without tag site' })).toBeTruthy();
});

test('Enter after the chosen tag is typed again keeps it', async () => {
  const own = await startTestService();
  onTestFinished(() => own.close());
  for (const tags of [{ area: 'a' }, { area: 'b' }, { site: 'Lyon' }])
    await own.request('POST', '/v1/devices', { body: { name: 'Pump', tags } });
  const { user } = openPage(own, '/devices?group=site');
  await screen.findByRole('table', { name: 'Devices by site' });
  await user.click(screen.getByRole('button', { name: /^Group/ }));
  const field = await screen.findByRole<HTMLInputElement>('combobox', { name: 'Group by' });
  await user.tripleClick(field);
  await user.keyboard('site');
  await screen.findByRole('option', { name: /area/ });
  await user.keyboard('{Enter}');
  await waitFor(() => expect(screen.queryByRole('option')).toBeNull());
  expect(window.location.search).toBe('?group=site');
});

test('groups are sorted by their name and by each count, the largest first, and the URL keeps the order', async () => {
  const { user } = openPage(service, '/devices?group=site');
  await screen.findByRole('link', { name: 'Metz' });
  const header = (name: string) => screen.getByRole('columnheader', { name });
  const sortBy = (name: string) => user.click(within(header(name)).getByRole('button'));
  expect(header('Offline').getAttribute('aria-sort')).toBe('descending');
  await sortBy('site');
  await waitFor(() => expect(names()).toEqual(['Lyon', 'Metz', 'Without site']));
  await sortBy('site');
  await waitFor(() => expect(names()).toEqual(['Without site', 'Metz', 'Lyon']));
  await sortBy('Never seen');
  await waitFor(() => expect(names()).toEqual(['Lyon', 'Metz', 'Without site']));
  await sortBy('Devices');
  await waitFor(() => expect(window.location.search).toBe('?group=site&sort=-total'));
  await sortBy('Devices');
  await waitFor(() => expect(names()).toEqual(['Without site', 'Metz', 'Lyon']));
  await sortBy('Offline');
  await waitFor(() => expect(window.location.search).toBe('?group=site'));
  await waitFor(() => expect(names()[0]).toBe('Metz'));
  expect(header('States')).toBeTruthy();
});

test('groups with the same counts are in the natural order of their names', async () => {
  const items = ['hall 10', 'hall 9', 'hall 1'].map((area, n) => ({
    externalId: `area-${n}`,
    tags: { area },
  }));
  await service.request('POST', '/v1/devices/batch', { body: { operation: 'upsert', items } });
  openPage(service, '/devices?group=area&q=area');
  await waitFor(() => expect(names()).toEqual(['hall 1', 'hall 9', 'hall 10']));
  const ids = (await service.request('GET', '/v1/devices?q=area')).body.data.map(
    ({ id }: { id: string }) => ({ id }),
  );
  await service.request('POST', '/v1/devices/batch', { body: { operation: 'delete', items: ids } });
});

test('groups keep the filters, and Overview shows the groups of the chosen tag', async () => {
  openPage(service, '/devices?group=site&type=boiler');
  await screen.findByRole('link', { name: 'Metz' });
  expect(names()).toEqual(['Metz', 'Lyon']);
  expect(screen.getByRole('link', { name: 'Lyon' }).getAttribute('href')).toBe(
    '/devices?type=boiler&tag=site%3ALyon',
  );

  const { user } = openPage(service, '/');
  const panel = await screen.findByRole('region', { name: 'Groups' });
  await user.click(await within(panel).findByRole('combobox', { name: 'Group by' }));
  await user.click(await screen.findByRole('option', { name: /site/ }));
  await waitFor(() =>
    expect(
      within(panel)
        .getAllByRole('listitem')
        .map(({ textContent }) => textContent),
    ).toEqual(['Metz1 offline of 2', 'Lyon0 offline of 2', 'Without site0 offline of 1']),
  );
  expect(within(panel).getByRole('link', { name: 'Metz' }).getAttribute('href')).toBe(
    '/devices?tag=site%3AMetz',
  );
  const offline = within(panel).getByRole('link', { name: '1 offline' });
  expect(offline.getAttribute('href')).toBe('/devices?tag=site%3AMetz&state=offline&sort=-lastSeenAt');
});

test('the groups on Overview count late devices too, and of two without offline devices the late one is worse', async () => {
  const samples = ['pump-2', 'boiler-2'].map((device) => ({ device, values: { a: 1 } }));
  await service.request('POST', '/v1/telemetry', { body: { samples } });
  await service.service.parts.presence.flush();
  clockMs += 400_000;
  await service.request('POST', '/v1/telemetry', { body: { samples: samples.slice(0, 1) } });
  await vi.waitUntil(
    async () => (await service.request('GET', '/v1/overview')).body.devices.byState.late === 1,
    { timeout: 20_000 },
  );
  openPage(service, '/');
  const panel = within(await screen.findByRole('region', { name: 'Groups' }));
  await panel.findByText('0 offline, 1 late of 2');
  expect(panel.getAllByRole('link').map(({ textContent }) => textContent)).toEqual([
    'Metz',
    '1 offline',
    'Lyon',
    'Without site',
  ]);
});

test('an empty tag value has a label, and no more tags are chosen than a filter accepts', async () => {
  const item = { externalId: 'empty-1', tags: { hall: '' } };
  await service.request('POST', '/v1/devices/batch', { body: { operation: 'upsert', items: [item] } });
  const { user } = openPage(service, '/devices?tag=hall:');
  expect(await screen.findByText('hall: (empty)')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Filter' }));
  await user.click(await screen.findByRole('combobox', { name: 'Tag' }));
  await user.click(await screen.findByRole('option', { name: /hall/ }));
  await user.click(await screen.findByRole('combobox', { name: 'Value of hall' }));
  expect(await screen.findByRole('option', { name: /\(empty\)\s*1/ })).toBeTruthy();
  cleanup();

  const tags = Array.from({ length: 10 }, (_, index) => `tag=k:${index}`).join('&');
  const { user: other } = openPage(service, `/devices?${tags}`);
  await other.click(await screen.findByRole('button', { name: /^Filter/ }));
  expect(await screen.findByText('At most 10 tags.')).toBeTruthy();
  expect(screen.getByRole('combobox', { name: 'Tag' }).hasAttribute('disabled')).toBe(true);
});
