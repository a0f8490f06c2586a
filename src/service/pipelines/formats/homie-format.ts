import { LIMITS } from '#contract/sample-rules.ts';
import { countValues, putField } from './flatten.ts';
import { isComposite, isObject, type JsonObject } from './json-object.ts';
import { noRoomToLearn, type Learned } from './learned.ts';
import type { MessageContext, MessageFormat } from './message-format.ts';
import type { MessageWriter } from './message-writer.ts';

const DOMAIN = 'homie/';
/** The version of the convention is a level of topics since version 5. */
const VERSION = '5';
/** Longer attributes are not learned. */
const ATTRIBUTE_LENGTH = 256;
const LEARNED = new Set(['$name', '$unit', '$datatype']);
const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;
const NUMBERS: readonly unknown[] = ['integer', 'float', 'percent'];

type HomieTopic = {
  /** The topic of the device, below which are its attributes. */
  readonly base: string;
  readonly device: string;
  /** The levels below the device. */
  readonly levels: readonly string[];
};

/** Levels before the domain belong to the name of the device: devices of two sites are different devices. */
const homieTopicOf = (topic: string | null): HomieTopic | undefined => {
  const at = topic?.startsWith(DOMAIN) === true ? 0 : (topic?.indexOf(`/${DOMAIN}`) ?? -1) + 1;
  if (topic === null || (at === 0 && !topic.startsWith(DOMAIN))) return undefined;
  const [, ...levels] = topic.slice(at).split('/');
  const version = levels[0] === VERSION ? levels.splice(0, 1) : [];
  const [device = '', ...below] = levels;
  if (device === '' || below.length === 0) return undefined;
  const base = [`${topic.slice(0, at)}homie`, ...version, device].join('/');
  return { base, device: topic.slice(0, at) + device, levels: below };
};

/** Whether a topic is one of a Homie device, whose text is never another format. */
export const isHomieTopic = (topic: string | null): boolean => homieTopicOf(topic) !== undefined;

/** Whether a topic has an attribute that the pipeline learns. */
export const isAttributeTopic = (topic: string): boolean => {
  const last = homieTopicOf(topic)?.levels.at(-1);
  return last !== undefined && (LEARNED.has(last) || last === '$description');
};

/** The attributes of a description, by topic. Unsafe or unknown parts are ignored. */
const attributesIn = (base: string, description: JsonObject): Map<string, string> => {
  const attributes = new Map<string, string>();
  const add = (topic: string, name: string, value: unknown) => {
    if (typeof value === 'string' && value !== '') attributes.set(`${base}${topic}/$${name}`, value);
  };
  add('', 'name', description['name']);
  const nodes = isObject(description['nodes']) ? description['nodes'] : {};
  for (const [node, { properties }] of Object.entries(nodes).filter(hasObject))
    for (const [property, { datatype, unit }] of Object.entries(
      isObject(properties) ? properties : {},
    ).filter(hasObject)) {
      add(`/${node}/${property}`, 'datatype', datatype);
      add(`/${node}/${property}`, 'unit', unit);
    }
  return attributes;
};

const hasObject = (entry: [string, unknown]): entry is [string, JsonObject] => isObject(entry[1]);

const skip = (writer: MessageWriter): true => {
  writer.isSkipped = true;
  return true;
};

/** Learns attributes, as many as there is room for. A sender that may not write to the device is rejected. */
const learn = (
  writer: MessageWriter,
  learned: Learned | undefined,
  device: string,
  attributes: ReadonlyMap<string, string>,
): true => {
  const fault = writer.faultOf(writer.deviceNamed(device));
  if (fault !== undefined) writer.reject({ ...fault, samples: 1 });
  else if (learned !== undefined)
    for (const [topic, value] of attributes) {
      if (value.length > ATTRIBUTE_LENGTH || learned.attributes.set(topic, value || undefined)) continue;
      writer.reject(noRoomToLearn);
      break;
    }
  return writer.rejections.length > 0 || skip(writer);
};

const endGroup = (
  writer: MessageWriter,
  { base, device }: HomieTopic,
  learned: Learned | undefined,
): void => {
  const externalId = writer.deviceNamed(device);
  const name = learned?.attributes.get(`${base}/$name`);
  if (name !== undefined) writer.nameDevice(externalId, name);
  writer.endGroup(externalId, undefined);
};

/** The value of a property; undefined: the text does not match the type; null: there is no value. */
const readValue = (text: string, datatype: string | undefined): unknown => {
  const isNumber = NUMBER.test(text) && Number.isFinite(Number(text));
  if (NUMBERS.includes(datatype)) return text === '' ? null : isNumber ? Number(text) : undefined;
  const flag = text === 'true' || text === 'false' ? text === 'true' : undefined;
  if (datatype === 'boolean') return text === '' ? null : flag;
  if (text === '') return null;
  if (datatype !== undefined) return text;
  return isNumber ? Number(text) : (flag ?? text);
};

const writeProperty = (
  writer: MessageWriter,
  at: HomieTopic,
  { learned, text, content }: Pick<MessageContext, 'learned' | 'text'> & { content: unknown },
): void => {
  const topic = `${at.base}/${at.levels.join('/')}`;
  const datatype = learned?.attributes.get(`${topic}/$datatype`);
  // Each value of an object or a list is a metric, unless the property is declared as text.
  const isNested = isComposite(content) && (datatype === undefined || datatype === 'json');
  const value = isNested ? content : readValue(text, datatype);
  const metric = at.levels.join('.');
  if (value === null) {
    writer.noValues += 1;
    return;
  }
  if (value === undefined) {
    const shown = text.slice(0, LIMITS.textBytes);
    return writer.reject({
      reason: 'invalid-value',
      detail: `${metric} is ${JSON.stringify(shown)}. Its $datatype is ${datatype}.`,
      metric,
      samples: 1,
    });
  }
  putField(writer, metric, value);
  if (isNested && countValues(content) === 0) {
    writer.noValues += 1;
    return;
  }
  const unit = learned?.attributes.get(`${topic}/$unit`);
  if (unit !== undefined) {
    const device = writer.deviceNamed(at.device);
    const metrics = Array.isArray(content) && isNested ? content.map((_, i) => `${metric}.${i}`) : [metric];
    for (const each of metrics) writer.addUnit(each, unit, device);
  }
  endGroup(writer, at, learned);
};

/**
 * Homie 3, 4 and 5: `homie/meter/power/value` is the metric `power.value` of `meter`, with the type and the unit of its
 * attributes, which are learned. `$state` and the values of `$stats` are metrics too.
 * Sources: https://homieiot.github.io/specification/spec-core-v4_0_0/ and …/specification/
 */
export const homieFormat: MessageFormat = {
  name: 'homie',
  write: (content, writer, { topic, learned, text }) => {
    const at = homieTopicOf(topic);
    if (at === undefined) return false;
    const { base, device, levels } = at;
    const [first = '', second = ''] = levels;
    const attribute = levels.findIndex((level) => level.startsWith('$'));
    // `$broadcast` has messages to all devices.
    if (device.startsWith('$') || levels.at(-1) === 'set') return skip(writer);
    if (attribute === -1) {
      if (levels.length !== 2) return false;
      writeProperty(writer, at, { learned, text, content });
      return true;
    }
    const isState = first === '$state' && levels.length === 1;
    if (isState || (first === '$stats' && levels.length === 2 && NUMBER.test(text))) {
      if (text === '') return skip(writer);
      // The last will of a device.
      writer.saysOffline = isState && text === 'lost';
      putField(writer, isState ? 'state' : `stats.${second}`, isState ? text : Number(text));
      endGroup(writer, at, learned);
      return true;
    }
    if (first === '$description' && isObject(content))
      return learn(writer, learned, device, attributesIn(base, content));
    const isLearned = attribute === levels.length - 1 && LEARNED.has(levels.at(-1)!);
    const attributes = new Map(isLearned ? [[`${base}/${levels.join('/')}`, text]] : []);
    return learn(writer, learned, device, attributes);
  },
};
