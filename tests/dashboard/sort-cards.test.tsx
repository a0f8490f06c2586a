import { screen, waitFor, within } from '@testing-library/react';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { startTestService, type TestService } from '#tests/service/start-test-service.ts';
import { openPage } from './open-page.tsx';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  for (const [name, type] of [
    ['Boiler 1', 'boiler'],
    ['Pump 1', 'pump'],
  ])
    await service.request('POST', '/v1/devices', { body: { name, type } });
  await service.request('POST', '/v1/api-keys', { body: { name: 'Ada', scopes: ['devices:read'] } });
});
afterAll(() => service.close());

beforeEach(() => {
  const { matchMedia } = window;
  vi.spyOn(window, 'matchMedia').mockImplementation((query) =>
    Object.assign(matchMedia(query), { matches: query === '(width < 48rem)' }),
  );
});
afterEach(() => vi.restoreAllMocks());

test('a phone sorts the cards, and the address names the sort', async () => {
  const { user } = openPage(service, '/devices');
  const cards = async () =>
    within(await screen.findByRole('list', { name: 'Devices' }))
      .getAllByRole('link', { name: /Boiler|Pump/ })
      .map(({ textContent }) => textContent);
  expect(await cards()).toEqual(['Boiler 1', 'Pump 1']);
  await user.click(screen.getByRole('button', { name: 'Ascending. Reverse the order' }));
  await waitFor(() => expect(window.location.search).toBe('?sort=-name'));
  await waitFor(async () => expect(await cards()).toEqual(['Pump 1', 'Boiler 1']));
  await user.click(screen.getByRole('combobox', { name: 'Sort by' }));
  await user.click(await screen.findByRole('option', { name: 'Type' }));
  await waitFor(() => expect(window.location.search).toBe('?sort=type'));
  await waitFor(async () => expect(await cards()).toEqual(['Boiler 1', 'Pump 1']));
  await user.click(screen.getByRole('button', { name: 'Saved filters' }));
  expect(await screen.findByRole('textbox', { name: 'Name of the current filter' })).toBeTruthy();
});

test('a phone names a sort for which the list has no column, and returns to it', async () => {
  const { user } = openPage(service, '/settings/api-keys');
  const sortBy = await screen.findByRole('combobox', { name: 'Sort by' });
  expect(sortBy.textContent).toBe('Created');
  await user.click(sortBy);
  await user.click(await screen.findByRole('option', { name: 'Name' }));
  await waitFor(() => expect(window.location.search).toBe('?sort=name'));
  await user.click(screen.getByRole('combobox', { name: 'Sort by' }));
  await user.click(await screen.findByRole('option', { name: 'Created' }));
  await waitFor(() => expect(window.location.search).toBe('?sort=createdAt'));
});
