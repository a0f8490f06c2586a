import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lastEventId } from '#service/events/event-routes.ts';
import { createEventFeed } from '#service/stream/resume-events.ts';
import type { StreamClient } from '#service/stream/stream-client.ts';
import { openRawStream } from './raw-stream.ts';
import { sized } from './sized.ts';
import { startTestService, type TestService } from './start-test-service.ts';

let test: TestService;
beforeAll(async () => {
  test = await startTestService();
});
afterAll(() => test.close());

let number = 0;
const write = () => test.request('POST', '/v1/devices', { body: { name: `Device ${(number += 1)}` } });
/** Records events about a device. */
const record = (count: number) =>
  test.service.parts.transact((_, recordEvents) =>
    recordEvents(
      ...Array.from({ length: count }, () => ({
        type: 'device.online' as const,
        subject: { type: 'device' as const, id: 'dev_1', name: 'One' },
        actor: null,
        at: Date.now(),
      })),
    ),
  );
const newestId = async (): Promise<string> =>
  (await test.request('GET', '/v1/events?limit=1')).body.data[0].id;

/** Events of the log after one, oldest first. */
const logAfter = async (id: string): Promise<string[]> => {
  const ids: string[] = [];
  for (let cursor = ''; ;) {
    const { body } = await test.request('GET', `/v1/events?limit=200${cursor}`);
    for (const event of body.data) {
      if (event.id === id) return ids.toReversed();
      ids.push(event.id);
    }
    cursor = `&cursor=${body.nextCursor}`;
  }
};

describe('a resumed stream', () => {
  it('sends every event once, in the order of the log, wherever it was interrupted', async () => {
    await write();
    await fc.assert(
      fc.asyncProperty(
        // How many writes run beside each of the connections, and after how many events it is cut.
        fc.array(fc.record({ writes: fc.nat(8), cutAfter: fc.nat(6) }), { minLength: 1, maxLength: 6 }),
        async (rounds) => {
          const begun = await newestId();
          const got: string[] = [];
          let resumeAt = begun;
          const writing: Promise<unknown>[] = [];
          for (const { writes, cutAfter } of rounds) {
            for (let count = 0; count < writes; count += 1) writing.push(write());
            const stream = await openRawStream({
              url: test.url,
              token: test.token,
              headers: { 'last-event-id': resumeAt },
            });
            const isThere = () => stream.eventIds().length >= Math.min(cutAfter, writes);
            await expect.poll(isThere, { interval: 5 }).toBe(true);
            stream.socket.destroy();
            const ids = stream.eventIds();
            got.push(...ids);
            resumeAt = ids.at(-1) ?? resumeAt;
          }
          await Promise.all(writing);
          const log = await logAfter(begun);
          const last = await openRawStream({
            url: test.url,
            token: test.token,
            headers: { 'last-event-id': resumeAt },
          });
          await expect.poll(() => [...got, ...last.eventIds()], { interval: 5 }).toEqual(log);
          expect(last.text()).not.toContain('event: reset');
          last.socket.destroy();
        },
      ),
      { numRuns: sized(8, 25) },
    );
  });

  it('sends events that are recorded while the log is read once and last', async () => {
    const { parts } = test.service;
    const begun = (await lastEventId(parts.db)) ?? '';
    const received: string[] = [];
    const feed = createEventFeed(parts.db);
    const stop = parts.live.subscribe('event', ({ event, seq }) => feed.onEvent(seq, () => event.id));
    const before = [record(1), record(1)];
    const client = { send: (text: string) => received.push(/^id: (\w+)$/m.exec(text)?.[1] ?? text) };
    const resumed = feed.begin(client as unknown as StreamClient, begun);
    await Promise.all([...before, record(1), record(1), resumed]);
    stop();
    expect(received).toHaveLength(4);
    expect(received).toEqual(await logAfter(begun));
  });

  it('starts where it was opened, even without events since', async () => {
    const first = await openRawStream({ url: test.url, token: test.token });
    await expect.poll(() => /^id: (\w+)$/m.exec(first.text())?.[1]).toBe(await newestId());
    const [, id = ''] = /^id: (\w+)$/m.exec(first.text()) ?? [];
    first.socket.destroy();
    const { body } = await write();
    const { eventIds, text, socket } = await openRawStream({
      url: test.url,
      token: test.token,
      headers: { 'last-event-id': id },
    });
    await expect.poll(eventIds).toHaveLength(1);
    expect(text()).toContain(body.id);
    socket.destroy();
  });

  /** The newest event, then more events than the service sends again. */
  const oldId = async (): Promise<string> => {
    const id = await newestId();
    await record(1_200);
    return id;
  };

  it.each([
    ['of an event that is not known', () => 'evt_01jz3k5v8cf6n9qw2r4t7y0abd'],
    ['that is no id at all', () => 'x'.repeat(4_000)],
    ['that is more than a thousand events ago', oldId],
  ])('sends reset after an ID %s, and continues from there', async (_, id) => {
    const after = await id();
    const { text, eventIds, socket } = await openRawStream({
      url: test.url,
      token: test.token,
      headers: { 'last-event-id': after },
    });
    await expect.poll(() => /^event: (\w+)$/m.exec(text())?.[1]).toBe('reset');
    expect(eventIds()).toEqual([]);
    await write();
    await expect.poll(eventIds).toEqual([await newestId()]);
    socket.destroy();
  });
});
