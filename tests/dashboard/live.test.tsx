import { screen, waitFor, within } from '@testing-library/react';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import type { StreamFrame } from '#contract/stream.ts';
import { freePort } from '#tests/service/free-port.ts';
import { startTestService, type TestService } from '#tests/service/start-test-service.ts';
import { createSharedStream } from '#dashboard/api/live/shared-stream.ts';
import { loadWithRetry } from '#dashboard/api/live/use-live.ts';
import { session } from '#dashboard/api/session.ts';
import { openPage } from './open-page.tsx';

let service: TestService;
beforeAll(async () => {
  // The same port after a restart, as a page that stays open needs.
  service = await startTestService({ env: { PORT: String(await freePort()) } });
  await service.request('PATCH', '/v1/session', { body: { label: 'Ada' } });
});
afterAll(() => service.close());

const light = () => screen.getByRole('button', { name: /^Connection/ });
const stateOf = async (name: string) => {
  const row = await screen.findByRole('row', { name: new RegExp(name) });
  // The first cell has the check box.
  return within(row).getAllByRole('cell')[1]?.textContent;
};

test('a device that comes online updates in its row without a refetch of the list', async () => {
  await service.request('POST', '/v1/devices', { body: { name: 'Boiler 1', externalId: 'b1' } });
  openPage(service, '/devices');
  expect(await stateOf('Boiler 1')).toBe('Never seen');
  await waitFor(() => expect(light().getAttribute('aria-label')).toBe('Connection: live'));
  await service.request('POST', '/v1/telemetry', {
    body: { samples: [{ device: 'b1', values: { temperature: 20 } }] },
  });
  await waitFor(async () => expect(await stateOf('Boiler 1')).toBe('Online'));
});

test('changes between the first requests of a page and the opening of its stream are shown', async () => {
  const { body } = await service.request('POST', '/v1/devices', {
    body: { name: 'Boiler 6', externalId: 'b6' },
  });
  const isOpened = Promise.withResolvers<void>();
  const { fetch } = globalThis;
  const request = vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    if (input instanceof URL && input.pathname === '/v1/stream') await isOpened.promise;
    return fetch(input, init);
  });
  openPage(service, `/devices/${body.id as string}`);
  await screen.findByText('Waiting for the first message');
  await service.request('POST', '/v1/telemetry', {
    body: { samples: [{ device: 'b6', values: { temperature: 20 } }] },
  });
  await waitFor(async () => {
    const { body: device } = await service.request('GET', `/v1/devices/${body.id as string}`);
    expect(device.state).toBe('online');
  });
  expect(screen.queryByText('Message received')).toBeNull();
  isOpened.resolve();
  await screen.findByText('Message received');
  request.mockRestore();
});

test('the connection light reports an outage, and the page refetches afterwards', async () => {
  await service.request('POST', '/v1/devices', { body: { name: 'Boiler 2', externalId: 'b2' } });
  openPage(service, '/devices');
  await screen.findByRole('row', { name: /Boiler 2/ });
  await waitFor(() => expect(light().getAttribute('aria-label')).toBe('Connection: live'));

  await service.restart(async () => {
    await waitFor(() => expect(light().getAttribute('aria-label')).toContain('offline'));
  });
  await service.request('POST', '/v1/devices', { body: { name: 'Boiler 3', externalId: 'b3' } });
  await waitFor(() => expect(light().getAttribute('aria-label')).toBe('Connection: live'));
  expect(await screen.findByRole('row', { name: /Boiler 3/ })).toBeTruthy();
});

test('in a narrow window the age of the data is below the icon of an outage', async () => {
  const { matchMedia } = window;
  const narrow = vi
    .spyOn(window, 'matchMedia')
    .mockImplementation((query) =>
      Object.assign(matchMedia(query), { matches: query === '(width < 64rem)' }),
    );
  onTestFinished(() => narrow.mockRestore());
  openPage(service, '/devices');
  await waitFor(() => expect(light().getAttribute('aria-label')).toBe('Connection: live'));
  expect(light().textContent).toBe('');
  await service.restart(async () => {
    await within(light()).findByText(/^\d+ s$/);
  });
});

test('Overview says that the service is unreachable and how old the figures are, until it is live again', async () => {
  openPage(service, '/');
  await screen.findByText(/^\d+ devices?$/);
  await waitFor(() => expect(light().getAttribute('aria-label')).toBe('Connection: live'));
  const head = within(screen.getByRole('main'));
  expect(head.queryByText(/Cannot reach the service/)).toBeNull();
  await service.restart(async () => {
    await head.findByText(/^Cannot reach the service · data is \d+ s old$/);
  });
  await waitFor(() => expect(head.queryByText(/Cannot reach the service/)).toBeNull());
});

test('a session without a read scope opens no stream, and the connection light explains why', async () => {
  const { secret } = await service.mintKey(['telemetry:write']);
  const asked = vi.spyOn(globalThis, 'fetch');
  openPage(service, '/devices', secret);
  await waitFor(() => expect(light().getAttribute('aria-label')).toBe('Connection: no live updates'));
  expect(light().dataset['hint']).toBe('No live updates. Your key lacks a read scope');
  const paths = asked.mock.calls.map(([url]) => (url as URL).pathname);
  expect(paths.filter((path) => path === '/v1/stream')).toEqual([]);
  asked.mockRestore();
});

const setHidden = (isHidden: boolean) => {
  Object.defineProperty(document, 'hidden', { value: isHidden, configurable: true });
  document.dispatchEvent(new Event('visibilitychange'));
};

const noHandlers = { onFrame: () => undefined, onStart: () => undefined, onGap: () => undefined };

test('a subscription made while the tab is hidden works afterwards', async () => {
  session.start({ token: service.token, baseUrl: service.url, expiresAt: '2099-01-01T00:00:00.000Z' });
  const { body } = await service.request('POST', '/v1/devices', { body: { name: 'Boiler 4' } });
  const live = createSharedStream(noHandlers);
  const [first, second] = [vi.fn<() => void>(), vi.fn<() => void>()];
  live.watch({ devices: [], onOpen: first });
  const stop = live.start();
  await waitFor(() => expect(first).toHaveBeenCalled());
  live.watch({ devices: [body.id as string], onOpen: second });
  setHidden(true);
  setHidden(false);
  await waitFor(() => expect(second).toHaveBeenCalled());
  stop();
});

test('a watch that the open stream covers opens immediately', async () => {
  session.start({ token: service.token, baseUrl: service.url, expiresAt: '2099-01-01T00:00:00.000Z' });
  const { body } = await service.request('POST', '/v1/devices', { body: { name: 'Boiler 5' } });
  const live = createSharedStream(noHandlers);
  const series = { devices: [body.id as string], metrics: ['temperature'] };
  const [first, second] = [vi.fn<() => void>(), vi.fn<() => void>()];
  live.watch({ ...series, onOpen: first });
  const stop = live.start();
  await waitFor(() => expect(first).toHaveBeenCalled());
  live.watch({ ...series, onOpen: second });
  await waitFor(() => expect(second).toHaveBeenCalled());
  stop();
});

/** Delays what the page reads of streams, as a slow connection does. */
const slowStreams = (delayMs: number, beforeOpen: (count: number) => Promise<unknown>) => {
  const { fetch } = globalThis;
  let count = 0;
  const request = vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    if (!(input instanceof URL) || input.pathname !== '/v1/stream') return fetch(input, init);
    count += 1;
    await beforeOpen(count);
    const { body, status, headers } = await fetch(input, init);
    const slow = new TransformStream<Uint8Array, Uint8Array>({
      transform: async (part, controller) => {
        await new Promise((resolve) => setTimeout(resolve, delayMs));
        controller.enqueue(part);
      },
    });
    return new Response(body!.pipeThrough(slow), { status, headers });
  });
  onTestFinished(() => request.mockRestore());
};

test('a stream that opens for other subscriptions misses nothing that the earlier stream has not delivered', async () => {
  session.start({ token: service.token, baseUrl: service.url, expiresAt: '2099-01-01T00:00:00.000Z' });
  const { body: one } = await service.request('POST', '/v1/devices', { body: { name: 'Boiler 7' } });
  const { body: two } = await service.request('POST', '/v1/devices', { body: { name: 'Boiler 8' } });
  const send = (flow: number) =>
    service.request('POST', '/v1/telemetry', {
      body: { samples: [{ device: one.externalId, values: { flow } }] },
    });
  slowStreams(200, async (count) => {
    if (count !== 2) return;
    await send(1);
    await service.request('PATCH', `/v1/devices/${one.id as string}`, { body: { description: 'New' } });
  });
  const [events, values] = [[] as string[], [] as number[]];
  const live = createSharedStream({
    ...noHandlers,
    onFrame: (kind, frame) => {
      if (kind === 'event') events.push((frame as StreamFrame<'event'>).type);
      else if (kind === 'telemetry')
        values.push(...(frame as StreamFrame<'telemetry'>).series.flatMap(({ value }) => value as number[]));
    },
  });
  const [first, second] = [vi.fn<() => void>(), vi.fn<() => void>()];
  live.watch({ devices: [one.id as string], metrics: ['flow'], onOpen: first });
  const stop = live.start();
  onTestFinished(stop);
  await waitFor(() => expect(first).toHaveBeenCalled());
  live.watch({ devices: [two.id as string], metrics: ['flow'], onOpen: second });
  await waitFor(() => expect(second).toHaveBeenCalled());
  await send(2);
  await waitFor(() => expect(values.at(-1)).toBe(2));
  expect(values).toEqual([1, 2]);
  expect(events.filter((type) => type === 'device.updated')).toHaveLength(1);
});

test('a stream that is closed while it replaces another delivers nothing more, and neither does the other', async () => {
  session.start({ token: service.token, baseUrl: service.url, expiresAt: '2099-01-01T00:00:00.000Z' });
  const { body: one } = await service.request('POST', '/v1/devices', { body: { name: 'Boiler 9' } });
  const { body: two } = await service.request('POST', '/v1/devices', { body: { name: 'Boiler 10' } });
  const isReplaced = Promise.withResolvers<void>();
  slowStreams(400, async (count) => {
    if (count !== 2) return;
    await service.request('PATCH', `/v1/devices/${one.id as string}`, { body: { description: 'Old' } });
    isReplaced.resolve();
  });
  const frames: string[] = [];
  const live = createSharedStream({ ...noHandlers, onFrame: (kind) => void frames.push(kind) });
  const first = vi.fn<() => void>();
  live.watch({ devices: [one.id as string], onOpen: first });
  const stop = live.start();
  await waitFor(() => expect(first).toHaveBeenCalled());
  live.watch({ devices: [two.id as string] });
  await isReplaced.promise;
  // The other stream is opened, and the first one has not delivered the event.
  await new Promise((resolve) => setTimeout(resolve, 150));
  stop();
  const before = frames.length;
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  expect(frames).toHaveLength(before);
});

test('code whose download failed is loaded again until it succeeds', async () => {
  vi.useFakeTimers();
  const failures: number[] = [];
  const load = vi
    .fn<() => Promise<string>>()
    .mockRejectedValueOnce(new TypeError())
    .mockRejectedValueOnce(new TypeError());
  const loading = loadWithRetry(load, (tries) => failures.push(tries));
  load.mockResolvedValue('there');
  await vi.runAllTimersAsync();
  vi.useRealTimers();
  expect(await loading).toBe('there');
  expect(failures).toEqual([1, 2]);
});
