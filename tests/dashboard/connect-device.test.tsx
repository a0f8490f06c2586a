import { screen, waitFor } from '@testing-library/react';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startTestService, type TestService } from '#tests/service/start-test-service.ts';
import { openPage } from './open-page.tsx';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  await service.request('PATCH', '/v1/session', { body: { label: 'Ada' } });
});
afterAll(() => service.close());

const register = async (name: string): Promise<{ id: string; externalId: string }> =>
  (await service.request('POST', '/v1/devices', { body: { name } })).body;
const snippet = (label: string) => screen.findByRole('region', { name: `Send a sample with ${label}` });
const send = (device: string, token = service.token) =>
  service.request('POST', '/v1/telemetry', {
    token,
    body: { samples: [{ device, values: { temperature: 21.5123456 } }] },
  });

test('a new device is connected with its own key, and the page reports its first message', async () => {
  const boiler = await register('Boiler 1');
  const pump = await register('Pump 1');
  const { user } = openPage(service, `/devices/${boiler.id}`);
  await screen.findByText('Waiting for the first message');
  expect((await snippet('curl')).textContent).toContain('YOUR_API_KEY');

  await user.click(screen.getByRole('button', { name: 'Create key' }));
  const secret = (await screen.findByText(/^pen_key_[0-9A-Za-z]{49}$/)).textContent;
  expect((await snippet('curl')).textContent).toContain(`Bearer ${secret}`);
  await user.click(screen.getByRole('button', { name: 'Copy: Send a sample with curl' }));
  await screen.findByRole('button', { name: 'Copied' });
  await user.click(screen.getByRole('combobox', { name: 'Send with' }));
  await user.click(await screen.findByRole('option', { name: 'Python' }));
  expect((await snippet('Python')).textContent).toContain(`Bearer ${secret}`);
  expect(screen.getByRole('button', { name: 'Copy: Send a sample with Python' })).toBeTruthy();
  expect(window.location.search).toBe('?connect=python');

  expect((await send(boiler.externalId, secret)).status).toBe(200);
  await screen.findByText('Message received');
  expect((await send(pump.externalId, secret)).status).toBe(422);
  await screen.findByText('Some data is rejected');
  await screen.findByText('1 sample from 1 device accepted, 1 sample rejected');
  // The message is on the page too, before or after the value.
  await waitFor(() =>
    expect(screen.getAllByText('21.5123').map((value) => value.previousSibling?.textContent)).toContain(
      'temperature',
    ),
  );
});

test('the first message never appears as one without stored samples', async () => {
  const boiler = await register('Boiler 2');
  openPage(service, `/devices/${boiler.id}`);
  await screen.findByText('No samples yet');
  const shown: string[] = [];
  const observer = new MutationObserver(() => shown.push(document.body.textContent));
  observer.observe(document.body, { childList: true, characterData: true, subtree: true });
  onTestFinished(() => observer.disconnect());
  await send(boiler.externalId);
  await screen.findByRole('link', { name: 'Open in Telemetry' });
  expect(shown.filter((text) => text.includes('No stored samples'))).toEqual([]);
});

test('a device that was never seen explains the samples that an import or a replay stored', async () => {
  const boiler = await register('Boiler 9');
  await service.request('POST', '/v1/telemetry?backfill=true', {
    body: { samples: [{ device: boiler.externalId, values: { temperature: 20 } }] },
  });
  openPage(service, `/devices/${boiler.id}`);
  await screen.findByText('Waiting for the first message');
  await screen.findByText(/^The stored samples are from a replay, an import or a last will\./);
  await send(boiler.externalId);
  await screen.findByText('Message received');
  expect(screen.queryByText(/^The stored samples/)).toBeNull();
});

test('the page of a device whose samples go elsewhere says so', async () => {
  const boiler = await register('Boiler 3');
  await service.request('POST', '/v1/destinations', {
    body: { name: 'Files', type: 'file', options: { folder: 'boilers' } },
  });
  const { body: pipeline } = await service.request('POST', '/v1/pipelines', {
    body: { name: 'Boilers to files', type: 'http', interval: 5, destination: 'Files' },
  });
  await service.request('POST', `/v1/pipelines/${pipeline.id}/messages`, {
    body: { device: boiler.externalId, values: { temperature: 21 } },
  });
  openPage(service, `/devices/${boiler.id}`);
  await screen.findByText('No stored samples');
});

test('a key that nobody copied is revoked when Connect closes, a copied one is not', async () => {
  const boiler = await register('Boiler 9');
  const { user } = openPage(service, `/devices/${boiler.id}`);
  const keys = async () => {
    const { body } = await service.request('GET', '/v1/api-keys?q=Boiler%209');
    return body.data.map(({ revokedAt }: { revokedAt: string | null }) => revokedAt !== null);
  };
  await user.click(await screen.findByRole('button', { name: 'Create key' }));
  await screen.findByText(/^pen_key_/);
  await user.click(screen.getByRole('button', { name: 'Close Connect' }));
  await screen.findByText('Revoked Boiler 9 (Connect)');
  await waitFor(async () => expect(await keys()).toEqual([true]));

  await user.click(screen.getByRole('button', { name: 'Connect' }));
  await user.click(await screen.findByRole('button', { name: 'Create key' }));
  await user.click(await screen.findByRole('button', { name: 'Copy secret' }));
  await user.click(screen.getByRole('button', { name: 'Close Connect' }));
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Close Connect' })).toBeNull());
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Connect' }));
  expect((await keys()).toSorted()).toEqual([false, true]);
});

test('Connect on a known device waits for the next message', async () => {
  const boiler = await register('Boiler 2');
  await send(boiler.externalId);
  await waitFor(async () => {
    const { body } = await service.request('GET', `/v1/devices/${boiler.id}`);
    expect(body.lastSeenAt).not.toBeNull();
  });
  const { user } = openPage(service, `/devices/${boiler.id}`);
  await user.click(await screen.findByRole('button', { name: 'Connect' }));
  await screen.findByText('Waiting for the next message');
  expect(window.location.search).toBe('?connect=curl');
  await user.click(screen.getByRole('button', { name: 'Close Connect' }));
  await waitFor(() => expect(screen.queryByText('Waiting for the next message')).toBeNull());
});

test('without a listening broker, the MQTT example explains why', async () => {
  const boiler = await register('Boiler 3');
  openPage(service, `/devices/${boiler.id}?connect=mqtt`);
  await screen.findByText(/The embedded MQTT broker is not listening/);
});

test('a session without api-keys:manage sees the missing scope and the examples', async () => {
  const boiler = await register('Boiler 4');
  const { secret } = await service.mintKey(['devices:read', 'telemetry:read', 'telemetry:write']);
  openPage(service, `/devices/${boiler.id}`, secret);
  await screen.findByText(/You need api-keys:manage/);
  expect((await snippet('curl')).textContent).toContain('YOUR_API_KEY');
  expect(screen.queryByRole('button', { name: 'Create key' })).toBeNull();
});
