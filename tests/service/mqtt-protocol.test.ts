import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { pino } from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openMqttStore } from '#service/mqtt/protocol/mqtt-store.ts';
import { createPacketSplitter } from '#service/mqtt/protocol/packet-splitter.ts';
import { createRetainedMessages } from '#service/mqtt/protocol/retained-messages.ts';
import { coversFilter, topicFilterOf } from '#contract/topic-filter.ts';
import { createTopicRoutes } from '#service/mqtt/topic-routes.ts';

describe('a topic filter', () => {
  test.each([
    ['v1/devices/+/telemetry', 'v1/devices/boiler-7/telemetry', 'boiler-7'],
    ['+/status', 'boiler-7/status', 'boiler-7'],
    ['site/+/+/x', 'site/a/b/x', 'a'],
    ['site/+/#', 'site/a', 'a'],
    ['site/+/#', 'site/a/b/c', 'a'],
    ['+/+', '/finance', ''],
  ])('%s matches %s and returns the level at its first +', (filter, topic, level) => {
    expect(topicFilterOf(filter)(topic)).toEqual({ level });
  });

  test.each([
    ['a/b', 'a/b'],
    ['#', 'a/b/c'],
    ['sport/#', 'sport'],
  ])('%s matches %s without a level', (filter, topic) => {
    expect(topicFilterOf(filter)(topic)).toEqual({ level: undefined });
  });

  test.each([
    ['v1/devices/+/telemetry', 'v1/devices/a/b/telemetry'],
    ['v1/devices/+/telemetry', 'v1/devices/telemetry'],
    ['a/b', 'a/b/'],
    ['a/+', 'a'],
    ['#', '$SYS/uptime'],
    ['+/uptime', '$SYS/uptime'],
  ])('%s does not match %s', (filter, topic) => {
    expect(topicFilterOf(filter)(topic)).toBeUndefined();
  });

  test.each([
    ['#', 'tele/#'],
    ['tele/#', 'tele/#'],
    ['tele/#', 'tele/+/SENSOR'],
    ['+/events/rpc', '+/events/rpc'],
    ['+/#', 'zigbee2mqtt/#'],
    ['v1/+/+/telemetry', 'v1/devices/+/telemetry'],
  ])('%s covers %s', (wide, narrow) => {
    expect(coversFilter(wide, narrow)).toBe(true);
  });

  test('covers another one only if it matches all topics of the other', () => {
    const below = (texts: string[], levels: string[]) =>
      texts.flatMap((text) => levels.map((level) => `${text}/${level}`));
    const [one, levels] = [
      ['a', 'b', '+', '$'],
      ['a', 'b', '+'],
    ];
    const fixed = [...one, ...below(one, levels), ...below(below(one, levels), levels)];
    const filters = ['#', ...fixed, ...fixed.map((filter) => `${filter}/#`)];
    const [first, next] = [
      ['a', 'b', 'c', '$'],
      ['a', 'b', 'c'],
    ];
    const topics = [first, below(first, next), below(below(first, next), next)].flat();
    topics.push(...topics.filter((topic) => topic.split('/').length === 3).map((topic) => `${topic}/c`));
    const matches = new Map(
      filters.map((filter) => [filter, new Set(topics.filter((topic) => topicFilterOf(filter)(topic)))]),
    );
    for (const wide of filters)
      for (const narrow of filters)
        if (
          coversFilter(wide, narrow) &&
          [...matches.get(narrow)!].some((topic) => !matches.get(wide)!.has(topic))
        )
          expect.fail(`${wide} does not cover ${narrow}`);
  });
});

/** A packet with the given number of bytes after its fixed header (MQTT 3.1.1, 2.2). */
const packet = (length: number): Buffer => {
  const header = [0x30];
  let rest = length;
  do {
    header.push((rest % 128) | (rest >= 128 ? 128 : 0));
    rest = Math.floor(rest / 128);
  } while (rest > 0);
  return Buffer.concat([Buffer.from(header), Buffer.alloc(length, 0xff)]);
};

test('cached matches of a topic are dropped when a route is added or removed', () => {
  const routes = createTopicRoutes();
  const [one, other] = [async () => 'one', async () => 'other'];
  const takers = (topic: string) => routes.matchTopic(topic).map(({ level, handle }) => [level, handle]);
  const long = `v1/devices/${'x'.repeat(300)}/telemetry`;
  for (const topic of ['v1/devices/boiler-7/telemetry', long]) {
    expect(takers(topic)).toEqual([]);
    const end = routes.add('v1/devices/+/telemetry', one);
    expect(takers(topic)).toEqual([[topic.split('/')[2], one]]);
    const endOther = routes.add('#', other);
    expect(takers(topic)).toEqual([
      [topic.split('/')[2], one],
      [undefined, other],
    ]);
    end();
    expect(takers(topic)).toEqual([[undefined, other]]);
    endOther();
    expect(takers(topic)).toEqual([]);
  }
});

describe('the packet splitter', () => {
  test('returns the packets of a stream, however they are split', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 1_000 }), { maxLength: 20 }),
        fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1 }),
        (lengths, cuts) => {
          const packets = lengths.map(packet);
          const bytes = Buffer.concat(packets);
          const splitter = createPacketSplitter(() => 1_000);
          const taken: Buffer[] = [];
          for (let at = 0, cut = 0; at < bytes.length; cut++) {
            const size = cuts[cut % cuts.length] ?? 1;
            splitter.push(bytes.subarray(at, at + size));
            // Packets are also taken later than they arrive.
            if (size % 2 === 0)
              for (let next = splitter.take(); next !== undefined; next = splitter.take()) taken.push(next);
            at += size;
          }
          for (let next = splitter.take(); next !== undefined; next = splitter.take()) taken.push(next);
          expect(taken).toEqual(packets);
        },
      ),
    );
  });

  test('stops a longer packet at its header, before its bytes arrive', () => {
    const splitter = createPacketSplitter(() => 1_000);
    splitter.push(packet(10));
    expect(splitter.take()).toHaveLength(12);
    const long = packet(1_001);
    for (const byte of long.subarray(0, 2)) {
      splitter.push(Buffer.of(byte));
      expect(splitter.take()).toBeUndefined();
    }
    splitter.push(long.subarray(2, 3));
    expect(() => splitter.take()).toThrow(`The packet has ${long.length} bytes. The limit is 1000 bytes.`);
  });

  test('stops an endless length field', () => {
    const splitter = createPacketSplitter(() => Number.POSITIVE_INFINITY);
    splitter.push(Buffer.of(0x30, 0xff, 0xff, 0xff, 0xff, 0xff));
    expect(() => splitter.take()).toThrow('Infinity');
  });
});

test('retained messages are limited in size, and clearing them makes room', () => {
  const retained = createRetainedMessages({ retained: [], saveRetained: () => undefined }, () => 0);
  const retain = (topic: string, bytes: number) =>
    retained.set({ topic, payload: Buffer.alloc(bytes), qos: 0, retain: true }, topic);
  const large = 8 * 1_048_576 - 100;
  const small = large / 2;
  expect([retain('a', large), retain('b', small), retain('c', small + 400)]).toEqual([true, true, false]);
  expect([retain('a', 0), retain('c', small), retain('c', small + 200)]).toEqual([true, true, true]);
  expect(retain('c', 2 * large)).toBe(false);
  expect(retained.match('+').map(({ topic }) => topic)).toEqual(['b', 'c']);
});

test('the retained messages of one owner leave room for those of others, also after a restart', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'penstock-mqtt-retained-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  const open = () => {
    const disk = { requireWritable: () => undefined, reportError: (error: unknown) => error as Error };
    const store = openMqttStore(dataDir, { disk, log: pino({ level: 'silent' }) });
    return { store, retained: createRetainedMessages(store, () => 0) };
  };
  const message = (topic: string, bytes = 1) =>
    ({ topic, payload: Buffer.alloc(bytes, 'x'), qos: 0, retain: true }) as const;
  const first = open();
  const keep = (topic: string, owner: string) => first.retained.set(message(topic), owner);
  const kept = Array.from({ length: 12_000 }, (_, n) => keep(`greedy/${n}`, 'greedy')).filter(Boolean);
  expect(kept).toHaveLength(5_000);
  expect(['a', 'b', 'c'].map((topic) => keep(topic, 'modest'))).toEqual([true, true, true]);
  expect([keep('greedy/more', 'greedy'), keep('greedy/0', 'greedy')]).toEqual([false, true]);
  await first.store.close();
  const { store, retained } = open();
  expect(retained.match('#')).toHaveLength(5_003);
  const large = message('greedy/0', 2);
  expect([retained.set(large, 'greedy'), retained.set(large, 'modest')]).toEqual([false, true]);
  await store.close();
});
