import { screen, waitFor } from '@testing-library/react';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '#tests/service/start-test-service.ts';
import { fill } from './fill.ts';
import { openPage } from './open-page.tsx';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  await service.request('POST', '/v1/devices', { body: { name: 'Boiler sensor' } });
  await service.request('POST', '/v1/pipelines', {
    body: { name: 'Boiler gateway', type: 'http', interval: 10, destination: 'telemetry' },
  });
  await service.mintKey(['devices:read'], { name: 'Boiler report' });
});
afterAll(() => service.close());

const open = async (token?: string) => {
  const { user } = openPage(service, '/telemetry', token);
  await screen.findByRole('heading', { name: 'Telemetry', level: 1 });
  await user.keyboard('{Control>}k{/Control}');
  return {
    user,
    field: await screen.findByRole<HTMLInputElement>('combobox', { name: 'Search or run an action' }),
  };
};
const optionsOf = (group: string) => {
  const found = screen.queryByRole('group', { name: group });
  return [...(found?.querySelectorAll('[role=option]') ?? [])].map(({ textContent }) => textContent);
};

// Before other tests load the code of the palette.
test('keys typed while the palette loads land in its field, and Enter waits for the results', async () => {
  const { user } = openPage(service, '/telemetry');
  await screen.findByRole('heading', { name: 'Telemetry', level: 1 });
  await user.keyboard('{Control>}k{/Control}boiler senx{Backspace}{Enter}');
  await screen.findByRole('heading', { name: 'Boiler sensor', level: 1 });
});

test('Enter does not open a result of an earlier text', async () => {
  const { user, field } = await open();
  await fill(user, field, 'boiler');
  await waitFor(() => expect(optionsOf('Devices')).toHaveLength(1));
  await user.type(field, ' gateway{Enter}');
  await screen.findByRole('heading', { name: 'Boiler gateway', level: 1 });
});

test('finds devices, pipelines, destinations and keys by name', async () => {
  const { user, field } = await open();
  await fill(user, field, 'boiler');
  await waitFor(() => {
    expect(optionsOf('Devices')).toEqual([expect.stringMatching(/^Boiler sensor/)]);
    expect(optionsOf('Pipelines')).toEqual(['Boiler gatewayRunning']);
    expect(optionsOf('API keys')).toEqual([expect.stringMatching(/^Boiler report/)]);
  });
  await user.clear(field);
  await fill(user, field, 'telemetry');
  await waitFor(() => expect(optionsOf('Destinations')).toHaveLength(1));
});

test('a device has its external ID beside its name, unless they are the same', async () => {
  await service.request('POST', '/v1/devices/batch', {
    body: {
      operation: 'upsert',
      items: [{ externalId: 'chiller-1' }, { externalId: 'ch-2', name: 'Chiller 2' }],
    },
  });
  const { user, field } = await open();
  await fill(user, field, 'chiller');
  await waitFor(() =>
    expect(optionsOf('Devices')).toEqual(['Chiller 2ch-2Never seen', 'chiller-1Never seen']),
  );
});

test('opens with an empty field each time', async () => {
  const { user, field } = await open();
  await fill(user, field, 'boiler');
  await user.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByRole('listbox')).toBeNull());
  await user.keyboard('{Control>}k{/Control}');
  expect((await screen.findByRole<HTMLInputElement>('combobox')).value).toBe('');
});

test('runs actions, on the page and on others', async () => {
  const { user, field } = await open();
  await waitFor(() =>
    expect(optionsOf('Actions')).toEqual([
      'Register device',
      'Connect device or tool',
      'Create pipeline',
      'Create API key',
    ]),
  );
  await user.type(field, 'dark theme{Enter}');
  await waitFor(() => expect(localStorage.getItem('penstock.theme')).toMatch(/dark/));
  await user.keyboard('{Control>}k{/Control}');
  await user.type(await screen.findByRole('combobox'), 'new key{Enter}');
  await screen.findByRole('dialog', { name: 'Create API key' });
  localStorage.clear();
});

test('offers only what the session can do', async () => {
  const { secret } = await service.mintKey(['telemetry:read', 'devices:read']);
  const { user, field } = await open(secret);
  await waitFor(() => expect(optionsOf('Actions')).toEqual([]));
  await fill(user, field, 'boiler');
  await waitFor(() => expect(optionsOf('Devices')).toHaveLength(1));
  expect([optionsOf('Pipelines'), optionsOf('API keys')]).toEqual([[], []]);
});
