import { screen, waitFor, within } from '@testing-library/react';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { startTestService, type TestService } from '#tests/service/start-test-service.ts';
import { freePort } from '#tests/service/free-port.ts';
import { queryClient } from '#dashboard/api/query-client.ts';
import { openPage } from './open-page.tsx';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ env: { ALLOWED_NETWORKS: '127.0.0.1/32' } });
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
  }, 20_000);
  const { user } = openPage(service, '/');
  const online = await screen.findByRole('link', { name: 'Online 1 device' });
  expect(screen.getByRole('link', { name: 'Never seen 1 device' })).toBeTruthy();
  const events = screen.getByRole('region', { name: 'Latest events' });
  expect(await within(events).findAllByText(/by Ada/)).toHaveLength(2);
  const changes = within(screen.getByRole('region', { name: 'Changes in the last hour' }));
  const registered = await changes.findByRole('link', { name: 'Devices registered 2' });
  expect(registered.getAttribute('href')).toBe('/activity?type=device.registered&from=-1h');
  await user.click(online);
  await screen.findByRole('row', { name: /pump-1/ });
  expect(window.location.search).toBe('?state=online');
  expect(screen.queryByRole('row', { name: /Boiler 1/ })).toBeNull();
});

test('pipelines that need attention stand worst first with reason and duration, and stay in their place', async () => {
  const create = async (name: string, more: object): Promise<string> =>
    (
      await service.request('POST', '/v1/pipelines', {
        body: { name, type: 'http', interval: 1, destination: 'telemetry', ...more },
      })
    ).body.id;
  const codeOf = async (id: string) =>
    (await service.request('GET', `/v1/pipelines/${id}`)).body.stateReason?.code;
  await create('A draft', { type: 'opc-ua' });
  const rejecting = await create('Broken sender', {});
  const url = `http://127.0.0.1:${await freePort()}/`;
  const unanswered = await create('Compressor', { type: 'http-poll', config: { url } });
  await service.request('POST', `/v1/pipelines/${rejecting}/messages`, { body: '{"temp": nonsense' });
  await vi.waitFor(async () => {
    expect(await codeOf(rejecting)).toBe('rejections');
    expect(await codeOf(unanswered)).toBe('source');
  }, 20_000);
  openPage(service, '/');
  const panel = await screen.findByRole('region', { name: 'Pipelines' });
  const lines = () =>
    within(panel)
      .getAllByRole('listitem')
      .map(({ textContent }) => textContent ?? '');
  await within(panel).findByText('Compressor');
  await screen.findByText('Live');
  expect(lines()).toEqual([
    expect.stringMatching(/^CompressorNo responseSource not responding for \d+ s: .*refused/),
    expect.stringMatching(/^Broken senderDegradedSamples rejected for \d+ s: 1 of 1 samples/),
    expect.stringMatching(/^A draftDraftUnknown type: opc-ua/),
  ]);
  await service.request('PATCH', `/v1/pipelines/${unanswered}`, {
    body: { type: 'http', config: { url: null } },
  });
  await waitFor(() => expect(lines()[0]).toBe('CompressorRunningRecovered.'));
});

test('a key limited to a device sees its count, and sends no request that is rejected', async () => {
  const { body } = await service.request('POST', '/v1/devices', { body: { name: 'Only mine' } });
  const { secret } = await service.mintKey(['devices:read'], { devices: [body.id] });
  // The tags are known only after the page was painted.
  const painted = Promise.withResolvers<void>();
  const send = globalThis.fetch;
  const fetched = vi.spyOn(globalThis, 'fetch').mockImplementation(async (url, init) => {
    const address = url instanceof Request ? url.url : url.toString();
    if (address.includes('/facets')) await painted.promise;
    return send(url, init);
  });
  onTestFinished(() => fetched.mockRestore());
  // Chosen in this browser, when devices had this tag.
  localStorage.setItem('penstock.overview.group', 'site');
  onTestFinished(() => localStorage.removeItem('penstock.overview.group'));
  const shown = new Set<string | null>();
  const observer = new MutationObserver(() => {
    for (const region of screen.queryAllByRole('region')) shown.add(region.getAttribute('aria-label'));
  });
  observer.observe(document.body, { childList: true, subtree: true });
  onTestFinished(() => observer.disconnect());
  openPage(service, '/', secret);
  expect(await screen.findByRole('link', { name: 'Never seen 1 device' })).toBeTruthy();
  const regions = () => screen.getAllByRole('region').map((region) => region.getAttribute('aria-label'));
  await waitFor(() => expect(regions()).toEqual(['Devices']));
  await import('#dashboard/pages/overview/groups-panel.tsx');
  painted.resolve();
  await waitFor(() => expect(queryClient.isFetching()).toBe(0));
  expect([...shown], 'not even for a moment').not.toContain('Groups');
  const answers = await Promise.all(fetched.mock.results.map(({ value }) => value as Promise<Response>));
  expect(answers.filter(({ ok }) => !ok).map(({ url }) => url)).toEqual([]);
});
