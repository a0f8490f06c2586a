import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { eventTypes, type Event } from '#contract/events.ts';
import { queryClient } from '#dashboard/api/query-client.ts';
import { queryKeys } from '#dashboard/api/query-keys.ts';
import { describeEvent, eventGroups } from '#dashboard/resources/events/event-words.ts';
import { eventText } from '#dashboard/pages/activity/event-sentence.ts';
import { startTestService, type TestService } from '#tests/service/start-test-service.ts';
import { failRequests } from './fail-requests.ts';
import { fill } from './fill.ts';
import { openPage } from './open-page.tsx';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  await service.request('PATCH', '/v1/session', { body: { label: 'Ada' } });
});
afterAll(() => service.close());

// Nothing has a height here: each row is as high as the design makes it.
const heights = vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockImplementation(function heightOf(
  this: HTMLElement,
) {
  return this.matches('li[data-index]') ? 36 : 0;
});
afterAll(() => heights.mockRestore());

/** Waits for the stream: later events arrive through it. */
const live = () => screen.findByRole('button', { name: 'Connection: live' });
const register = async (name: string): Promise<string> =>
  (await service.request('POST', '/v1/devices', { body: { name } })).body.id;
const change = (id: string, body: Record<string, unknown>) =>
  service.request('PATCH', `/v1/devices/${id}`, { body });
const list = () => screen.findByRole('list', { name: 'Events' });
const details = (text: string) => screen.findByRole('button', { name: `Details: ${text}` });
const texts = () =>
  screen
    .getAllByRole('button', { name: /^Details: / })
    .map((row) => row.getAttribute('aria-label')?.slice(9));

const event = (type: string, more: Partial<Event> = {}): Event => ({
  id: 'evt_01jz3k5v8cf6n9qw2r4t7y0abd',
  at: '2026-11-21T09:30:00.000Z',
  type,
  subject: { type: 'device', id: 'dev_1', name: 'Boiler 7' },
  actor: null,
  data: {},
  ...more,
});
const ada = { type: 'session', id: 'ses_1', name: 'Ada' };

test('every type of event in the contract has a filter with its own label', () => {
  const kinds = eventGroups.flatMap(({ kinds }) => kinds);
  expect(kinds.map(({ type }) => type).toSorted()).toEqual([...eventTypes].toSorted());
  const words = eventGroups.flatMap(({ group, kinds }) => kinds.map(({ label }) => `${group}: ${label}`));
  expect(new Set(words).size).toBe(words.length);
});

test('a device whose name a rejected MQTT client used is not described as rejected', () => {
  const { phrase } = describeEvent(event('mqtt.refused', { data: { username: 'boiler-7' } }));
  expect(phrase).toBe('was used as a user name by a rejected MQTT client');
});

const updated = (data: Event['data']) =>
  event('pipeline.updated', {
    actor: ada,
    subject: { type: 'pipeline', id: 'pip_1', name: 'Boilers' },
    data,
  });

test.each([
  [event('device.offline'), 'Boiler 7 went offline'],
  [event('device.registered', { actor: ada }), 'Ada registered Boiler 7'],
  [
    event('device.registered', { actor: ada, data: { firstSight: true } }),
    'Ada registered Boiler 7 on its first message',
  ],
  [
    event('device.updated', { actor: ada, data: { fields: ['name', 'tags'] } }),
    'Ada updated Boiler 7 (name, tags)',
  ],
  [
    event('session.opened', { actor: ada, subject: ada, data: { from: '10.0.0.4' } }),
    'Ada signed in from 10.0.0.4',
  ],
  [
    event('session.refused', {
      subject: { type: 'session', id: '', name: '10.0.0.4' },
      data: { code: 'token-expired' },
    }),
    'A sign-in from 10.0.0.4 was rejected: expired key or sign-in link',
  ],
  [
    event('pipeline.state-changed', {
      subject: { type: 'pipeline', id: 'pip_1', name: 'MQTT devices' },
      data: { from: 'running', to: 'degraded', reason: 'The port is taken.' },
    }),
    'MQTT devices changed state to degraded: The port is taken.',
  ],
  [
    event('api-key.revoked', {
      actor: ada,
      subject: { type: 'api-key', id: 'key_1', name: 'Gateway 4' },
      data: { endedSessions: 2 },
    }),
    'Ada revoked the API key Gateway 4, ending 2 sessions',
  ],
  [
    event('mqtt.refused', { actor: ada, data: { detail: 'The key is limited to other devices.' } }),
    'Boiler 7 was rejected over MQTT: The key is limited to other devices.',
  ],
  [
    event('mqtt.refused', { data: { username: 'boiler-7', detail: 'Unknown API key.' } }),
    'A client with the user name of Boiler 7 was rejected over MQTT: Unknown API key.',
  ],
  [
    event('mqtt.refused', {
      subject: { type: 'mqtt-client', id: '', name: 'plug-1' },
      data: { username: 'plug-1', detail: 'Unknown API key.' },
    }),
    'A client with the user name plug-1 was rejected over MQTT: Unknown API key.',
  ],
  [
    event('mqtt.refused', {
      subject: { type: 'mqtt-client', id: '', name: '10.0.0.4' },
      data: { username: '', detail: 'Unknown API key.' },
    }),
    '10.0.0.4 was rejected over MQTT: Unknown API key.',
  ],
  [
    event('http.refused', {
      actor: { type: 'api-key', id: 'key_1', name: 'Gateway 4' },
      subject: { type: 'api-key', id: 'key_1', name: 'Gateway 4' },
      data: { detail: 'There is no device boiler-8.' },
    }),
    'API key Gateway 4 had samples rejected over HTTP: There is no device boiler-8.',
  ],
  [
    event('http.refused', {
      actor: { type: 'api-key', id: 'key_1', name: 'Gateway 4' },
      subject: { type: 'api-key', id: 'key_1', name: 'Gateway 4' },
      data: { device: 'boiler-7', metric: 'flow', detail: 'Must be a number.' },
    }),
    'API key Gateway 4 had samples rejected over HTTP: boiler-7, flow: Must be a number.',
  ],
  [
    event('http.refused', {
      actor: { type: 'api-key', id: 'key_2', name: 'Wall screen' },
      subject: { type: 'api-key', id: 'key_2', name: 'Wall screen' },
      data: { reason: 'insufficient-scope', detail: 'The scope telemetry:write is required.' },
    }),
    'API key Wall screen was rejected over HTTP: The scope telemetry:write is required.',
  ],
  [
    event('http.refused', {
      subject: { type: 'http-client', id: '', name: '10.0.0.4' },
      data: { detail: 'This token was revoked.' },
    }),
    '10.0.0.4 was rejected over HTTP: This token was revoked.',
  ],
  [
    event('service.started', {
      subject: { type: 'service', id: '', name: 'Penstock' },
      data: { version: '0.1.0' },
    }),
    'Penstock started, version 0.1.0',
  ],
  [
    event('service.clock-jumped', {
      subject: { type: 'service', id: '', name: 'The service clock' },
      data: { from: '2026-11-21T09:30:00.000Z', to: '2026-11-22T09:30:00.000Z', jumpSeconds: 86_400 },
    }),
    'The service clock jumped ahead by 1 d',
  ],
  [
    event('service.clock-jumped', {
      subject: { type: 'service', id: '', name: 'The service clock' },
      data: { from: '2026-11-21T09:30:00.000Z', to: '2026-11-21T09:29:30.000Z', jumpSeconds: -30 },
    }),
    'The service clock jumped back by 30 s',
  ],
  [
    event('api-key.expiring', {
      subject: { type: 'api-key', id: 'key_1', name: 'Gateway 4' },
      data: { expiresAt: '2026-12-05T09:30:00.000Z' },
    }),
    'API key Gateway 4 expires in 14 d',
  ],
  [
    event('webhook.rotated', { actor: ada, subject: { type: 'webhook', id: 'whk_1', name: 'On-call' } }),
    'Ada rotated the secret of the webhook On-call',
  ],
  [
    event('webhook.state-changed', {
      subject: { type: 'webhook', id: 'whk_1', name: 'On-call' },
      data: { from: 'retrying', to: 'active', reason: null },
    }),
    'Webhook On-call changed state to active',
  ],
  [
    event('api-key.created', { subject: { type: 'api-key', id: 'key_2', name: 'writer' } }),
    'API key writer was created',
  ],
  [
    event('destination.state-changed', {
      subject: { type: 'destination', id: 'dst_1', name: 'plant' },
      data: { from: 'retrying', to: 'blocked', reason: 'rejected credentials' },
    }),
    'Destination plant changed state to blocked: rejected credentials',
  ],
  [updated({ fields: ['enabled'], enabled: false }), 'Ada paused the pipeline Boilers'],
  [updated({ fields: ['enabled'], enabled: true }), 'Ada resumed the pipeline Boilers'],
  [updated({ fields: ['enabled'] }), 'Ada paused or resumed the pipeline Boilers'],
  [updated({ fields: ['config'] }), 'Ada updated the configuration of the pipeline Boilers'],
  [updated({ fields: ['name', 'config'] }), 'Ada updated the pipeline Boilers (name, configuration)'],
  [event('valve.stuck', { actor: ada }), 'Ada stuck Boiler 7'],
])('describes an event in a sentence (%#)', (given, sentence) => {
  expect(eventText(given)).toBe(sentence);
});

test('lists actor, event and subject by day, with a link to each subject', async () => {
  const id = await register('Boiler 1');
  openPage(service, '/activity');
  await details('Ada registered Boiler 1');
  expect(screen.getByRole('heading', { name: /^Today, / })).toBeTruthy();
  const link = within(await list()).getByRole<HTMLAnchorElement>('link', { name: 'Boiler 1' });
  expect(new URL(link.href).pathname).toBe(`/devices/${id}`);
});

test('new events appear at the top', async () => {
  const id = await register('Boiler 2');
  openPage(service, '/activity');
  await details('Ada registered Boiler 2');
  await live();
  await change(id, { type: 'boiler' });
  await details('Ada updated Boiler 2 (type)');
  expect(texts()[0]).toBe('Ada updated Boiler 2 (type)');
});

test('new events are held back while details are open', async () => {
  const id = await register('Boiler 3');
  const { user } = openPage(service, '/activity');
  await live();
  const row = await details('Ada registered Boiler 3');
  await user.click(row);
  await waitFor(() => expect(row.getAttribute('aria-expanded')).toBe('true'));
  expect(screen.getByText('device.registered')).toBeTruthy();
  expect(window.location.search).toMatch(/^\?open=evt_/);
  await change(id, { type: 'boiler' });
  await user.click(await screen.findByRole('button', { name: '1 new event' }));
  const newest = await details('Ada updated Boiler 3 (type)');
  await waitFor(() => expect(document.activeElement).toBe(newest));
  await waitFor(() => expect(window.location.search).toBe(''));
});

test('devices that change to one state together are one row, which opens to them and grows with the stream', async () => {
  const at = Date.parse('2026-11-20T09:00:00Z');
  const becomeLate = (first: number, count: number) =>
    service.service.parts.transact((_, recordEvents) =>
      recordEvents(
        ...Array.from({ length: count }, (_, index) => ({
          type: 'device.late' as const,
          subject: { type: 'device', id: `dev_${first + index}`, name: `Meter ${first + index}` },
          actor: null,
          at: at + first + index,
        })),
      ),
    );
  await becomeLate(1, 103);
  const { user } = openPage(service, '/activity?type=device.late');
  await live();
  const row = await details('103 devices became late');
  await user.click(row);
  const devices = within(await screen.findByRole('list', { name: 'Devices' }));
  expect(await devices.findAllByRole('link')).toHaveLength(100);
  expect(devices.getByRole('link', { name: 'Meter 103' }).getAttribute('href')).toBe('/devices/dev_103');
  const endFailures = failRequests(({ pathname }) => pathname === '/v1/events');
  await user.click(screen.getByRole('button', { name: 'Show more' }));
  await screen.findByText('Could not load more devices.');
  endFailures();
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  await waitFor(() => expect(devices.getAllByRole('link')).toHaveLength(103));
  expect(document.activeElement?.textContent).toBe('No more devices.');
  await becomeLate(200, 2);
  await screen.findByRole('button', { name: '2 new events' });
  row.focus();
  await queryClient.invalidateQueries({ queryKey: queryKeys.eventLog });
  const grown = await details('105 devices became late');
  expect(grown.getAttribute('aria-expanded')).toBe('true');
  await waitFor(() => expect(document.activeElement).toBe(grown));
  await user.click(grown);
  await becomeLate(300, 2);
  await details('107 devices became late');
  expect(texts()).toHaveLength(1);
});

test('the focus stays in the list when its event becomes part of a row', async () => {
  const at = Date.parse('2026-11-18T09:00:00Z');
  const goOffline = (first: number, count: number) =>
    service.service.parts.transact((_, recordEvents) =>
      recordEvents(
        ...Array.from({ length: count }, (_each, index) => ({
          type: 'device.offline' as const,
          subject: { type: 'device', id: `dev_${first + index}`, name: `Valve ${first + index}` },
          actor: null,
          at: at + first + index,
        })),
      ),
    );
  await goOffline(1, 4);
  openPage(service, '/activity?type=device.offline');
  await live();
  const row = await details('Valve 2 went offline');
  row.focus();
  await goOffline(5, 1);
  const run = await details('5 devices went offline');
  await waitFor(() => expect(document.activeElement).toBe(run));
});

/** Events of one minute of the clock are joined: waits for the next one if this one is nearly over. */
const leaveTimeInMinute = async () => {
  const leftMs = 60_000 - (Date.now() % 60_000);
  if (leftMs < 5_000) await new Promise((resolve) => setTimeout(resolve, leftMs));
};

test('devices registered by their first messages are one row with their sender, also as they come online meanwhile', async () => {
  const { body: pipeline } = await service.request('POST', '/v1/pipelines', {
    body: { name: 'Meters', type: 'http', interval: 10, destination: 'telemetry' },
  });
  openPage(service, '/activity');
  await details('Ada created the pipeline Meters');
  await live();
  await leaveTimeInMinute();
  for (let n = 1; n <= 12; n += 1)
    await service.request('POST', `/v1/pipelines/${pipeline.id}/messages`, {
      body: { device: `new-${n}`, values: { n } },
    });
  const row = await details('Ada registered 12 devices on their first message');
  await details('12 devices came online');
  expect(texts().slice(0, 3).toSorted()).toEqual([
    '12 devices came online',
    'Ada created the pipeline Meters',
    'Ada registered 12 devices on their first message',
  ]);
  fireEvent.click(row);
  const devices = within(await screen.findByRole('list', { name: 'Devices' }));
  expect(await devices.findAllByRole('link')).toHaveLength(12);
});

test('a filter by kind is in the URL and applies to live events', async () => {
  const id = await register('Boiler 4');
  const { user } = openPage(service, '/activity');
  await details('Ada registered Boiler 4');
  await live();
  await user.click(screen.getByRole('button', { name: 'Type' }));
  await user.click((await screen.findAllByRole('menuitemcheckbox', { name: 'Deleted' }))[0]!);
  await screen.findByText('No matching events');
  expect(window.location.search).toBe('?type=device.deleted');
  await user.keyboard('{Escape}');
  await change(id, { type: 'boiler' });
  await service.request('DELETE', `/v1/devices/${id}`);
  await details('Ada deleted Boiler 4');
  expect(texts()).toEqual(['Ada deleted Boiler 4']);
  await user.click(screen.getByRole('button', { name: 'Remove filter Devices: Deleted' }));
  await details('Ada updated Boiler 4 (type)');
  await waitFor(() =>
    expect(document.activeElement).toBe(screen.getAllByRole('button', { name: /^Details: / })[0]),
  );
});

test('the details of an event lead to all events of its subject', async () => {
  await register('Boiler 5');
  const id = await register('Boiler 6');
  await change(id, { type: 'boiler' });
  const { user } = openPage(service, '/activity');
  await user.click(await details('Ada updated Boiler 6 (type)'));
  await user.click(await screen.findByRole('button', { name: 'Show only Boiler 6' }));
  await waitFor(() => expect(texts()).toEqual(['Ada updated Boiler 6 (type)', 'Ada registered Boiler 6']));
  expect(window.location.search).toBe(`?subject=${id}`);
  expect(screen.getByRole('button', { name: 'Remove filter Subject Boiler 6' })).toBeTruthy();
});

test('a subject is found by name within the scopes of the session', async () => {
  const { id } = await service.mintKey(['devices:read'], { name: 'Gateway 4' });
  const { user } = openPage(service, '/activity');
  await list();
  await user.click(screen.getByRole('button', { name: 'Subject' }));
  await fill(user, await screen.findByRole('combobox', { name: 'Subject name' }), 'gatew');
  await user.click(await screen.findByRole('option', { name: /Gateway 4/ }));
  await waitFor(() => expect(texts()).toEqual(['Ada created the API key Gateway 4']));
  expect(window.location.search).toBe(`?subject=${id}`);
});

test('what is typed before the field of Subject is there stays, and Enter chooses the match', async () => {
  const id = await register('boiler-13');
  const send = fetch;
  const held = Promise.withResolvers<void>();
  const fetched = vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const { pathname, searchParams } = new URL(input instanceof Request ? input.url : input);
    if (pathname === '/v1/devices' && searchParams.get('limit') === '6') await held.promise;
    return send(input, init);
  });
  onTestFinished(() => fetched.mockRestore());
  const { user } = openPage(service, '/activity');
  await list();
  const button = screen.getByRole('button', { name: 'Subject' });
  button.focus();
  // Both before the popover has opened.
  fireEvent.click(button);
  for (const key of 'boile') fireEvent.keyDown(button, { key });
  const name = await screen.findByRole<HTMLInputElement>('combobox', { name: 'Subject name' });
  await waitFor(() => expect(document.activeElement).toBe(name));
  await user.keyboard('r-13');
  expect(name.value).toBe('boiler-13');
  await user.keyboard('{Enter}');
  held.resolve();
  await waitFor(() => expect(window.location.search).toBe(`?subject=${id}`));
});

test.each([
  ['destination', '/v1/destinations', { type: 'file', options: { folder: 'archive' } }],
  ['webhook', '/v1/webhooks', { url: 'https://example.com/hook', events: ['device.offline'] }],
])('a %s is found by name as a subject', async (kind, path, body) => {
  const name = `Archive ${kind}`;
  const { body: created } = await service.request('POST', path, { body: { name, ...body } });
  const { user } = openPage(service, '/activity');
  await list();
  await user.click(screen.getByRole('button', { name: 'Subject' }));
  await fill(user, await screen.findByRole('combobox', { name: 'Subject name' }), 'archive');
  await user.click(await screen.findByRole('option', { name: new RegExp(name) }));
  await waitFor(() => expect(window.location.search).toBe(`?subject=${created.id}`));
});

test('a range between dates uses the chosen time zone', async () => {
  await register('Boiler 8');
  const { user } = openPage(service, '/activity');
  await details('Ada registered Boiler 8');
  await user.click(screen.getByRole('button', { name: 'Dates' }));
  fireEvent.change(await screen.findByLabelText(/^To/), { target: { value: '2020-01-01T00:00' } });
  await user.click(screen.getByRole('button', { name: 'Apply' }));
  await screen.findByText('No matching events');
  const to = new URLSearchParams(window.location.search).get('to');
  expect(to).toBe(new Date('2020-01-01T00:00').toISOString());
  await user.click(screen.getByRole('radio', { name: '24 h' }));
  await details('Ada registered Boiler 8');
  expect(window.location.search).toBe('?from=-24h');
});

test('arrow keys move between events, Enter opens one, and Tab reaches one row only', async () => {
  await register('Boiler 9');
  await register('Boiler 10');
  const { user } = openPage(service, '/activity');
  const newest = await details('Ada registered Boiler 10');
  const before = await details('Ada registered Boiler 9');
  newest.focus();
  await user.keyboard('{ArrowDown}');
  await waitFor(() => expect(document.activeElement).toBe(before));
  await waitFor(() => expect(newest.tabIndex).toBe(-1));
  await user.keyboard('{Enter}');
  await waitFor(() => expect(before.getAttribute('aria-expanded')).toBe('true'));
  await user.keyboard('{Home}');
  await waitFor(() => expect(document.activeElement).toBe(newest));
});

test('further pages load on scroll, and only visible rows are rendered', async () => {
  const at = Date.parse('2026-11-19T09:00:00Z');
  const updated = (index: number) => ({
    type: 'pipeline.updated' as const,
    subject: { type: 'pipeline', id: `pip_${index}`, name: `Line ${index}` },
    actor: ada,
    at: at + index,
  });
  await service.service.parts.transact((_, recordEvents) =>
    recordEvents(...Array.from({ length: 130 }, (_each, index) => updated(index))),
  );
  openPage(service, `/activity?type=pipeline.updated&to=${at + 60_000}`);
  await details('Ada updated the pipeline Line 129');
  expect(texts().length).toBeLessThan(60);
  window.scrollTo(0, 85 * 36);
  await details('Ada updated the pipeline Line 45');
  window.scrollTo(0, 125 * 36);
  await details('Ada updated the pipeline Line 2');
  window.scrollTo(0, 0);
});

test('a row stays open when a further page adds earlier events to it', async () => {
  const at = Date.parse('2026-11-17T09:00:00Z');
  const eventAt = (index: number, type: 'device.online' | 'device.registered') => ({
    type,
    subject: { type: 'device', id: `dev_${index}`, name: `Pump ${index}` },
    // Each is registered by another actor, so these are rows of their own.
    actor: type === 'device.registered' ? { ...ada, id: `ses_${index}` } : null,
    at: at + index,
  });
  const types = [
    ...Array.from({ length: 5 }, () => 'device.online' as const),
    ...Array.from({ length: 100 }, () => 'device.registered' as const),
    ...Array.from({ length: 6 }, () => 'device.online' as const),
  ];
  await service.service.parts.transact((_, recordEvents) =>
    recordEvents(...types.map((type, index) => eventAt(index, type))),
  );
  openPage(service, `/activity?from=${at}&to=${at + 60_000}`);
  fireEvent.click(await details('6 devices came online'));
  await screen.findByRole('list', { name: 'Devices' });
  window.scrollTo(0, 80 * 36);
  const grown = await details('11 devices came online');
  expect(grown.getAttribute('aria-expanded')).toBe('true');
  window.scrollTo(0, 0);
});

test('devices that somebody changes at once are one row with the fields', async () => {
  const items = Array.from({ length: 6 }, (_, n) => ({ externalId: `bulk-${n}`, name: `Meter ${n}` }));
  const batch = (change: object) =>
    service.request('POST', '/v1/devices/batch', {
      body: { operation: 'upsert', items: items.map((item) => ({ ...item, ...change })) },
    });
  await batch({});
  openPage(service, '/activity?type=device.updated&type=device.deleted');
  await live();
  await leaveTimeInMinute();
  await batch({ tags: { site: 'north' }, expectedInterval: 60 });
  const row = await details('Ada updated 6 devices (expected interval, tags)');
  fireEvent.click(row);
  const devices = within(await screen.findByRole('list', { name: 'Devices' }));
  expect(await devices.findAllByRole('link')).toHaveLength(6);
});

test('devices that somebody deleted at once can be restored together', async () => {
  const names = Array.from({ length: 6 }, (_, n) => `Fan ${n + 1}`);
  const ids = await Promise.all(names.map(register));
  await leaveTimeInMinute();
  await service.request('POST', '/v1/devices/batch', {
    body: { operation: 'delete', items: ids.map((id) => ({ id })) },
  });
  const statuses = () =>
    Promise.all(ids.map(async (id) => (await service.request('GET', `/v1/devices/${id}`)).status));
  expect(await statuses()).toEqual(ids.map(() => 404));
  openPage(service, '/activity?type=device.deleted');
  // Another test may have deleted one in the same minute.
  fireEvent.click(await screen.findByRole('button', { name: /^Details: Ada deleted \d+ devices$/ }));
  fireEvent.click(await screen.findByRole('button', { name: /^Restore \d+ devices$/ }));
  await screen.findByText(/^Restored \d+ devices$/);
  await screen.findByText('These devices were restored.');
  expect(await statuses()).toEqual(ids.map(() => 200));
});

/** Deletes six devices by a key, and opens their entry. Returns their IDs. */
const openDeletion = async (name: string, token?: string) => {
  const ids = await Promise.all(Array.from({ length: 6 }, (_, n) => register(`${name} ${n + 1}`)));
  const { secret } = await service.mintKey(['devices:write'], { name: `Deletes ${name}` });
  await leaveTimeInMinute();
  const body = { operation: 'delete', items: ids.map((id) => ({ id })) };
  await service.request('POST', '/v1/devices/batch', { token: secret, body });
  openPage(service, '/activity?type=device.deleted', token);
  fireEvent.click(await details(`Deletes ${name} deleted 6 devices`));
  await screen.findByRole('list', { name: 'Devices' });
  return ids;
};
const restoreButton = () => screen.findByRole('button', { name: 'Restore 6 devices' });

test('a restoration that fails can be dismissed and repeated, which counts the devices that are no longer deleted', async () => {
  const [first] = await openDeletion('Pump');
  const endFailures = failRequests(({ pathname }) => pathname === '/v1/devices/batch');
  fireEvent.click(await restoreButton());
  const dismiss = await screen.findByRole('button', { name: 'Dismiss' });
  dismiss.focus();
  fireEvent.click(dismiss);
  endFailures();
  const restore = await restoreButton();
  await waitFor(() => expect(document.activeElement).toBe(restore));
  await service.request('POST', `/v1/devices/${first}/restore`);
  fireEvent.click(restore);
  await screen.findByText('Restored 5 devices');
  await screen.findByText('1 was not deleted.');
});

test('without devices:write, deleted devices cannot be restored', async () => {
  const { secret } = await service.mintKey(['devices:read', 'events:read']);
  await openDeletion('Valve', secret);
  expect(screen.queryByRole('button', { name: 'Restore 6 devices' })).toBeNull();
});

test('without events:read the page names the missing scope', async () => {
  const { secret } = await service.mintKey(['devices:read']);
  openPage(service, '/activity', secret);
  await screen.findByText('You do not have access');
  expect(screen.queryByRole('button', { name: 'Subject' })).toBeNull();
  expect(screen.getByText(/events:read/)).toBeTruthy();
});
