import { screen, within } from '@testing-library/react';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startTestService, type TestService } from '#tests/service/start-test-service.ts';
import { openPage } from './open-page.tsx';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  await service.request('PATCH', '/v1/session', { body: { label: 'Ada' } });
});
afterAll(() => service.close());

test('without devices it offers the next step', async () => {
  openPage(service, '/');
  expect(await screen.findByText('No device has reported yet')).toBeTruthy();
  const next = screen.getByRole('link', { name: 'Register a device' });
  expect(next.getAttribute('href')).toBe('/devices?register=new');
});

test('each state links to its devices, and events name actor and subject', async () => {
  await service.request('POST', '/v1/devices', { body: { name: 'Boiler 1' } });
  await service.request('POST', '/v1/telemetry', {
    body: { samples: [{ device: 'pump-1', values: { flow: 3 } }] },
  });
  await vi.waitFor(async () => {
    const { body } = await service.request('GET', '/v1/overview');
    expect(body.devices.byState.online).toBe(1);
  }, 5_000);
  const { user } = openPage(service, '/');
  const online = await screen.findByRole('link', { name: 'Online: 1 device' });
  expect(screen.getByRole('link', { name: 'Never seen: 1 device' })).toBeTruthy();
  const events = screen.getByRole('region', { name: 'Latest events' });
  expect(await within(events).findAllByText(/by Ada/)).toHaveLength(2);
  await user.click(online);
  await screen.findByRole('row', { name: /pump-1/ });
  expect(window.location.search).toBe('?state=online');
  expect(screen.queryByRole('row', { name: /Boiler 1/ })).toBeNull();
});
