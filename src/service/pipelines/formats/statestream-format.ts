import { putField } from './flatten.ts';
import { isObject } from './json-object.ts';
import { noRoomToLearn } from './learned.ts';
import type { MessageFormat } from './message-format.ts';
import type { MessageWriter } from './message-writer.ts';
import { topicAfter } from './topic-device.ts';
import { isNoValue } from './topic-value-format.ts';
import { numberOf } from './value-template.ts';

const PREFIX = 'homeassistant/';
/** A domain, an entity and `state` or an attribute, as Home Assistant spells them. */
const TOPIC = /^([a-z_]+)\/([a-z0-9_]+)\/([a-z0-9_]+)$/;
/** Attributes that describe an entity or change with its state, and commands. */
const NO_SAMPLES = new Set(
  'assumed_state attribution available device_class editable effect_list entity_picture icon last_changed last_reported last_updated options restored set state_class supported_color_modes supported_features'.split(
    ' ',
  ),
);
const LEARNED: ReadonlySet<string> = new Set(['friendly_name', 'unit_of_measurement']);
const ATTRIBUTE_LENGTH = 256;

type StatestreamTopic = { readonly entity: string; readonly domain: string; readonly field: string };

const statestreamTopicOf = (topic: string | null): StatestreamTopic | undefined => {
  const [, domain = '', name = '', field = ''] = TOPIC.exec(topicAfter(topic, PREFIX) ?? '') ?? [];
  if (field === '' || field === 'config') return undefined;
  return { entity: `${domain}.${name}`, domain, field };
};

/** Whether a topic has an attribute that the pipeline learns. */
export const isStatestreamAttribute = (topic: string): boolean =>
  LEARNED.has(statestreamTopicOf(topic)?.field ?? '');

export const isStatestreamTopic = (topic: string | null): boolean => statestreamTopicOf(topic) !== undefined;

/** The start of the topics of an entity, with the levels before the prefix. */
const baseOf = (topic: string, field: string): string => topic.slice(0, -field.length);

/** The external ID of an entity. Levels before the prefix belong to it. */
const deviceOf = (writer: MessageWriter, topic: string, { entity }: StatestreamTopic): string =>
  writer.deviceNamed(topic.slice(0, topic.indexOf(PREFIX)) + entity);

const putAttribute = (writer: MessageWriter, field: string, content: unknown): void => {
  const items = Array.isArray(content) ? (content as unknown[]) : undefined;
  if (items === undefined) return putField(writer, field, content);
  // A list of numbers, such as a colour, has a metric for each position. Other lists are choices.
  if (items.every((item) => typeof item === 'number')) putField(writer, field, items);
};

/**
 * MQTT Statestream of Home Assistant: an entity such as `light.hall` is a device, its state and its attributes are
 * metrics. The name and the unit of an entity are learned.
 * Source: https://www.home-assistant.io/integrations/mqtt_statestream/
 */
export const statestreamFormat: MessageFormat = {
  name: 'statestream',
  write: (content, writer, { topic, text, learned }) => {
    const at = statestreamTopicOf(topic);
    if (topic === null || at === undefined || isObject(content)) return false;
    const { field } = at;
    const base = baseOf(topic, field);
    const device = deviceOf(writer, topic, at);
    if (LEARNED.has(field)) {
      const fault = writer.faultOf(device);
      const value = typeof content === 'string' && content.length <= ATTRIBUTE_LENGTH ? content : undefined;
      if (fault !== undefined) writer.reject({ ...fault, samples: 1 });
      else if (learned?.attributes.set(topic, value || undefined) === false) writer.reject(noRoomToLearn);
    } else if (field === 'state' && isNoValue(text.trim())) {
      writer.noValues += 1;
      return true;
    } else if (field === 'state') putField(writer, field, numberOf(text) ?? text);
    else if (!NO_SAMPLES.has(field) && content !== '') putAttribute(writer, field, content);
    writer.isSkipped = !writer.hasSamples && writer.rejections.length === 0;
    if (!writer.hasSamples) return true;
    const unit = learned?.attributes.get(`${base}unit_of_measurement`);
    if (unit !== undefined && field === 'state') writer.addUnit(field, unit, device);
    const name = learned?.attributes.get(`${base}friendly_name`);
    if (name !== undefined) writer.nameDevice(device, name);
    writer.endGroup(device, undefined);
    return true;
  },
};
