import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Actor } from '#service/platform/http/auth.ts';
import { openRawStream, type RawStream } from './raw-stream.ts';
import { sized } from './sized.ts';
import { startTestService, type TestService } from './start-test-service.ts';

let test: TestService;
beforeAll(async () => {
  test = await startTestService();
});
afterAll(() => test.close());

const follow = async (query: string, token = test.token): Promise<RawStream> => {
  const stream = await openRawStream({ url: test.url, token, query });
  onTestFinished(() => void stream.socket.destroy());
  return stream;
};

const createDevice = async (name: string): Promise<{ id: string; externalId: string }> =>
  (await test.request('POST', '/v1/devices', { body: { name } })).body;

/** The numbers of the samples in the frames of a stream. */
const numbersOf = (stream: RawStream): number[] =>
  [...stream.text().matchAll(/"value":\[([\d,]+)\]/g)].flatMap(([, list = '']) =>
    list.split(',').map(Number),
  );

describe('a stream that replaces another', () => {
  it('continues it without missing or repeating an event or a sample', async () => {
    const [one, other] = [await createDevice('One'), await createDevice('Other')];
    let id = randomUUID();
    const streams = [await follow(`?id=${id}&device=${one.id}`)];
    const over = new AbortController();
    const sent: number[] = [];
    const created: string[] = [];
    const write = async () => {
      for (let number = 1; !over.signal.aborted; number += 1) {
        const device = await createDevice(`Device ${number}`);
        created.push(device.id);
        sent.push(number);
        await test.request('POST', '/v1/telemetry', {
          body: { samples: [{ device: one.externalId, values: { number } }] },
        });
      }
    };
    const writing = write();
    for (let round = 0; round < sized(12, 60); round += 1) {
      const next = randomUUID();
      // Every second stream follows the same series as the stream before.
      const devices = round % 4 < 2 ? '' : `&device=${other.id}`;
      streams.push(await follow(`?id=${next}&replaces=${id}&device=${one.id}${devices}`));
      id = next;
      await expect.poll(streams.at(-2)!.hasEnded).toBe(true);
    }
    over.abort();
    await writing;
    await expect.poll(() => streams.flatMap(numbersOf)).toEqual(sent);
    const subjects = () =>
      streams.flatMap((stream) =>
        [...stream.text().matchAll(/"type":"device.registered".*?"subject":\{.*?"id":"(\w+)"/g)].map(
          ([, device]) => device,
        ),
      );
    await expect.poll(() => subjects().toSorted()).toEqual(created.toSorted());
    expect(streams.at(-1)!.hasEnded()).toBe(false);
  });

  it('does not get samples that wait for the next frame of the other, also in a group with a third', async () => {
    const one = await createDevice('Two');
    const id = randomUUID();
    const [third, earlier] = [await follow(`?device=${one.id}`), await follow(`?id=${id}&device=${one.id}`)];
    const replacing: Promise<RawStream>[] = [];
    // Within the quarter of a second between two frames.
    for (let number = 1; number <= 5; number += 1) {
      await test.request('POST', '/v1/telemetry', {
        body: { samples: [{ device: one.externalId, values: { number } }] },
      });
      if (number === 3) replacing.push(follow(`?replaces=${id}&device=${one.id}`));
    }
    const [later] = await Promise.all(replacing);
    await expect.poll(() => [...numbersOf(earlier), ...numbersOf(later!)]).toEqual([1, 2, 3, 4, 5]);
    await expect.poll(() => numbersOf(third)).toEqual([1, 2, 3, 4, 5]);
  });

  it('begins before the other has ended, which sends the events that wait for its own beginning', async () => {
    const { streams } = test.service.parts;
    const actor = { id: 'ses_1', scopes: ['events:read'], devices: null } as unknown as Actor;
    const subscription = {
      actor,
      token: '',
      from: '',
      asked: new Set(''),
      seen: new Set(''),
      metrics: undefined,
    };
    const open = (id: string, replaces: string | undefined, begin: () => Promise<string>) => {
      const response = new PassThrough();
      onTestFinished(() => void response.destroy());
      streams.open(response as unknown as ServerResponse, {
        ...subscription,
        id,
        replaces,
        events: { send: () => undefined, begin: async (client) => client.send(await begin()) },
      });
      return response;
    };
    const begun = Promise.withResolvers<string>();
    const first = open('1', undefined, () => begun.promise);
    const second = open('2', '1', async () => 'second');
    await expect.poll(() => second.readableLength).toBe('second'.length);
    expect(first.writableEnded).toBe(false);
    begun.resolve('first');
    expect(await text(first)).toBe('first: replaced\n\n');
    expect(second.writableEnded).toBe(false);
  });

  it('does not end streams of other tokens', async () => {
    const { secret } = await test.mintKey(['devices:read']);
    const [ofKey, own] = [randomUUID(), randomUUID()];
    const other = await follow(`?id=${ofKey}`, secret);
    const earlier = await follow(`?id=${own}`);
    await follow(`?replaces=${ofKey}`);
    await follow(`?replaces=${own}`);
    await expect.poll(earlier.hasEnded).toBe(true);
    expect(other.hasEnded()).toBe(false);
  });

  it('continues after the Last-Event-ID if the other is gone', async () => {
    const id = randomUUID();
    const first = await follow(`?id=${id}`);
    await expect.poll(() => /^id: (\w+)$/m.exec(first.text())?.[1]).toBeTruthy();
    const [, lastId = ''] = /^id: (\w+)$/m.exec(first.text()) ?? [];
    first.socket.destroy();
    await expect.poll(() => test.service.parts.streams.figures().open).toBe(0);
    const missed = await createDevice('Missed');
    const second = await openRawStream({
      url: test.url,
      token: test.token,
      query: `?replaces=${id}`,
      headers: { 'last-event-id': lastId },
    });
    onTestFinished(() => void second.socket.destroy());
    await expect.poll(second.text).toContain(missed.id);
  });
});
