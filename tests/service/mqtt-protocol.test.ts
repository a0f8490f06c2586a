import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createPacketGuard } from '#service/mqtt/protocol/packet-guard.ts';
import { createRetainedMessages } from '#service/mqtt/protocol/retained-messages.ts';
import { topicFilterOf } from '#contract/topic-filter.ts';
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

describe('the packet guard', () => {
  test('passes packets up to the limit, however they are split', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 1_000 }), { maxLength: 20 }),
        fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1 }),
        (lengths, cuts) => {
          const bytes = Buffer.concat(lengths.map(packet));
          const guard = createPacketGuard(() => 1_000);
          for (let at = 0, cut = 0; at < bytes.length; cut++) {
            const size = cuts[cut % cuts.length] ?? 1;
            expect(guard(bytes.subarray(at, at + size))).toBeUndefined();
            at += size;
          }
        },
      ),
    );
  });

  test('stops a longer packet at its header, before its bytes arrive', () => {
    const guard = createPacketGuard(() => 1_000);
    expect(guard(packet(10))).toBeUndefined();
    const long = packet(1_001);
    expect([...long.subarray(0, 3)].map((byte) => guard(Uint8Array.of(byte)))).toEqual([
      undefined,
      undefined,
      long.length,
    ]);
  });

  test('stops an endless length field', () => {
    const guard = createPacketGuard(() => Number.POSITIVE_INFINITY);
    expect(guard(Uint8Array.of(0x30, 0xff, 0xff, 0xff, 0xff, 0xff))).toBe(Number.POSITIVE_INFINITY);
  });
});

test('retained messages are limited in size, and clearing them makes room', () => {
  const retained = createRetainedMessages({ retained: [], saveRetained: () => undefined }, () => 0);
  const retain = (topic: string, bytes: number) =>
    retained.set({ topic, payload: Buffer.alloc(bytes), qos: 0, retain: true });
  const large = 8 * 1_048_576 - 100;
  expect([retain('a', large), retain('b', large), retain('c', 200)]).toEqual([true, true, false]);
  expect([retain('a', 0), retain('c', 200), retain('c', large)]).toEqual([true, true, true]);
  expect(retain('b', large + 200)).toBe(false);
  expect(retained.match('+').map(({ topic }) => topic)).toEqual(['b', 'c']);
});
