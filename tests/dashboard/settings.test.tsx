import { screen, waitFor, within } from '@testing-library/react';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { themeChoice } from '#dashboard/ui/browser/theme.ts';
import { timeZoneChoice } from '#dashboard/ui/format/format-time.ts';
import { startTestService, type TestService } from '#tests/service/start-test-service.ts';
import { openPage } from './open-page.tsx';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ env: { MQTT_PORT: '0', REGISTRATION_LIMIT: '2500' } });
  await service.request('PATCH', '/v1/session', { body: { label: 'Ada' } });
});
afterAll(async () => {
  themeChoice.set('system');
  timeZoneChoice.set('local');
  await service.close();
});

const valueOf = async (panel: string, name: string): Promise<HTMLElement> => {
  const region = within(await screen.findByRole('region', { name: panel }));
  const term = await region.findByText(name);
  return term.nextElementSibling as HTMLElement;
};

test('Connection shows the addresses for devices, with a button to copy each', async () => {
  openPage(service, '/settings/connection');
  await screen.findByRole('button', { name: `Copy: ${service.url}/v1` });
  expect(screen.getByText(`${service.url}/api/v2/write`)).toBeDefined();
  expect(screen.getByText(`${service.url}/api/v1/write`)).toBeDefined();
  expect(screen.getByText(`${service.url}/otlp`)).toBeDefined();
  expect((await valueOf('Addresses', 'MQTT broker')).textContent).toBe('Off (MQTT_PORT is 0)');
  expect((await valueOf('Addresses', 'New devices')).textContent).toContain('Up to 2,500 an hour');
});

test('Connection shows who is signed in, and with which access', async () => {
  openPage(service, '/settings/connection');
  await waitFor(async () => expect((await valueOf('Your session', 'Name')).textContent).toBe('Ada'));
  expect((await valueOf('Your session', 'Signed in with')).textContent).toBe('A sign-in link');
  expect((await valueOf('Your session', 'Access')).textContent).toContain('Full access');
});

test('Appearance changes the theme and the time zone at once', async () => {
  const { user } = openPage(service, '/settings/appearance');
  await user.click(await screen.findByRole('radio', { name: /^Dark/u }));
  expect(themeChoice.get()).toBe('dark');
  await user.click(screen.getByRole('radio', { name: /^UTC/u }));
  expect(timeZoneChoice.get()).toBe('utc');
});

test('About shows the version, the licences and the stored data', async () => {
  openPage(service, '/settings/about');
  await screen.findByText('0.1.0');
  expect(screen.getByRole('link', { name: 'All licences' }).getAttribute('href')).toBe('/licences.txt');
  await waitFor(async () => expect((await valueOf('Storage', 'Samples')).textContent).toBe('0'));
  await waitFor(async () => expect((await valueOf('Storage', 'Disk')).textContent).toBe('Accepts data'));
  expect((await valueOf('Storage', 'Free space')).textContent).toMatch(/[KMGT]B$/u);
});

test('About leaves out the figures that a key with one device cannot see', async () => {
  const { body: device } = await service.request('POST', '/v1/devices', { body: { name: 'Pump' } });
  const { body: key } = await service.request('POST', '/v1/api-keys', {
    body: { name: 'Pump', scopes: ['telemetry:read'], devices: [device.id] },
  });
  openPage(service, '/settings/about', key.secret);
  await waitFor(async () => expect((await valueOf('Storage', 'Disk')).textContent).toBe('Accepts data'));
  await waitFor(() => expect(screen.queryByText('Free space')).toBeNull());
  expect(screen.queryByText('Samples')).toBeNull();
});

test('Settings opens the first section that the key can read; a link to another one says why it is empty', async () => {
  const { body: device } = await service.request('POST', '/v1/devices', { body: { name: 'Fan' } });
  const keyWith = async (scopes: string[], more = {}) =>
    (await service.request('POST', '/v1/api-keys', { body: { name: scopes.join(), scopes, ...more } })).body
      .secret;
  const limited = await keyWith(['devices:read'], { devices: [device.id] });
  const sections: [string | undefined, string][] = [
    [undefined, 'API keys'],
    [await keyWith(['pipelines:read']), 'Destinations'],
    [limited, 'Connection'],
  ];
  for (const [token, title] of sections) {
    const { unmount } = openPage(service, '/settings', token);
    expect(await screen.findByRole('heading', { level: 1, name: title })).toBeTruthy();
    unmount();
  }
  openPage(service, '/settings/api-keys', limited);
  expect(await screen.findByText(/You do not have access/)).toBeTruthy();
});
