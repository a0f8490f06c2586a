import { expect, test } from 'vitest';
import { createLearned } from '#service/pipelines/formats/learned.ts';
import type { Conversation } from './device-corpus/conversation.ts';
import type { DevicePayload } from './device-corpus/device-payload.ts';
import { cloudPayloads } from './device-corpus/clouds.ts';
import { documentationChecks } from './device-corpus/documentation-checks.ts';
import { energyPayloads } from './device-corpus/energy.ts';
import { homeAssistantConversations } from './device-corpus/home-assistant.ts';
import { homePayloads } from './device-corpus/homes.ts';
import { homieConversations } from './device-corpus/homie.ts';
import { lorawanPayloads } from './device-corpus/lorawan.ts';
import { monitoringPayloads } from './device-corpus/monitoring.ts';
import { platformPayloads } from './device-corpus/platforms.ts';
import { radioPayloads } from './device-corpus/radio.ts';
import { serverPayloads } from './device-corpus/servers.ts';
import { shellyPayloads } from './device-corpus/shelly.ts';
import { statestreamConversations } from './device-corpus/statestream.ts';
import { tasmotaPayloads } from './device-corpus/tasmota.ts';
import { textPayloads } from './device-corpus/texts.ts';
import { zigbee2mqttPayloads } from './device-corpus/zigbee2mqtt.ts';
import { readToSamples } from './read-to-samples.ts';

const NOW = Date.parse('2026-11-22T09:37:00Z');
const payloads: readonly DevicePayload[] = [
  [cloudPayloads, energyPayloads, homePayloads, lorawanPayloads, monitoringPayloads, platformPayloads],
  [radioPayloads, serverPayloads, shellyPayloads, tasmotaPayloads, textPayloads, zigbee2mqttPayloads],
].flat(2);
const conversations: readonly Conversation[] = [
  homeAssistantConversations,
  homieConversations,
  statestreamConversations,
].flat();

const bytesOf = (payload: object | string) =>
  Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload));
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
