import { LIMITS } from '#contract/sample-rules.ts';
import { putField, putFields } from './flatten.ts';
import { readDiscovery, type DiscoveredEntity, type Entity } from './home-assistant-entity.ts';
import { isObject } from './json-object.ts';
import { noRoomToLearn, type Learned } from './learned.ts';
import type { MessageContext, MessageFormat } from './message-format.ts';
import type { MessageWriter } from './message-writer.ts';
import { topicAfter } from './topic-device.ts';
import { isNoValue } from './topic-value-format.ts';
import { applyTemplate, numberOf } from './value-template.ts';

const PREFIX = 'homeassistant/';
const SHOWN_LENGTH = 100;
/** The most entities of a topic: each of its messages is read for all of them. */
const ENTITIES_PER_TOPIC = LIMITS.metricsPerTimestamp;

/** The levels of the topic of a configuration, below the prefix. */
const configLevels = (topic: string | null): string[] | undefined => {
  const levels = topicAfter(topic, PREFIX)?.split('/');
  return levels?.at(-1) === 'config' && (levels.length === 3 || levels.length === 4) ? levels : undefined;
};

export const isConfigurationTopic = (topic: string): boolean => configLevels(topic) !== undefined;

/** Whether messages of a topic are read as discovery says: the configurations, and the states that they name. */
export const isDiscoveryTopic = (topic: string | null, learned: Learned | undefined): boolean =>
  topic !== null && (configLevels(topic) !== undefined || learned?.entities.get(topic) !== undefined);

const keyOf = ({ device, metric }: Entity): string => `${device}/${metric}`;

/** Removes the entities of a configuration. */
const forget = ({ entities, configurations, metrics }: Learned, configTopic: string): void => {
  for (const topic of configurations.get(configTopic) ?? []) {
    const { [configTopic]: own = [], ...others } = entities.get(topic) ?? {};
    for (const entity of own) metrics.set(keyOf(entity), undefined);
    entities.set(topic, Object.keys(others).length === 0 ? undefined : others);
  }
  configurations.set(configTopic, undefined);
};

/** Learns the entities of a configuration. Returns false if there is no room for all of them. */
const add = (learned: Learned, configTopic: string, found: readonly DiscoveredEntity[]): boolean => {
  const { entities, configurations, metrics } = learned;
  const byTopic = Map.groupBy(found, ({ topic }) => topic);
  if (!configurations.set(configTopic, [...byTopic.keys()])) return false;
  for (const [topic, discovered] of byTopic) {
    const own = discovered.map(({ entity }) => entity);
    const all = { ...entities.get(topic), [configTopic]: own };
    if (Object.values(all).flat().length > ENTITIES_PER_TOPIC || !entities.set(topic, all)) return false;
    if (!own.every((entity) => metrics.set(keyOf(entity), configTopic))) return false;
  }
  return true;
};

/** Reads a configuration, whose entities replace those that it had before. */
const writeConfiguration = (
  content: unknown,
  writer: MessageWriter,
  { topic, levels, learned }: { topic: string; levels: readonly string[]; learned: Learned | undefined },
): void => {
  const { entities, faults } = isObject(content)
    ? readDiscovery(levels, content)
    : { entities: [], faults: [] };
  for (const fault of faults) writer.reject({ ...fault, samples: 1 });
  const before = (entity: Entity) => learned?.metrics.get(keyOf(entity)) ?? topic;
  const own: DiscoveredEntity[] = [];
  for (const discovered of entities) {
    const { entity } = discovered;
    const fault = writer.faultOf(entity.device);
    if (fault !== undefined) writer.reject({ ...fault, samples: 1 });
    else if (before(entity) === topic) own.push(discovered);
    else
      writer.reject({
        reason: 'duplicate-metric',
        detail: `${entity.metric} of ${entity.device} is also configured in ${before(entity)}. Change the object ID of one of them.`,
        samples: 1,
      });
  }
  if (learned !== undefined) {
    forget(learned, topic);
    if (!add(learned, topic, own)) {
      forget(learned, topic);
      writer.reject(noRoomToLearn);
    }
  }
  writer.isSkipped = writer.rejections.length === 0;
};

/** The value of an entity in a message: null if the message has none; undefined if it is not valid. */
const valueOf = (entity: Entity, content: unknown, text: string): unknown => {
  const value = entity.template === undefined ? text : applyTemplate(entity.template, content, text);
  if (value === null || (typeof value === 'string' && isNoValue(value))) return null;
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return undefined;
  if (entity.words !== undefined) {
    const word = String(value);
    return word === entity.words.on ? true : word === entity.words.off ? false : undefined;
  }
  return entity.isNumber === true ? numberOf(value) : value;
};

const putEntity = (writer: MessageWriter, entity: Entity, content: unknown, text: string): void => {
  const { metric, template } = entity;
  if (entity.isObject === true && isObject(content)) return putFields(writer, content, `${metric}.`);
  const value = valueOf(entity, content, text);
  if (value === null) writer.noValues += 1;
  else if (value !== undefined) putField(writer, metric, value);
  else
    writer.reject({
      reason: 'invalid-value',
      detail: `${metric} has no valid value in ${JSON.stringify(text.slice(0, SHOWN_LENGTH))}${template === undefined ? '' : ` with ${template}`}.`,
      metric,
      samples: 1,
    });
};

const writeStates = (
  entities: readonly Entity[],
  writer: MessageWriter,
  { content, text }: { content: unknown; text: string },
): void => {
  for (const [device, own] of Map.groupBy(entities, (entity) => entity.device)) {
    for (const entity of own) {
      putEntity(writer, entity, content, text);
      if (entity.unit !== undefined) writer.addUnit(entity.metric, entity.unit, device);
      if (entity.deviceName !== undefined) writer.nameDevice(device, entity.deviceName);
    }
    if (writer.hasSamples) writer.endGroup(device, undefined);
  }
};

/**
 * Discovery of Home Assistant: configurations name the topics of states, and how a value is read from them. Other
 * formats do not read these topics.
 * Source: https://www.home-assistant.io/integrations/mqtt/#mqtt-discovery
 */
export const homeAssistantFormat: MessageFormat = {
  name: 'home-assistant',
  write: (content, writer, { topic, learned, text }: MessageContext) => {
    if (topic === null) return false;
    const levels = configLevels(topic);
    if (levels !== undefined) {
      if (content !== '' && !isObject(content)) return false;
      writeConfiguration(content, writer, { topic, levels, learned });
      return true;
    }
    const entities = learned?.entities.get(topic);
    if (entities === undefined) return false;
    writeStates(Object.values(entities).flat(), writer, { content, text });
    return true;
  },
};
