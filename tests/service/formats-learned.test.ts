import { describe, expect, test } from 'vitest';
import { createLearned, learnedForPreview, type Learned } from '#service/pipelines/formats/learned.ts';
import type { Conversation } from './device-corpus/conversation.ts';
import { bytesOf, corpusConversations } from './device-corpus/corpus.ts';
import { readToSamples } from './read-to-samples.ts';

const newLearned = () => createLearned(() => undefined);
const readAll = (messages: Conversation['messages'], learned: Learned = newLearned()) =>
  messages.map(([topic, payload]) =>
    readToSamples({ bytes: bytesOf(payload), topic }, { nowMs: 0, learned }),
  );

describe.each(corpusConversations)('%s', (_, conversations) => {
  test.each(conversations.map((conversation) => [conversation.name, conversation] as const))(
    'is read as its documentation describes: %s',
    (_, { messages, samples, units = {}, deviceNames = {}, rejections = [], noValues = 0 }) => {
      const results = readAll(messages);
      expect(results.flatMap((result) => result.rejections.map(({ reason }) => reason))).toEqual(rejections);
      expect(results.flatMap((result) => result.samples)).toEqual(samples);
      expect(results.reduce((sum, result) => sum + result.noValues, 0)).toBe(noValues);
      expect(Object.fromEntries(results.flatMap((result) => [...result.units]))).toEqual(units);
      expect(Object.fromEntries(results.flatMap((result) => [...result.deviceNames]))).toEqual(deviceNames);
    },
  );
});

describe('what a pipeline learns', () => {
  test('is limited in number and size, and a message beyond the limit is rejected', () => {
    const learned = newLearned();
    const unit = (i: number) => [`homie/d/n/p${i}/$unit`, 'W'] as const;
    for (let i = 0; i < 20_000; i += 1) learned.attributes.set(...unit(i));
    expect(readAll([unit(20_000)], learned)).toMatchObject([{ rejections: [{ reason: 'learned-limit' }] }]);
    readAll([['homie/d/n/p7/$unit', '']], learned);
    expect(readAll([unit(20_000)], learned)[0]?.rejections).toEqual([]);

    const large = newLearned();
    const topic = 'a'.repeat(60_000);
    const results = readAll(
      Array.from({ length: 50 }, (_, i) => [`homie/d/${topic}/${i}/$unit`, 'W'] as const),
      large,
    );
    expect(results.filter(({ rejections }) => rejections.length > 0).length).toBeGreaterThan(10);
  });

  test('has at most 200 values of a topic', () => {
    const learned = newLearned();
    const results = readAll(
      Array.from({ length: 201 }, (_, i) => [`homeassistant/sensor/s${i}/config`, { stat_t: 'x' }] as const),
      learned,
    );
    expect(results.flatMap(({ rejections }) => rejections)).toMatchObject([{ reason: 'learned-limit' }]);
    expect(learned.configurations.get('homeassistant/sensor/s200/config')).toBeUndefined();
  });

  test('is read from a device configuration whose components have no text as platform', () => {
    const components = {
      a: { p: { toString: 1 }, stat_t: 'a/state' },
      b: { p: 'sensor', stat_t: 'b/state' },
    };
    const results = readAll([
      ['homeassistant/device/hall/config', { dev: { ids: 'hall' }, cmps: components }],
      ['b/state', '21'],
    ]);
    expect(results.flatMap(({ samples }) => samples)).toMatchObject([{ device: 'hall' }]);
  });

  test('is not changed by a preview', () => {
    const learned = newLearned();
    readAll([['homie/d/n/t/$unit', 'W']], learnedForPreview(learned));
    expect(learned.attributes.get('homie/d/n/t/$unit')).toBeUndefined();
  });

  test('is not changed by a longer attribute', () => {
    const learned = newLearned();
    readAll([['homie/d/n/t/$unit', 'W'.repeat(257)]], learned);
    expect([...learned.attributes.keys()]).toEqual([]);
  });
});
