import { putFields } from './flatten.ts';
import { isObject, type JsonObject } from './json-object.ts';
import type { MessageFormat } from './message-format.ts';
import type { MessageWriter } from './message-writer.ts';
import { isOffline, isTopicValue, topicAfter, topicDevice } from './topic-device.ts';

const COMMANDS = new Set(['set', 'get']);

/** The end of the topic of an availability. */
const AVAILABILITY = /(?<=.)\/availability$/;

/** The bridge reports about itself, and `set` and `get` are commands to devices: `set/brightness` too. */
const hasNoSamples = (levels: readonly string[]): boolean =>
  levels[0] === 'bridge' || levels.slice(1).some((level) => COMMANDS.has(level));

const writeState = (writer: MessageWriter, name: string, state: JsonObject): void => {
  const { last_seen: lastSeen, device, ...values } = state;
  putFields(writer, values);
  // With `include_device_information` it describes the device.
  if (!isObject(device)) putFields(writer, { device });
  writer.endGroup(topicDevice(writer, name), lastSeen ?? undefined);
};

/**
 * Zigbee2MQTT: the friendly name is the device, also with blanks and slashes. Reads the state as JSON or one topic per
 * attribute, `last_seen` as the timestamp, and `availability`.
 * Source: https://www.zigbee2mqtt.io/guide/usage/mqtt_topics_and_messages.html
 */
export const zigbee2mqttFormat: MessageFormat = {
  name: 'zigbee2mqtt',
  deviceIn: (topic) => {
    const path = topicAfter(topic, 'zigbee2mqtt/');
    return path === undefined || hasNoSamples(path.split('/')) ? undefined : path.replace(AVAILABILITY, '');
  },
  write: (content, writer, { topic }) => {
    const path = topicAfter(topic, 'zigbee2mqtt/');
    if (path === undefined) return false;
    const levels = path.split('/');
    // An empty message clears the retained state of a removed device.
    if (hasNoSamples(levels) || content === '') {
      writer.isSkipped = true;
      return true;
    }
    const [last = '', owner] = [levels.at(-1), levels.slice(0, -1).join('/')];
    const isAvailability = last === 'availability' && owner !== '';
    const value = isAvailability && isObject(content) ? content['state'] : content;
    writer.saysOffline = isAvailability && isOffline(value);
    if (isObject(value)) writeState(writer, path, value);
    else if (owner !== '' && isTopicValue(value)) {
      writer.put(last, value);
      writer.endGroup(topicDevice(writer, owner), undefined);
    } else return false;
    return true;
  },
};
