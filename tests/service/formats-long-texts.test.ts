import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { createLearned } from '#service/pipelines/formats/learned.ts';
import { readToSamples } from './read-to-samples.ts';

const NOW = Date.parse('2026-11-22T09:37:00Z');

/** Reading a long text again for each sample, or from each of its places, would take much longer. */
const HANGS_MS = 5_000;

const expectToEnd = (read: () => unknown): void =>
  expect(() => runInNewContext('read()', { read }, { timeout: HANGS_MS })).not.toThrow();

const readJson = (content: unknown, rest: { device?: string; topic?: string } = {}) =>
  readToSamples({ bytes: Buffer.from(JSON.stringify(content)), ...rest }, { nowMs: NOW });

const numbered = <T>(length: number, itemOf: (n: number) => T): T[] =>
  Array.from({ length }, (_, n) => itemOf(n));
const fields = (length: number) => Object.fromEntries(numbered(length, (n) => [`f${n}`, n]));

describe('a message takes linear time', () => {
  test.each<[string, unknown]>([
    ['underscores in a name', { device: 'd', [`x${'_'.repeat(60_000)}y°`]: 1 }],
    ['years in a time', { device: 'd', time: '1234 '.repeat(50_000) }],
    ['many fields in an object with a long name', { device: 'd', ['k°'.repeat(25_000)]: fields(4_000) }],
    [
      'many fields of a measurement with a long name',
      { name: 'k°'.repeat(25_000), tags: { host: 'd' }, fields: fields(4_000), timestamp: NOW },
    ],
    [
      'many records after a long base name',
      [{ bn: 'é '.repeat(25_000), n: 'a', v: 1 }, ...numbered(4_000, (n) => ({ n: `a${n}`, v: 1 }))],
    ],
  ])('with %s', (_, content) => {
    expectToEnd(() => readJson(content));
  });

  test('with many objects of a device whose name is long', () => {
    const objects = numbered(50_000, (n) => ({ t: n }));
    expectToEnd(() => readJson(objects, { device: 'é '.repeat(500), topic: 'plants' }));
  });
});

test('names that only differ after 256 characters are different metrics', () => {
  const long = 'k°'.repeat(150);
  const content = { device: 'd', [`${long}a`]: 1, [`${long}b`]: 2, [long]: { a: 3, b: 4 } };
  const { values = {} } = readJson(content).samples[0] ?? {};
  expect(Object.values(values)).toEqual([1, 2, 3, 4]);
  for (const name of Object.keys(values)) expect(name).toMatch(/^(k_)+k?\.[0-9a-f]{16}$/);
});

test.each([
  ['a device', (level: string) => `plants/${level}/state`],
  ['Homie', (level: string) => `homie/5/${level}/$description`],
  ['Home Assistant', (level: string) => `homeassistant/device/${level}/config`],
  ['Sparkplug', (level: string) => `spBv1.0/${level}/NBIRTH/node`],
])(
  'a topic of %s with more than 1,024 characters is rejected, and nothing is learned from it',
  (_, topicOf) => {
    const learned = createLearned(() => expect.fail('learned'));
    const properties = { on: { datatype: 'boolean' } };
    const content = { nodes: { switch: { properties } }, cmps: { a: { p: 'sensor', stat_t: 'a/b' } } };
    const topic = topicOf('d'.repeat(1_024));
    const { samples, rejections } = readToSamples(
      { bytes: Buffer.from(JSON.stringify(content)), topic },
      { nowMs: NOW, learned },
    );
    expect(samples).toEqual([]);
    expect(rejections).toEqual([
      {
        reason: 'too-large',
        detail: `The topic has ${topic.length.toLocaleString('en')} characters. The limit is 1,024 characters. Publish to a shorter topic.`,
        samples: 1,
      },
    ]);
  },
);
