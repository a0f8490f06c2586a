import { expect, test } from 'vitest';
import { createLearned } from '#service/pipelines/formats/learned.ts';
import type { Conversation } from './device-corpus/conversation.ts';
import { bytesOf, corpusConversations, corpusPayloads } from './device-corpus/corpus.ts';
import type { DevicePayload } from './device-corpus/device-payload.ts';
import { documentationChecks } from './device-corpus/documentation-checks.ts';
import { readToSamples } from './read-to-samples.ts';

const NOW = Date.parse('2026-11-22T09:37:00Z');
const payloads = corpusPayloads.flatMap(([, ofSender]) => ofSender);
const conversations = corpusConversations.flatMap(([, ofSender]) => ofSender);

const distinct = (items: readonly unknown[]) => new Set(items.map((item) => JSON.stringify(item))).size;

type Samples = readonly { readonly device: string; readonly ts?: unknown; readonly values: object }[];
/** Each value with its device, metric and time. */
const valuesIn = (samples: Samples): string[] =>
  samples.flatMap(({ device, ts, values }) =>
    Object.entries(values).map((entry) => JSON.stringify([device, ts, ...entry])),
  );

type Reading = { samples: Samples; reasons: readonly string[] };
/**
 * `asked`: values are missing, and rejections say why. `wrong`: a value with another device, metric or time than its documentation
 * describes, or one that is missing without a rejection.
 */
const judge = (expected: Reading, actual: Reading): 'right' | 'asked' | 'wrong' => {
  const [wanted, given] = [new Set(valuesIn(expected.samples)), new Set(valuesIn(actual.samples))];
  if ([...given].some((value) => !wanted.has(value))) return 'wrong';
  const isComplete = wanted.size === given.size;
  if (isComplete && expected.reasons.join() === actual.reasons.join()) return 'right';
  return actual.reasons.length > 0 ? 'asked' : 'wrong';
};

const readPayload = ({ topic, level, filter, payload }: DevicePayload): Reading => {
  const message = { bytes: bytesOf(payload), topic: topic ?? null, device: level };
  const { samples, rejections } = readToSamples(message, { nowMs: NOW, topicFilter: filter });
  return { samples, reasons: rejections.map(({ reason }) => reason) };
};

const readConversation = ({ messages }: Conversation): Reading => {
  const learned = createLearned(() => undefined);
  const results = messages.map(([topic, payload]) =>
    readToSamples({ bytes: bytesOf(payload), topic }, { nowMs: 0, learned }),
  );
  return {
    samples: results.flatMap(({ samples }) => samples),
    reasons: results.flatMap(({ rejections }) => rejections.map(({ reason }) => reason)),
  };
};

test('payloads from public documentation are read as documented, or rejected with a reason', () => {
  const judged = [
    ...payloads.map((entry) => ({ entry, actual: readPayload(entry) })),
    ...conversations.map((entry) => ({ entry, actual: readConversation(entry) })),
  ].map(({ entry, actual }) => {
    const { name, samples, rejections = [] } = entry;
    return { name, outcome: judge({ samples, reasons: rejections }, actual) };
  });
  const namesOf = (outcome: string) =>
    judged.filter((each) => each.outcome === outcome).map(({ name }) => name);
  const messages = [
    ...payloads.map(({ topic, level, payload }) => [topic, level, payload]),
    ...conversations.flatMap((conversation) => conversation.messages),
  ];
  const right = namesOf('right').length / judged.length;
  console.info(
    `corpus: ${distinct(payloads.map(({ topic, payload }) => [topic, payload]))} payloads and ${conversations.length} conversations, ` +
      `${distinct(messages)} messages; right: ${(right * 100).toFixed(1)} %; asked: ${namesOf('asked').length}; wrong in silence: ${namesOf('wrong').length}`,
  );
  expect(namesOf('wrong')).toEqual([]);
  expect(right).toBeGreaterThanOrEqual(0.95);
  expect(distinct(messages)).toBeGreaterThanOrEqual(200);
  expect(distinct(documentationChecks.map(({ tool }) => tool))).toBeGreaterThanOrEqual(25);
});
