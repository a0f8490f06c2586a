import { QueryClient, QueryObserver, type QueryKey } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { eventTypes, type Event } from '#contract/events.ts';
import { createLiveUpdates } from '#dashboard/api/live/live-updates.ts';
import { apiKeyQueries } from '#dashboard/resources/access/api-key-queries.ts';
import { destinationQueries } from '#dashboard/resources/destinations/destination-queries.ts';
import { deviceQueries } from '#dashboard/resources/devices/device-queries.ts';
import { eventQueries } from '#dashboard/resources/events/event-queries.ts';
import { networkQueries } from '#dashboard/resources/network/network-queries.ts';
import { pipelineQueries } from '#dashboard/resources/pipelines/pipeline-queries.ts';
import { unroutedQueries } from '#dashboard/resources/pipelines/unrouted-queries.ts';
import { overviewQuery } from '#dashboard/resources/service/overview-query.ts';
import { serviceQueries } from '#dashboard/resources/service/service-queries.ts';
import { telemetryQueries } from '#dashboard/resources/telemetry/telemetry-queries.ts';
import { webhookQueries } from '#dashboard/resources/webhooks/webhook-queries.ts';

const series = { devices: ['dev_1'], metrics: ['t'], from: '-1h', to: 'now', points: 100 };

/** A query of each kind, by a name for it. */
const queries: Record<string, QueryKey> = {
  devices: deviceQueries.list().queryKey,
  'one device': deviceQueries.detail('dev_1').queryKey,
  pipelines: pipelineQueries.list().queryKey,
  'one pipeline': pipelineQueries.detail('pip_1').queryKey,
  unrouted: unroutedQueries.count().queryKey,
  destinations: destinationQueries.list().queryKey,
  'API keys': apiKeyQueries.list().queryKey,
  webhooks: webhookQueries.list().queryKey,
  'latest samples': telemetryQueries.latest('dev_1').queryKey,
  series: telemetryQueries.series(series).queryKey,
  networks: networkQueries.list().queryKey,
  storage: serviceQueries.storage().queryKey,
  overview: overviewQuery().queryKey,
  'latest events': eventQueries.latest(8).queryKey,
};

const samples = ['latest samples', 'series'];
const devices = ['devices', 'one device', 'overview'];
const pipelines = ['pipelines', 'one pipeline', 'overview'];

/** What shows the subject of an event. A device's state and presence come in frames of their own, but not which lists it is in. */
const shownBy = (type: string): readonly string[] => {
  if (/^device\.(online|late|offline)$/.test(type)) return ['overview', 'devices'];
  if (type === 'telemetry.loss-accepted') return [...samples, 'storage'];
  // Overview lists keys that expire soon.
  if (/^api-key\.(rotated|revoked|expiring)$/.test(type)) return ['API keys', 'overview'];
  if (type.startsWith('service.storage-')) return ['storage', 'overview'];
  if (type === 'service.clock-jumped') return Object.keys(queries);
  const bySubject: Record<string, readonly string[]> = {
    device: devices,
    'device-type': samples,
    pipeline: pipelines,
    unrouted: ['unrouted'],
    destination: ['destinations'],
    'api-key': ['API keys'],
    webhook: ['webhooks'],
    telemetry: samples,
    session: [],
    mqtt: [],
    http: [],
    service: [],
    network: ['networks'],
  };
  return bySubject[type.split('.')[0] ?? ''] ?? ['unknown subject'];
};

const eventOf = (type: string, data: Event['data'] = {}): Event => ({
  id: 'evt_01jz3k5v8cf6n9qw2r4t7y0abd',
  at: '2026-01-01T00:00:00Z',
  type,
  subject: { type: 'device', id: 'dev_1', name: 'Boiler 7' },
  actor: null,
  data,
});

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** The queries that an event makes stale. */
const staleAfter = async (type: string, data?: Event['data']): Promise<string[]> => {
  const client = new QueryClient();
  for (const key of Object.values(queries)) client.setQueryData(key, {});
  createLiveUpdates(client).event(eventOf(type, data));
  await vi.advanceTimersByTimeAsync(5_000);
  return Object.keys(queries).filter((name) => client.getQueryState(queries[name] ?? [])?.isInvalidated);
};

test.each(eventTypes)('%s makes the queries of its subject and the latest events stale', async (type) => {
  expect((await staleAfter(type)).toSorted()).toEqual(
    [...new Set([...shownBy(type), 'latest events'])].toSorted(),
  );
});

test.each([
  [{ metric: 'temperature', fields: ['unit'] }, true],
  [{ fields: ['type'] }, true],
  [{ fields: ['name'] }, false],
])('an updated device with %o makes its samples stale: %s', async (data, isStale) => {
  const stale = await staleAfter('device.updated', data);
  expect(samples.map((name) => stale.includes(name))).toEqual(samples.map(() => isStale));
});

test('an unknown event makes the queries of its subject stale', async () => {
  expect((await staleAfter('device.calibrated')).toSorted()).toEqual(
    [...devices, 'latest events'].toSorted(),
  );
  expect(await staleAfter('gateway.joined')).toEqual(['latest events']);
});

const pageOf = (...ids: string[]) => ({
  pages: [{ data: ids.map((id) => ({ id, state: 'online' })), nextCursor: null }],
  pageParams: [null],
});

test('frames change the rows of lists that nobody sees, which stay stale and as old as they were', async () => {
  const client = new QueryClient();
  const [shown, left] = [deviceQueries.list().queryKey, deviceQueries.list({ type: ['pump'] }).queryKey];
  for (const key of [shown, left])
    client.setQueryData(key, pageOf('dev_1', 'dev_2') as never, { updatedAt: 1 });
  onTestFinished(
    new QueryObserver(client, { queryKey: shown, staleTime: Infinity }).subscribe(() => undefined),
  );
  await client.invalidateQueries({ refetchType: 'none' });
  const live = createLiveUpdates(client);
  live.device({ id: 'dev_1', state: 'offline', lastSeenAt: null });
  await vi.advanceTimersByTimeAsync(1_000);
  for (const key of [shown, left]) {
    const { data, isInvalidated } = client.getQueryState<ReturnType<typeof pageOf>>(key) ?? {};
    expect(data?.pages[0]?.data.map(({ state }) => state)).toEqual(['offline', 'online']);
    expect(isInvalidated).toBe(true);
  }
  const ages = [shown, left].map((key) => Date.now() - (client.getQueryState(key)?.dataUpdatedAt ?? 0));
  expect(ages).toEqual([expect.closeTo(750, -2), Date.now() - 1]);
});

test('a frame does not replace the response of a change that came after it', async () => {
  const client = new QueryClient();
  const { queryKey } = deviceQueries.detail('dev_1');
  client.setQueryData(queryKey, { id: 'dev_1', state: 'online' } as never);
  const live = createLiveUpdates(client);
  live.device({ id: 'dev_1', state: 'late', lastSeenAt: null });
  client.setQueryData(queryKey, { id: 'dev_1', state: 'never-seen' } as never);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(client.getQueryData(queryKey)?.state).toBe('never-seen');
  live.device({ id: 'dev_1', state: 'online', lastSeenAt: null });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(client.getQueryData(queryKey)?.state).toBe('online');
});

test('a frame outlives the responses of fetches that began before it', async () => {
  const client = new QueryClient();
  const seen = '2026-01-01T00:00:00.000Z';
  const answers = new Map<QueryKey, (data: unknown) => void>();
  const [list, detail] = [deviceQueries.list().queryKey, deviceQueries.detail('dev_1').queryKey];
  for (const queryKey of [list, detail]) {
    const queryFn = () => new Promise((resolve) => answers.set(queryKey, resolve));
    onTestFinished(new QueryObserver(client, { queryKey, queryFn }).subscribe(() => undefined));
  }
  const answer = async () => {
    answers.get(list)!(pageOf('dev_1', 'dev_2'));
    await vi.advanceTimersByTimeAsync(1_000);
    answers.get(detail)!({ id: 'dev_1', state: 'never-seen', lastSeenAt: null });
    await vi.advanceTimersByTimeAsync(0);
  };
  const states = () => [
    client.getQueryData<ReturnType<typeof pageOf>>(list)?.pages[0]?.data.map(({ state }) => state),
    client.getQueryData<{ lastSeenAt: string | null }>(detail)?.lastSeenAt,
  ];
  const live = createLiveUpdates(client);
  live.device({ id: 'dev_1', state: 'late', lastSeenAt: seen });
  await vi.advanceTimersByTimeAsync(1_000);
  await answer();
  expect(states()).toEqual([['late', 'online'], seen]);

  void client.invalidateQueries();
  await answer();
  expect(states(), 'later fetches are newer').toEqual([['online', 'online'], null]);
});

test('when the stream opens, what was requested before is read again, but not series', async () => {
  const client = new QueryClient();
  const answers: (() => void)[] = [];
  const read: string[] = [];
  for (const name of ['one device', 'latest events', 'series']) {
    const queryFn = () => {
      read.push(name);
      return new Promise((resolve) => answers.push(() => resolve({ id: 'dev_1' })));
    };
    const queryKey = queries[name]!;
    onTestFinished(new QueryObserver(client, { queryKey, queryFn }).subscribe(() => undefined));
  }
  createLiveUpdates(client).start();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(read, 'no request is begun twice').toEqual(['one device', 'latest events', 'series']);
  const [answerDevice, ...answerOthers] = answers.splice(0);
  answerDevice?.();
  await vi.advanceTimersByTimeAsync(0);
  expect(read.slice(3), 'a slow response does not delay others').toEqual(['one device']);
  for (const answer of answerOthers) answer();
  await vi.advanceTimersByTimeAsync(0);
  expect(read.slice(3)).toEqual(['one device', 'latest events']);
});

test('a frame from before a gap of the stream does not replace a response from after it', async () => {
  const client = new QueryClient();
  const answers: (() => void)[] = [];
  const queryKey = deviceQueries.list().queryKey;
  const queryFn = () => new Promise((resolve) => answers.push(() => resolve(pageOf('dev_1'))));
  onTestFinished(new QueryObserver(client, { queryKey, queryFn }).subscribe(() => undefined));
  const live = createLiveUpdates(client);
  const answer = async () => {
    answers.shift()!();
    await vi.advanceTimersByTimeAsync(1_000);
    return client.getQueryData<ReturnType<typeof pageOf>>(queryKey)?.pages[0]?.data.map(({ state }) => state);
  };
  live.device({ id: 'dev_1', state: 'late', lastSeenAt: null });
  await vi.advanceTimersByTimeAsync(1_000);
  // Not written yet.
  live.device({ id: 'dev_1', state: 'offline', lastSeenAt: null });
  live.gap();
  expect(await answer()).toEqual(['online']);
});

test('a list of the devices in a state is read again after devices changed theirs, another list is not', async () => {
  const client = new QueryClient();
  const read: string[] = [];
  for (const state of ['offline', undefined] as const) {
    const queryKey = deviceQueries.list({ ...(state !== undefined && { state: [state] }) }).queryKey;
    const queryFn = () => {
      read.push(state ?? 'any');
      return pageOf();
    };
    onTestFinished(new QueryObserver(client, { queryKey, queryFn }).subscribe(() => undefined));
  }
  await vi.advanceTimersByTimeAsync(0);
  const live = createLiveUpdates(client);
  for (const type of ['device.offline', 'device.late', 'device.offline']) live.event(eventOf(type));
  await vi.advanceTimersByTimeAsync(20_000);
  expect(read).toEqual(['offline', 'any', 'offline']);
});
