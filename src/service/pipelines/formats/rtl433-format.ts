import { putFields } from './flatten.ts';
import { isObject, type JsonObject } from './json-object.ts';
import { endLiveGroup } from './live-time.ts';
import type { MessageFormat } from './message-format.ts';
import type { MessageWriter } from './message-writer.ts';
import { isTopicValue, topicAfter } from './topic-device.ts';

/** Units by the end of a name, as rtl_433 writes them. */
const UNITS: readonly (readonly [string, string])[] = [
  ['_C', '°C'],
  ['_F', '°F'],
  ['_km_h', 'km/h'],
  ['_mi_h', 'mph'],
  ['_m_s', 'm/s'],
  ['_hPa', 'hPa'],
  ['_kPa', 'kPa'],
  ['_PSI', 'psi'],
  ['_mm', 'mm'],
  ['_in', 'in'],
  ['_deg', '°'],
  ['_lux', 'lx'],
  ['_V', 'V'],
  ['_W', 'W'],
  ['_kWh', 'kWh'],
  ['humidity', '%'],
];
/** The type of the device, and the name of its checksum. */
const DESCRIPTIONS = new Set(['type', 'model', 'subtype', 'channel', 'id', 'mic', 'time']);

const unitOf = (metric: string): string | undefined => UNITS.find(([end]) => metric.endsWith(end))?.[1];

const isLabel = (value: unknown): boolean => typeof value === 'number' || typeof value === 'string';

/** True for an object with the fields that rtl_433 gives every device. */
export const isRtl433 = (content: unknown): content is JsonObject =>
  isObject(content) &&
  typeof content['model'] === 'string' &&
  (isLabel(content['id']) || isLabel(content['channel']));

/**
 * Writes what rtl_433 received from a device. `Acurite-Tower` on channel `A` with the ID 12345 is the device
 * `Acurite-Tower-A-12345`.
 */
export const writeRtl433 = (writer: MessageWriter, content: JsonObject, nowMs: number): void => {
  const { model, channel, id, mic: _, time, ...values } = content;
  const device = writer.deviceNamed([model, channel, id].filter(isLabel).join('-'));
  putFields(writer, values);
  for (const metric of Object.keys(values)) {
    const unit = unitOf(metric);
    if (unit !== undefined) writer.addUnit(metric, unit, device);
  }
  endLiveGroup(writer, device, time, nowMs);
};

/**
 * rtl_433: events as JSON, which name their device, and one topic per value below `devices`. The host that received
 * them is not a device.
 * Source: https://triq.org/rtl_433/OPERATION.html
 */
export const rtl433Format: MessageFormat = {
  name: 'rtl_433',
  write: (content, writer, { topic, nowMs }) => {
    const path = topicAfter(topic, 'rtl_433/');
    if (path === undefined || content === '') return false;
    if (isRtl433(content)) {
      writeRtl433(writer, content, nowMs);
      return true;
    }
    const [, kind, ...levels] = path.split('/');
    const metric = levels.pop();
    if (kind !== 'devices' || levels.length === 0 || metric === undefined || !isTopicValue(content))
      return false;
    if (DESCRIPTIONS.has(metric)) {
      writer.isSkipped = true;
      return true;
    }
    const device = writer.deviceNamed(levels.join('-'));
    const unit = unitOf(metric);
    if (unit !== undefined) writer.addUnit(metric, unit, device);
    writer.put(metric, content);
    writer.endGroup(device, undefined);
    return true;
  },
};
