import { cleanup, render, screen, waitFor, within } from '@testing-library/react';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { ATTENTION_ITEMS } from '#contract/attention.ts';
import { IngestPanel } from '#dashboard/pages/overview/ingest-panel.tsx';
import { StoragePanel } from '#dashboard/pages/overview/storage-panel.tsx';
import { startTestService, type TestService } from '#tests/service/start-test-service.ts';
import { freePort } from '#tests/service/free-port.ts';
import { queryClient } from '#dashboard/api/query-client.ts';
import { fill } from './fill.ts';
import { openPage } from './open-page.tsx';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ env: { ALLOWED_NETWORKS: '127.0.0.1/32' } });
  await service.request('PATCH', '/v1/session', { body: { label: 'Ada' } });
});
afterAll(() => service.close());

test('without devices it offers the next step', async () => {
  openPage(service, '/');
  expect(await screen.findByText('No devices yet')).toBeTruthy();
  const next = screen.getByRole('link', { name: 'Register a device' });
  expect(next.getAttribute('href')).toBe('/devices?register=new');
  const attention = within(screen.getByRole('region', { name: 'Needs attention' }));
  expect(await attention.findByText('Nothing needs attention')).toBeTruthy();
});

test('without API keys it offers the first one, whose curl line sends a sample', async () => {
  const own = await startTestService();
  onTestFinished(() => own.close());
  const { user } = openPage(own, '/');
  await user.click(await screen.findByRole('link', { name: 'Create first API key' }));
  const drawer = within(await screen.findByRole('dialog', { name: 'Create API key' }));
  expect(await drawer.findByRole('radio', { name: /^Device: write telemetry/ })).toHaveProperty(
    'checked',
    true,
  );
  await fill(user, drawer.getByRole('textbox', { name: 'Name' }), 'First key');
  await user.click(drawer.getByRole('button', { name: 'Create key' }));
  const created = within(await screen.findByRole('dialog', { name: 'Created First key' }));
  const secret = created.getByText(/^pen_key_/).textContent;
  expect(created.getByText(/^curl/).textContent).toBe(
    `curl -H "Authorization: Bearer ${secret}" ${own.url}/v1/telemetry \\
  -H 'Content-Type: application/json' \\
  -d '{"samples":[{"device":"my-device","values":{"temperature":21.5}}]}'`,
  );
  cleanup();
  openPage(own, '/');
  await screen.findByText('No devices yet');
  await waitFor(() => expect(queryClient.isFetching()).toBe(0));
  expect(screen.queryByRole('link', { name: 'Create first API key' })).toBeNull();
});

test('the devices that send most of the samples are named with their share', async () => {
  const own = await startTestService();
  onTestFinished(() => own.close());
  await own.request('POST', '/v1/devices', { body: { name: 'Boiler 7', externalId: 'boiler-7' } });
  openPage(own, '/');
  await screen.findByText('Busiest in the last 5 to 10 min: all below 10%');
  cleanup();
  const samples = Array.from({ length: 10 }, (_, index) => ({
    device: index < 7 ? 'boiler-7' : 'pump-1',
    values: { flow: index },
  }));
  await own.request('POST', '/v1/telemetry', { body: { samples } });
  openPage(own, '/');
  const busiest = await screen.findByText(/^Busiest in the last 5 to 10 min/);
  expect(busiest.textContent).toBe('Busiest in the last 5 to 10 min: Boiler 7 (70%), pump-1 (30%)');
  const boiler = within(busiest).getByRole('link', { name: 'Boiler 7' });
  expect(boiler.getAttribute('href')).toMatch(/^\/devices\/dev_/);
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

test('a run of events that continues beyond the list has at least their number', async () => {
  const own = await startTestService();
  onTestFinished(() => own.close());
  for (let batch = 0; batch < 9; batch += 1) {
    const items = Array.from({ length: 500 }, (_, n) => ({ externalId: `device-${batch}-${n}` }));
    await own.request('POST', '/v1/devices/batch', { body: { operation: 'upsert', items } });
  }
  openPage(own, '/');
  const events = within(await screen.findByRole('region', { name: 'Latest events' }));
  await waitFor(() =>
    expect(events.getAllByRole('listitem').at(-1)?.textContent).toMatch(
      /^At least [\d,]+ devices were registered/,
    ),
  );
});

test('what needs attention stands worst first with reason and duration, and stays in its place', async () => {
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
  const panel = await screen.findByRole('region', { name: 'Needs attention' });
  const lines = () =>
    within(panel)
      .getAllByRole('listitem')
      .map(({ textContent }) => textContent ?? '');
  await within(panel).findByText('Compressor');
  await screen.findByText('Live');
  expect(lines()).toEqual([
    expect.stringMatching(/^CompressorDegradedSource failing for \d+ s: .*refused/),
    expect.stringMatching(/^Broken senderDegradedSamples rejected for \d+ s: 1 of 1 samples/),
    expect.stringMatching(/^A draftDraftUnknown type: opc-ua/),
  ]);
  await service.request('PATCH', `/v1/pipelines/${unanswered}`, {
    body: { type: 'http', config: { url: null } },
  });
  await waitFor(() => expect(lines()[0]).toBe('CompressorNo longer reported.'));
  const counts = within(screen.getByRole('region', { name: 'Pipelines' }));
  expect(counts.getByRole('link', { name: 'Draft 1' }).getAttribute('href')).toBe('/pipelines?state=draft');
});

test('each entry says how often and since when, and leads to the page that fixes it', async () => {
  const post = async (path: string, body: unknown) => (await service.request('POST', path, { body })).body;
  const { id } = await post('/v1/pipelines', {
    name: 'Plant',
    type: 'http',
    interval: 1,
    destination: 'telemetry',
  });
  const send = (body: unknown) => post(`/v1/pipelines/${id}/messages`, body);
  const nowMs = Date.now();
  const accepted = Array.from({ length: 300 }, (_, n) => ({
    device: 'fan-1',
    ts: nowMs - n,
    values: { n },
  }));
  await send({ samples: accepted });
  await send({ device: 'fan-2', ts: 4_000_000_000_000, values: { n: 1 } });
  const key = await service.mintKey(['devices:read'], { name: 'Gateway 4' });
  await service.request('DELETE', `/v1/api-keys/${key.id}`);
  for (let call = 0; call < 2; call += 1) await service.request('GET', '/v1/devices', { token: key.secret });
  const countOf = async (kind: string) =>
    (await service.request('GET', '/v1/overview')).body.attention.items.find(
      (item: { kind: string }) => item.kind === kind,
    )?.count;
  await vi.waitFor(async () => {
    expect(await countOf('samples-rejected')).toBe(1);
    expect(await countOf('api-key-refused')).toBe(2);
  }, 20_000);
  openPage(service, '/');
  const panel = within(await screen.findByRole('region', { name: 'Needs attention' }));
  const lineOf = async (name: string) =>
    (await panel.findByRole('link', { name })).closest('li')?.textContent;
  const pathOf = (name: string) => panel.getByRole('link', { name }).getAttribute('href');
  expect(await lineOf('fan-2')).toMatch(
    /^fan-2RejectedTimestamp in the future: 1 sample rejected (just now|\d+ s ago)\. In pipeline Plant\.$/,
  );
  expect(pathOf('fan-2')).toMatch(/^\/devices\/dev_/);
  expect(await lineOf('Gateway 4')).toMatch(
    /^Gateway 4Rejected2 requests with this revoked key in the last \d+ s, the latest .*\. From 127\.0\.0\.1\.$/,
  );
  expect(pathOf('Gateway 4')).toBe(`/settings/api-keys?key=${key.id}&revoked=shown`);
});

test('a few offline devices are listed by name, more as one entry that links to their list', async () => {
  const ids: string[] = [];
  const goOffline = async (name: string) => {
    const tags = { line: name === 'Vent 1' ? 'A' : 'B' };
    const { body } = await service.request('POST', '/v1/devices', { body: { name, tags } });
    ids.push(body.id);
    await service.service.parts.db
      .updateTable('device')
      .set({ state: 'offline', last_seen_at: Date.now() - 720_000, offline_at: Date.now() - 120_000 })
      .where('id', '=', body.id)
      .execute();
    // Open pages learn of this change; the row above was written without the service.
    const { status } = await service.request('PATCH', `/v1/devices/${body.id}`, {
      body: { notes: 'Hall 2' },
    });
    expect(status).toBe(200);
  };
  onTestFinished(async () => {
    for (const id of ids) await service.request('DELETE', `/v1/devices/${id}`);
  });
  for (const n of [1, 2, 3, 4, 5]) await goOffline(`Vent ${n}`);
  openPage(service, '/');
  const panel = within(await screen.findByRole('region', { name: 'Needs attention' }));
  const link = await panel.findByRole('link', { name: 'Vent 5' });
  expect(link.getAttribute('href')).toBe(`/devices/${ids[4]}`);
  expect(link.closest('li')?.textContent).toBe('Vent 5OfflineOffline, last seen 12 min ago');
  await goOffline('Vent 6');
  const all = await panel.findByRole('link', { name: 'Offline devices' });
  expect(all.getAttribute('href')).toBe('/devices?state=offline&sort=-lastSeenAt');
  expect(all.closest('li')?.textContent).toMatch(
    /6 devices offline, the latest .* ago\. By line: B 5, A 1\. Latest: /,
  );
  expect(panel.getByRole('link', { name: 'B 5' }).getAttribute('href')).toBe(
    '/devices?state=offline&tag=line%3AB&sort=-lastSeenAt',
  );
  // They are still offline.
  expect(panel.queryByRole('link', { name: 'Vent 5' })).toBeNull();
  const tile = await screen.findByRole('link', { name: 'Offline 6 devices' });
  expect(
    within(tile).getByText('Offline').querySelector('.rounded-full'),
    'the dot of the state',
  ).not.toBeNull();
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

test('without pipelines:read it does not claim that nothing needs attention', async () => {
  const { secret } = await service.mintKey(['devices:read']);
  const attention = async () =>
    (await service.request('GET', '/v1/overview', { token: secret })).body.attention.items;
  // The devices of other tests are still being deleted.
  await expect.poll(attention).toEqual([]);
  openPage(service, '/', secret);
  const panel = within(await screen.findByRole('region', { name: 'Needs attention' }));
  await panel.findByText(/lacks pipelines:read/);
  expect(panel.queryByText('Nothing needs attention')).toBeNull();
});

test('an entry that a worse one pushes out of the list disappears, since it still lasts', async () => {
  for (let n = 0; n < ATTENTION_ITEMS + 1; n += 1)
    await service.request('POST', '/v1/pipelines', {
      body: { name: `Draft ${n}`, type: 'opc-ua', interval: 1, destination: 'telemetry' },
    });
  openPage(service, '/');
  const panel = within(await screen.findByRole('region', { name: 'Needs attention' }));
  const names = () => panel.getAllByRole('link').map(({ textContent }) => textContent ?? '');
  await panel.findByText(/^The 50 most severe of /);
  const before = names();
  const key = await service.mintKey(['devices:read'], { name: 'Gateway 5' });
  await service.request('DELETE', `/v1/api-keys/${key.id}`);
  await service.request('GET', '/v1/devices', { token: key.secret });
  await panel.findByRole('link', { name: 'Gateway 5' }, { timeout: 20_000 });
  expect(names()).toEqual([...before.slice(0, -1), 'Gateway 5']);
});

test('the room of a disk whose free space is unknown is not shown', () => {
  const storage = { samples: 5, bytes: 4_096, freeBytes: null, fullAt: null, growth: null };
  render(<StoragePanel storage={storage} disk={{ state: 'full', low: true }} />);
  expect(screen.getAllByRole('term').map(({ textContent }) => textContent)).toEqual([
    'Samples',
    'Telemetry on disk',
  ]);
});

test('a burst in the minute in progress changes neither its bar nor the scale', () => {
  const start = Date.parse('2026-11-27T10:00:00.000Z');
  const before = { ts: start, count: 240, perSecond: 4 };
  const bars = (perSecond: number) => {
    const current = { ts: start + 60_000, count: 100, perSecond };
    const { container, unmount } = render(
      <IngestPanel ingest={{ perSecond: 4.2, perMinute: [before, current], busiest: [] }} />,
    );
    const newest = [...container.querySelectorAll<HTMLElement>('[data-hint]')].at(-1);
    const shown = { hint: newest?.dataset['hint'], html: container.querySelector('figure')?.innerHTML };
    unmount();
    return shown;
  };
  expect(bars(100)).toEqual(bars(4));
  expect(bars(100).hint).toBe('Last minute: 4.2 per second');
});

test('when the disk is full follows from a day of growth, and the hint says from what', () => {
  const storage = { samples: 5, bytes: 4_096, freeBytes: 1e9, fullAt: null, growth: null };
  const disk = { state: 'writable', low: false } as const;
  const { rerender } = render(<StoragePanel storage={storage} disk={disk} />);
  expect(screen.getByText('Estimated after a day of use').dataset['hint']).toContain('growth of telemetry');
  const growth = { bytesPerDay: 1e8, since: Date.now() - 2 * 86_400_000 };
  const fullAt = Date.now() + 10 * 86_400_000 + 1_000;
  rerender(<StoragePanel storage={{ ...storage, growth, fullAt }} disk={disk} />);
  expect(screen.getByText('In 10 d at this rate').dataset['hint']).toMatch(
    /: 100 MB a day, over the last 2 d$/,
  );
});
