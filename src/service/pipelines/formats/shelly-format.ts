import { isValueList, putField, putFields } from './flatten.ts';
import { isObject, type JsonObject } from './json-object.ts';
import { timeIfClockIsSet } from './live-time.ts';
import type { MessageFormat } from './message-format.ts';
import type { MessageWriter } from './message-writer.ts';
import { isTopicValue, topicAfter, topicDevice } from './topic-device.ts';

/** Commands to devices, and what devices say about themselves. */
const NO_SAMPLES = new Set(['announce', 'command', 'set']);
/** Fields that are not measurements: the clock and the address of the device, and the time of its counters. */
const NO_METRICS = new Set(['mac', 'minute_ts', 'time', 'unixtime']);
const METHODS: readonly unknown[] = ['NotifyStatus', 'NotifyFullStatus', 'NotifyEvent'];

/** A status without the fields that are not measurements. */
const measurementsIn = (status: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(status)
      .filter(([name]) => !NO_METRICS.has(name))
      .map(([name, value]) => [name, isObject(value) ? measurementsIn(value) : value]),
  );

/**
 * Shelly devices of the first generation: `shellies/ID/relay/0/power` is the metric `relay.0.power` of `ID`. An object
 * is read with its fields, in `info` without a prefix. Lists of words, such as `sensor/act_reasons`, are left out.
 * Source: https://shelly-api-docs.shelly.cloud/gen1/#mqtt
 */
export const shellyFormat: MessageFormat = {
  name: 'shelly',
  deviceIn: (topic) => {
    const [id, ...rest] = topicAfter(topic, 'shellies/')?.split('/') ?? [];
    const last = rest.at(-1);
    return last === undefined || NO_SAMPLES.has(last) ? undefined : id;
  },
  write: (content, writer, { topic }) => {
    const path = topicAfter(topic, 'shellies/');
    if (path === undefined) return false;
    const [id = '', ...rest] = path.split('/');
    const last = rest.at(-1);
    // All devices publish to `shellies/announce`.
    const isEmpty = content === '' || (Array.isArray(content) && content.length === 0);
    if (isEmpty || NO_SAMPLES.has(last ?? id)) {
      writer.isSkipped = true;
      return true;
    }
    if (last === undefined) return false;
    if (isObject(content)) {
      // `light/0/status` is the state of `light/0`, `info` is the state of the device.
      const parent = last === 'status' || last === 'info' ? rest.slice(0, -1) : rest;
      putFields(writer, measurementsIn(content), parent.map((level) => `${level}.`).join(''));
      writer.endGroup(topicDevice(writer, id), timeIfClockIsSet(writer, content['unixtime']));
    } else if (isTopicValue(content) || isValueList(content)) {
      // `online` is false as the last will of the device.
      writer.saysOffline = last === 'online' && (content === false || content === 'false');
      putField(writer, rest.join('.'), content);
      writer.endGroup(topicDevice(writer, id), undefined);
    } else return false;
    return true;
  },
};

/** Whether a component such as `switch:0` has this ID. */
const hasId = (component: string, id: unknown): boolean =>
  typeof id === 'number' && component.endsWith(`:${id}`);

const putComponent = (writer: MessageWriter, key: string, status: unknown): void => {
  if (!isObject(status)) return putField(writer, key, status);
  const { id, ...values } = measurementsIn(status);
  if (!hasId(key, id)) putField(writer, `${key}.id`, id);
  putFields(writer, values, `${key}.`);
};

const writeEvents = (writer: MessageWriter, device: string, events: unknown[], sentAt: unknown): void => {
  for (const item of events) {
    if (!isObject(item) || typeof item['component'] !== 'string') continue;
    const { component, event, ts = sentAt } = item;
    putField(writer, `${component}.event`, event);
    writer.endGroup(device, timeIfClockIsSet(writer, ts));
  }
};

/** A component such as `switch:0` in the topic of its status. */
const COMPONENT = /^[a-z0-9_]+:\d+$/;

/** The owner and the component of a topic `ID/status/switch:0`. */
const statusTopicOf = (topic: string | null): { owner: string; component: string } | undefined => {
  if (topic?.includes('/status/') !== true) return undefined;
  const at = topic.lastIndexOf('/status/');
  const component = topic.slice(at + '/status/'.length);
  return COMPONENT.test(component) ? { owner: topic.slice(0, at), component } : undefined;
};

/**
 * Shelly devices since the second generation: the notifications NotifyStatus (which has the changed values only),
 * NotifyFullStatus and NotifyEvent, and the status of a component. `switch:0` with `apower` is `switch:0.apower`.
 * Source: https://shelly-api-docs.shelly.cloud/gen2/General/Notifications
 */
export const shellyRpcFormat: MessageFormat = {
  name: 'shelly-rpc',
  write: (content, writer, { topic }) => {
    if (!isObject(content)) return false;
    const { src, method, params } = content;
    if (typeof src === 'string' && METHODS.includes(method) && isObject(params)) {
      const { ts, events, ...components } = params;
      const device = topicDevice(writer, src);
      if (Array.isArray(events)) writeEvents(writer, device, events, ts);
      for (const key of Object.keys(components)) putComponent(writer, key, components[key]);
      if (writer.hasSamples) writer.endGroup(device, timeIfClockIsSet(writer, ts));
      return true;
    }
    const status = statusTopicOf(topic);
    if (status === undefined || !hasId(status.component, content['id'])) return false;
    putComponent(writer, status.component, content);
    writer.endGroup(topicDevice(writer, status.owner), undefined);
    return true;
  },
};
