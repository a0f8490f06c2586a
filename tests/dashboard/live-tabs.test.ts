import { waitFor } from '@testing-library/react';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { StreamFrame } from '#contract/stream.ts';
import { createSharedStream } from '#dashboard/api/live/shared-stream.ts';
import { mergeSubscriptions } from '#dashboard/api/live/live-subscriptions.ts';
import { session } from '#dashboard/api/session.ts';
import { startTestService, type TestService } from '#tests/service/start-test-service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  session.start({ token: service.token, baseUrl: service.url, expiresAt: '2099-01-01T00:00:00.000Z' });
});
afterAll(() => service.close());

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A tab of the same browser, with lists of what it received. */
const openTab = (watched: readonly string[] = []) => {
  const values: number[] = [];
  const events: string[] = [];
  const [onStart, onGap, onOpen] = [vi.fn<() => void>(), vi.fn<() => void>(), vi.fn<() => void>()];
  const live = createSharedStream({
    onFrame: (kind, frame) => {
      if (kind === 'event') events.push((frame as StreamFrame<'event'>).subject.id);
      if (kind !== 'telemetry') return;
      for (const { device, value } of (frame as StreamFrame<'telemetry'>).series)
        if (watched.includes(device)) values.push(...(value as number[]));
    },
    onStart,
    onGap,
  });
  live.watch({ devices: watched, metrics: ['flow'], onOpen });
  const close = live.start();
  closers.push(close);
  return { values, events, onStart, onGap, onOpen, close };
};

const setHidden = (isHidden: boolean) => {
  Object.defineProperty(document, 'hidden', { value: isHidden, configurable: true });
  document.dispatchEvent(new Event('visibilitychange'));
};

/** Speaks the protocol of tabs by hand. */
const openGhost = () => {
  const channel = new BroadcastChannel(`penstock.live-stream.${service.token.slice(-12)}`);
  closers.push(() => channel.close());
  const received: string[] = [];
  const post = (message: object) => channel.postMessage({ from: 'ghost', sinceMs: 0, ...message });
  channel.addEventListener('message', ({ data }) => {
    const { message } = data as { message?: { kind: string; name?: string } };
    received.push(message?.name ?? message?.kind ?? '');
  });
  return {
    /** Replies to tabs that ask for the leader. */
    lead: () => {
      channel.addEventListener('message', ({ data }) => {
        if ((data as { kind: string }).kind === 'ask') post({ kind: 'lead' });
      });
    },
    send: (message: object) => post({ kind: 'message', message }),
    received: (kind: string) => received.filter((each) => each === kind).length,
    close: () => channel.close(),
  };
};

const openStreams = () => service.service.parts.streams.figures().open;
const create = async (name: string) =>
  (await service.request('POST', '/v1/devices', { body: { name } })).body as { id: string };
const send = (device: string, flow: number) =>
  service.request('POST', '/v1/telemetry', { body: { samples: [{ device, values: { flow } }] } });

describe('tabs of one browser', () => {
  test('share one stream, and each gets its subscriptions', async () => {
    const [one, two] = [await create('One'), await create('Two')];
    const tabs = [openTab([one.id]), openTab([two.id]), openTab()];
    await waitFor(() => {
      for (const { onOpen } of tabs) expect(onOpen).toHaveBeenCalledTimes(1);
    });
    for (const { onStart } of tabs) expect(onStart).toHaveBeenCalledTimes(1);
    await send(one.id, 1);
    await send(two.id, 2);
    await waitFor(() => expect(tabs.map(({ values }) => values)).toEqual([[1], [2], []]));
    await waitFor(() => expect(openStreams()).toBe(1));
    const { id } = await create('Three');
    // A device that comes online may follow.
    await waitFor(() => {
      for (const { events } of tabs) expect(events.filter((each) => each === id)).toEqual([id]);
    });
    for (const { onGap } of tabs) expect(onGap).not.toHaveBeenCalled();
  });

  test('continue when the leader is closed, and refetch what they may have missed', async () => {
    const devices = [await create('Four'), await create('Five')];
    const first = openTab();
    await waitFor(() => expect(first.onOpen).toHaveBeenCalled());
    const others = devices.map(({ id }) => openTab([id]));
    await waitFor(() => {
      for (const { onOpen } of others) expect(onOpen).toHaveBeenCalled();
    });
    first.close();
    await waitFor(() => {
      for (const { onGap } of others) expect(onGap).toHaveBeenCalled();
    });
    // From here on nothing is missed: the new leader subscribed to everything that the other tab wants at once.
    for (const { id } of devices) await send(id, 5);
    await waitFor(() => expect(others.map(({ values }) => values)).toEqual([[5], [5]]));
    expect(openStreams()).toBe(1);
  });

  test('replace a leader that stopped sending', async () => {
    const ghost = openGhost();
    ghost.lead();
    const tab = openTab();
    await waitFor(() => expect(openStreams()).toBe(0));
    expect(tab.onOpen).not.toHaveBeenCalled();
    ghost.close();
    await waitFor(() => expect(tab.onOpen).toHaveBeenCalled());
    expect(tab.onGap).toHaveBeenCalled();
  });

  test('refetch when the stream of their leader opens, not before', async () => {
    const { id } = await create('Six');
    const leader = openGhost();
    leader.lead();
    const tab = openTab([id]);
    const sendState = (device: string[] | null) =>
      leader.send({
        kind: 'state',
        state: 'live',
        lastContactMs: null,
        openSubscriptions: device && { seen: [], device, metric: ['flow'] },
      });
    const sendValue = async (value: number) => {
      const data = JSON.stringify({ series: [{ device: id, metric: 'flow', ts: [value], value: [value] }] });
      leader.send({ kind: 'frame', name: 'telemetry', data });
      await waitFor(() => expect(tab.values.at(-1)).toBe(value));
    };
    await waitFor(() => expect(leader.received('subscriptions')).toBeGreaterThan(0));
    // A tab that followed a live stream before it became the leader.
    sendState(null);
    await sendValue(1);
    expect(tab.onStart).not.toHaveBeenCalled();
    sendState([id]);
    await sendValue(2);
    expect(tab.onStart).toHaveBeenCalledTimes(1);
    expect(tab.onOpen).toHaveBeenCalledTimes(1);
    // Streams without the device replace the stream and are replaced: samples in between are queried.
    sendState([]);
    sendState([id]);
    await sendValue(3);
    expect(tab.onOpen).toHaveBeenCalledTimes(2);
  });

  test('get their subscriptions while many tabs send theirs all the time', async () => {
    const { id } = await create('Seven');
    const tab = openTab();
    await waitFor(() => expect(tab.onOpen).toHaveBeenCalled());
    const follower = openGhost();
    const repeat = setInterval(
      () =>
        follower.send({ kind: 'subscriptions', subscriptions: { seen: [], device: [id], metric: ['flow'] } }),
      50,
    );
    closers.push(() => clearInterval(repeat));
    await waitFor(
      async () => {
        await send(id, 7);
        expect(follower.received('telemetry')).toBeGreaterThan(0);
      },
      { timeout: 5_000 },
    );
  });

  test('close the stream ten seconds after they are hidden, and refetch when they are visible again', async () => {
    const tab = openTab();
    await waitFor(() => expect(tab.onOpen).toHaveBeenCalled());
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    setHidden(true);
    vi.advanceTimersByTime(9_999);
    expect(openStreams()).toBe(1);
    vi.advanceTimersByTime(1);
    vi.useRealTimers();
    await waitFor(() => expect(openStreams()).toBe(0));
    expect(tab.onGap).not.toHaveBeenCalled();
    setHidden(false);
    await waitFor(() => expect(tab.onGap).toHaveBeenCalledTimes(1));
    expect(openStreams()).toBe(1);
  });

  test('close the stream when the last of them is closed', async () => {
    const tabs = [openTab(), openTab()];
    await waitFor(() => {
      for (const { onOpen } of tabs) expect(onOpen).toHaveBeenCalled();
    });
    for (const { close } of tabs) close();
    await waitFor(() => expect(openStreams()).toBe(0));
  });

  test('share the limit of a stream evenly', () => {
    const ids = fc.uniqueArray(fc.string({ minLength: 1 }), { maxLength: 300 });
    fc.assert(
      fc.property(fc.array(ids, { minLength: 1, maxLength: 10 }), (lists) => {
        const { seen } = mergeSubscriptions(lists.map((list) => ({ seen: list, device: [], metric: [] })));
        const asked = new Set(seen);
        expect(asked.size).toBe(seen.length);
        expect(seen.length).toBe(Math.min(200, new Set(lists.flat()).size));
        const share = Math.floor(200 / lists.length);
        for (const list of lists) expect(list.slice(0, share).every((id) => asked.has(id))).toBe(true);
      }),
    );
  });
});
