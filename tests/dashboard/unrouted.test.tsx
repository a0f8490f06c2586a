import { screen, waitFor, within } from '@testing-library/react';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { freePort } from '#tests/service/free-port.ts';
import { publishRaw } from '#tests/service/raw-mqtt.ts';
import { startTestService, type TestService } from '#tests/service/start-test-service.ts';
import { createPipelineInReview, openStep } from './open-step.ts';
import { fill } from './fill.ts';
import { openPage } from './open-page.tsx';

let service: TestService;
let port: number;
let secret: string;
beforeAll(async () => {
  port = await freePort();
  service = await startTestService({ env: { MQTT_PORT: String(port) } });
  await service.request('PATCH', '/v1/session', { body: { label: 'Ada' } });
  ({ secret } = await service.mintKey(['telemetry:write']));
});
afterAll(() => service.close());
beforeEach(async () => {
  await service.request('DELETE', '/v1/unrouted');
});

const publish = (username: string, topic: string, payload: string | Uint8Array) =>
  publishRaw({ port, username, password: secret }, topic, payload);
const itemOf = async (topicFilter: string): Promise<HTMLElement> =>
  (await screen.findByRole('heading', { name: topicFilter })).closest('li')!;

test('the Pipelines page counts unrouted topics and lists them with the last payload', async () => {
  await publish('plug-1', 'tele/plug-1/LWT', 'Online');
  await publish('plug-1', 'tele/plug-1/LWT', 'Offline');
  await publish('cam-1', 'cam/cam-1/image', Buffer.from([0xff, 0xd8, 0, 1]));
  const { user } = openPage(service, '/pipelines');
  await user.click(await screen.findByRole('tab', { name: 'Unrouted messages 2' }));
  expect(window.location.search).toBe('?view=unrouted');
  const status = within(await itemOf('tele/+/LWT'));
  expect(status.getByText('2 messages')).toBeTruthy();
  expect(status.getByText('Offline')).toBeTruthy();
  expect(status.getByText(/^From plug-1/)).toBeTruthy();
  expect(within(await itemOf('cam/+/image')).getByText('Binary payload, 4 bytes')).toBeTruthy();
});

test('a pipeline is created from a topic, with the last message in the preview and the filter of its tool', async () => {
  await publish(
    'plug-2',
    'tele/plug-2/SENSOR',
    '{"Time": "2026-11-24T20:00:00", "SI7021": {"Temperature": 21.5}}',
  );
  await publish('plug-2', 'tele/plug-2/LWT', 'Online');
  await publish('plug-2', 'stat/plug-2/POWER', 'ON');
  const { user } = openPage(service, '/pipelines?view=unrouted');
  await user.click(
    within(await itemOf('tele/+/SENSOR')).getByRole('link', { name: 'Create pipeline from this topic' }),
  );
  const name = await screen.findByRole<HTMLInputElement>('textbox', { name: 'Name' });
  expect(name.value).toBe('Tasmota');
  expect(screen.getByRole<HTMLInputElement>('textbox', { name: /^Topic/ }).value).toBe('tele/#');
  await openStep(user, 'Format');
  expect((await screen.findByRole<HTMLTextAreaElement>('textbox', { name: /^Message/ })).value).toBe(
    '{"Time": "2026-11-24T20:00:00", "SI7021": {"Temperature": 21.5}}',
  );
  await screen.findByText('1 sample from 1 device');
  await createPipelineInReview(user);
  await waitFor(() => expect(window.location.pathname).toMatch(/^\/pipelines\/pip_/));
  const { body } = await service.request('GET', '/v1/pipelines?q=Tasmota');
  expect(body.data).toMatchObject([{ type: 'mqtt', config: { topic: 'tele/#' }, state: 'running' }]);
  await waitFor(async () => {
    const { body: left } = await service.request('GET', '/v1/unrouted');
    expect(left.data).toMatchObject([{ topicFilter: 'stat/+/POWER' }]);
  });
});

test('a topic of no known tool asks for the level of the device, and Review says that nothing names it', async () => {
  await publish('gateway', 'plant/hall/state', '{"temperature": 21.5}');
  const { user } = openPage(service, '/pipelines?view=unrouted');
  await user.click(
    within(await itemOf('plant/hall/state')).getByRole('link', { name: 'Create pipeline from this topic' }),
  );
  const valueOf = (name: string | RegExp) => screen.getByRole<HTMLInputElement>('textbox', { name }).value;
  await screen.findByRole('textbox', { name: 'Name' });
  expect([valueOf('Name'), valueOf(/^Topic/)]).toEqual(['Plant hall state', 'plant/hall/state']);
  await screen.findByRole('radio', { name: 'hall' });
  await openStep(user, 'Review');
  await screen.findByText(/^The message in Preview does not name its device/);
  await user.click(screen.getByRole('button', { name: 'Put + in the topic' }));
  await user.click(await screen.findByRole('radio', { name: 'hall' }));
  expect([valueOf('Name'), valueOf(/^Topic/)]).toEqual(['Plant state', 'plant/+/state']);
  await openStep(user, 'Format');
  await screen.findByText('1 sample from 1 device');
  await openStep(user, 'Review');
  const warning = () => screen.queryByText(/^The message in Preview does not name its device/);
  expect(warning()).toBeNull();
  await openStep(user, 'Format');
  await user.clear(screen.getByRole('textbox', { name: /^Published to/ }));
  await screen.findByText(/enter the topic of the message under Published to/i);
  await openStep(user, 'Review');
  await screen.findByRole('button', { name: /^Create/ });
  expect(warning()).toBeNull();
});

test('topics of many devices are one entry, and a pipeline is created from their filter', async () => {
  for (let n = 1; n <= 10; n += 1) await publish('gateway', `meters/m-${n}/up`, `{"kwh": ${n}}`);
  const { user } = openPage(service, '/pipelines?view=unrouted');
  const entry = within(await itemOf('meters/+/up'));
  expect(entry.getByText('10 topics, 10 messages')).toBeTruthy();
  await user.click(entry.getByRole('link', { name: 'Create pipeline from these topics' }));
  await fill(user, await screen.findByRole('textbox', { name: 'Name' }), 'Meters');
  const topic = screen.getByRole<HTMLInputElement>('textbox', { name: /^Topic/ });
  expect(topic.value).toBe('meters/+/up');
  await user.clear(topic);
  await fill(user, topic, 'meters/#');
  await createPipelineInReview(user);
  await waitFor(() => expect(window.location.pathname).toMatch(/^\/pipelines\/pip_/));
  await waitFor(async () => expect((await service.request('GET', '/v1/unrouted')).body.data).toEqual([]));
});

test('a topic is removed immediately, and all are cleared after a confirmation', async () => {
  for (const topic of ['a/one', 'a/two', 'a/three']) await publish('plug-3', topic, '1');
  const { user } = openPage(service, '/pipelines?view=unrouted');
  await user.click(await screen.findByRole('button', { name: 'Remove a/one' }));
  await waitFor(() => expect(screen.queryByRole('heading', { name: 'a/one' })).toBeNull());
  await waitFor(() => expect(document.activeElement?.getAttribute('aria-label')).toMatch(/^Remove a\//));
  await user.type(screen.getByRole('searchbox', { name: 'Search unrouted messages' }), 'thr');
  await waitFor(() => expect(screen.queryByRole('heading', { name: 'a/two' })).toBeNull());
  await user.click(screen.getByRole('button', { name: 'Clear…' }));
  await user.click(await screen.findByRole('button', { name: 'Clear' }));
  await screen.findByText('No matching topics');
  expect((await service.request('GET', '/v1/unrouted')).body.data).toEqual([]);
});

test('an empty list says so', async () => {
  openPage(service, '/pipelines?view=unrouted');
  await screen.findByText('No unrouted messages');
});

test('a read-only key sees the messages and no actions', async () => {
  await publish('plug-4', 'stat/plug-4/POWER', 'ON');
  const { secret: reader } = await service.mintKey(['pipelines:read']);
  openPage(service, '/pipelines?view=unrouted', reader);
  const item = within(await itemOf('stat/+/POWER'));
  await waitFor(() => expect(item.queryByRole('link')).toBeNull());
  expect(item.queryByRole('button', { name: /^Remove/ })).toBeNull();
  expect(screen.queryByRole('button', { name: 'Clear…' })).toBeNull();
});

test('a key without the scope sees that it lacks access', async () => {
  const { secret: stranger } = await service.mintKey(['devices:read']);
  openPage(service, '/pipelines?view=unrouted', stranger);
  await screen.findByText('You do not have access');
  expect(screen.queryByRole('tab')).toBeNull();
});

test('a paused MQTT pipeline says that its messages are unrouted', async () => {
  const { body } = await service.request('POST', '/v1/pipelines', {
    body: { name: 'Quiet', type: 'mqtt', interval: 5, destination: 'telemetry', enabled: false },
  });
  openPage(service, `/pipelines/${body.id}`);
  const notice = within(await screen.findByRole('region', { name: 'State' }));
  expect(
    notice.getByText(/^Until you resume the pipeline, messages that no other pipeline reads are unrouted/),
  ).toBeTruthy();
  expect(notice.getByRole('link', { name: 'Unrouted messages' }).getAttribute('href')).toBe(
    '/pipelines?view=unrouted',
  );
});

test('the preview uses the last whole unrouted message of the topic', async () => {
  await publish('plug-7', 'hall/plug-7/SENSOR', '{"Temperature": 7}');
  await publish('plug-7', 'hall/plug-7/LOG', `{"Text": "${'a'.repeat(5_000)}"}`);
  await publish('plug-7', 'yard/plug-7/SENSOR', '{"Temperature": 8}');
  const { user } = openPage(service, '/pipelines/new');
  await user.click(await screen.findByRole('radio', { name: /^MQTT/ }));
  await fill(user, await screen.findByRole('textbox', { name: /^Topic/ }), 'hall/#');
  await openStep(user, 'Format');
  await user.click(await screen.findByRole('button', { name: 'Use the last unrouted message' }));
  const message = await screen.findByRole('textbox', { name: /^Message/ });
  expect(message).toHaveProperty('value', '{"Temperature": 7}');
  expect(screen.getByRole('textbox', { name: /^Published to/ })).toHaveProperty(
    'value',
    'hall/plug-7/SENSOR',
  );
});
