import { act, screen, waitFor, within } from '@testing-library/react';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '#tests/service/start-test-service.ts';
import { openPage, type OpenPage } from './open-page.tsx';

const KEY = 'penstock.devices.filters';
let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  await service.request('PATCH', '/v1/session', { body: { label: 'Ada' } });
  for (const [name, type] of [
    ['Boiler 1', 'boiler'],
    ['Pump 1', 'pump'],
  ])
    await service.request('POST', '/v1/devices', { body: { name, type } });
});
afterAll(() => service.close());

const store = (text: string | null) => {
  if (text === null) localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, text);
  window.dispatchEvent(new StorageEvent('storage', { key: KEY }));
};
afterEach(() => store(null));

const openSaved = async (user: OpenPage['user']) => {
  await user.click(await screen.findByRole('button', { name: 'Saved filters' }));
  return within(await screen.findByRole('dialog', { name: 'Saved filters' }));
};
const namesIn = (panel: ReturnType<typeof within>) =>
  within(panel.getByRole('list', { name: 'Saved filters' }))
    .getAllByRole('button', { name: /^(?!Rename|Delete)/ })
    .map(({ textContent }) => textContent);

test('a filter is saved with the sort, found after a reload, and applied', async () => {
  const { user, unmount } = openPage(service, '/devices?type=boiler&sort=-lastSeenAt');
  let panel = await openSaved(user);
  await user.type(panel.getByRole('textbox', { name: 'Name of the current filter' }), 'Boilers{Enter}');
  expect(namesIn(panel)).toEqual(['Boilerscurrent']);
  const field = panel.getByRole<HTMLInputElement>('textbox', { name: 'Name of the current filter' });
  expect(field.value).toBe('');
  await waitFor(() => expect(document.activeElement).toBe(field));
  await user.type(panel.getByRole('textbox', { name: 'Name of the current filter' }), 'boilers{Enter}');
  expect(panel.getByText('Already used. Choose another name.')).toBeTruthy();
  unmount();
  const { user: again } = openPage(service, '/devices');
  await screen.findByRole('row', { name: /Pump 1/ });
  panel = await openSaved(again);
  expect(panel.getByText(/^Filter or sort the devices/)).toBeTruthy();
  await again.click(panel.getByRole('button', { name: 'Boilers' }));
  await waitFor(() => expect(screen.queryByRole('row', { name: /Pump 1/ })).toBeNull());
  expect(window.location.search).toBe('?type=boiler&sort=-lastSeenAt');
  expect(screen.queryByRole('dialog', { name: 'Saved filters' })).toBeNull();
});

test('a saved filter is renamed with the keyboard, deleted, and restored from the toast', async () => {
  store(JSON.stringify([{ name: 'Pumps', query: 'type=pump' }]));
  const { user } = openPage(service, '/devices');
  const panel = await openSaved(user);
  await user.click(panel.getByRole('button', { name: 'Rename Pumps' }));
  const field = panel.getByRole('textbox', { name: 'New name of Pumps' });
  await waitFor(() => expect(document.activeElement).toBe(field));
  await user.keyboard('{Escape}');
  expect(namesIn(panel)).toEqual(['Pumps']);
  await waitFor(() =>
    expect(document.activeElement).toBe(panel.getByRole('button', { name: 'Rename Pumps' })),
  );
  await user.click(panel.getByRole('button', { name: 'Rename Pumps' }));
  await user.clear(panel.getByRole('textbox', { name: 'New name of Pumps' }));
  await user.keyboard('All pumps{Enter}');
  expect(namesIn(panel)).toEqual(['All pumps']);
  await waitFor(() =>
    expect(document.activeElement).toBe(panel.getByRole('button', { name: 'Rename All pumps' })),
  );
  await user.click(panel.getByRole('button', { name: 'Delete All pumps' }));
  expect(panel.queryByRole('list')).toBeNull();
  await waitFor(() =>
    expect(screen.getByRole('dialog', { name: 'Saved filters' }).contains(document.activeElement)).toBe(true),
  );
  await user.click(await screen.findByRole('button', { name: 'Undo' }));
  await waitFor(() => expect(localStorage.getItem(KEY)).toContain('All pumps'));
});

test('stored text that is not a list of filters is ignored', async () => {
  store('[{"name":"Good","query":"type=pump"},{"name":7},null]');
  const { user } = openPage(service, '/devices');
  expect(namesIn(await openSaved(user))).toEqual(['Good']);
});

test('a half-typed name survives when other filters are deleted, or saved in another tab', async () => {
  store(JSON.stringify([{ name: 'Pumps', query: 'type=pump' }]));
  const { user } = openPage(service, '/devices?type=boiler');
  const panel = await openSaved(user);
  const field = panel.getByRole<HTMLInputElement>('textbox', { name: 'Name of the current filter' });
  await user.type(field, 'Boi');
  await user.click(panel.getByRole('button', { name: 'Delete Pumps' }));
  await waitFor(() => expect(document.activeElement).toBe(field));
  act(() => store(JSON.stringify([{ name: 'Late', query: 'state=late' }])));
  expect(namesIn(panel)).toEqual(['Late']);
  await user.keyboard('lers{Enter}');
  expect(namesIn(panel)).toEqual(['Boilerscurrent', 'Late']);
  // Otherwise the next test shows the toast.
  await screen.findByText('Deleted Pumps');
});

test('Undo keeps a newer filter of the same name', async () => {
  store(JSON.stringify([{ name: 'Pumps', query: 'type=pump' }]));
  const { user } = openPage(service, '/devices');
  const panel = await openSaved(user);
  await user.click(panel.getByRole('button', { name: 'Delete Pumps' }));
  const newer = JSON.stringify([{ name: 'pumps', query: 'type=boiler' }]);
  act(() => store(newer));
  await user.click(await screen.findByRole('button', { name: 'Undo' }));
  expect(await screen.findByText(/^Pumps was not restored/)).toBeTruthy();
  expect(localStorage.getItem(KEY)).toBe(newer);
});

test('the last free place moves the focus to the panel', async () => {
  const names = Array.from({ length: 49 }, (_, n) => `Filter ${n}`);
  store(JSON.stringify(names.map((name) => ({ name, query: 'type=pump' }))));
  const { user } = openPage(service, '/devices?type=boiler');
  const panel = await openSaved(user);
  await user.type(panel.getByRole('textbox', { name: 'Name of the current filter' }), 'Boilers{Enter}');
  expect(panel.getByText(/^At most 50 filters/)).toBeTruthy();
  await waitFor(() =>
    expect(screen.getByRole('dialog', { name: 'Saved filters' }).contains(document.activeElement)).toBe(true),
  );
});

test('a filter that is too long to be stored is not offered for saving', async () => {
  const { user } = openPage(service, `/devices?q=${'x'.repeat(10_000)}`);
  const panel = await openSaved(user);
  expect(panel.getByText(/^This filter is too long to save/)).toBeTruthy();
  expect(panel.queryByRole('textbox')).toBeNull();
});
