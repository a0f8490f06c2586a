import { isDisplayUnit } from '../../telemetry/write/display-unit.ts';
import { putFields, withPositions } from './flatten.ts';
import { isObject, type JsonObject } from './json-object.ts';
import { endLiveGroup } from './live-time.ts';
import type { MessageFormat } from './message-format.ts';
import type { MessageWriter } from './message-writer.ts';
import { isOffline, isTopicValue, topicDevice } from './topic-device.ts';

/** The fields that state a unit, and the names of values that have it. */
const STATED_UNITS = new Map([
  ['TempUnit', ['Temperature', 'DewPoint', 'ObjTemp', 'AmbTemp']],
  ['PressureUnit', ['Pressure', 'SeaPressure']],
  ['SpeedUnit', ['Speed', 'WindSpeed']],
]);
const DISPLAY_UNITS = new Map([
  ['C', '°C'],
  ['F', '°F'],
]);
const FIXED_UNITS = new Map([
  ['Humidity', '%'],
  ['Power', 'W'],
  ['ApparentPower', 'VA'],
  ['ReactivePower', 'var'],
  ['Voltage', 'V'],
  ['Current', 'A'],
  ['Frequency', 'Hz'],
  ['Total', 'kWh'],
  ['Yesterday', 'kWh'],
  ['Today', 'kWh'],
  ['Period', 'Wh'],
]);

/** Units of all values by their paths. Those of energy apply within `ENERGY` only. */
const unitsOf = (values: JsonObject, stated: ReadonlyMap<string, string>, path = ''): [string, string][] =>
  Object.entries(values).flatMap(([name, value]): [string, string][] => {
    if (isObject(value) && !FIXED_UNITS.has(name)) return unitsOf(value, stated, `${path}${name}.`);
    const fixed = path === 'ENERGY.' || name === 'Humidity' ? FIXED_UNITS.get(name) : undefined;
    const unit = stated.get(name) ?? fixed;
    if (unit === undefined) return [];
    // The phases of an energy meter.
    const places = isObject(value) ? Object.keys(value).map((place) => `.${place}`) : [''];
    return places.map((place) => [`${path}${name}${place}`, unit]);
  });

/** A time that is not that of the samples: `TotalStartTime`. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/;

/** Leaves out times in texts, which are not measurements. */
const withoutTimes = (writer: MessageWriter, fields: JsonObject, path = ''): JsonObject =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]): [string, unknown][] => {
      if (isObject(value)) return [[name, withoutTimes(writer, value, `${path}${name}.`)]];
      if (typeof value !== 'string' || !TIME.test(value)) return [[name, value]];
      writer.leaveOut(`${path}${name}`);
      return [];
    }),
  );

const writeObject = (writer: MessageWriter, device: string, object: JsonObject, nowMs: number): void => {
  const { Time: time, ...fields } = withPositions(object, 1) as JsonObject;
  const stated = new Map<string, string>();
  for (const [field, names] of STATED_UNITS) {
    const unit = fields[field];
    if (!isDisplayUnit(unit)) continue;
    for (const name of names) stated.set(name, DISPLAY_UNITS.get(unit) ?? unit);
    delete fields[field];
  }
  putFields(writer, withoutTimes(writer, fields));
  for (const [metric, unit] of unitsOf(fields, stated)) writer.addUnit(metric, unit, device);
  endLiveGroup(writer, device, time, nowMs);
};

type Place = { readonly kind: string; readonly name: string; readonly suffix: string };

/** The parts of `tele/NAME/SENSOR`, or of `NAME/tele/SENSOR`, the full topic of older versions. */
const placeOf = (topic: string): Place | undefined => {
  const levels = topic.split('/');
  const isKind = (level: string | undefined) => level === 'tele' || level === 'stat' || level === 'cmnd';
  const at = isKind(levels[0]) ? 0 : levels.length - 2;
  const [kind, suffix] = [levels[at], levels.at(-1)];
  if (levels.length < 3 || kind === undefined || !isKind(kind) || suffix === undefined) return undefined;
  return { kind, name: levels.toSpliced(at, 1).slice(0, -1).join('/'), suffix };
};

/** Parts that describe the device: INFO1, STATUS2. STATUS8 and STATUS10 contain the sensors. */
const DESCRIPTION = /^(INFO\d+|STATUS\d*)$/;
/** The fields of these parts: Info1, Status, StatusFWR. */
const DESCRIPTION_FIELD = /^(Info\d+|Status([A-Z]{3})?)$/;

/** True for what Tasmota sends as a description. Other devices have topics that end with STATUS too. */
const isDescription = (content: unknown): content is JsonObject => {
  const fields = isObject(content) ? Object.entries(content) : [];
  return (
    fields.length > 0 && fields.every(([name, value]) => DESCRIPTION_FIELD.test(name) && isObject(value))
  );
};

/** Parts with samples. */
const SAMPLES = /^(LWT|SENSOR|STATE|RESULT|STATUS\d*|POWER\d*)$/;
/** POWER, POWER2. */
const POWER = /^POWER\d*$/;

/** The values of a message; undefined: there are none; null: Tasmota did not send the message. */
const valuesIn = ({ kind, suffix }: Place, content: unknown): JsonObject | undefined | null => {
  if (content === '') return undefined;
  // A command, or a line of a log.
  if (kind === 'cmnd' || suffix === 'LOGGING') return isTopicValue(content) ? undefined : null;
  const isState = suffix === 'SENSOR' || suffix === 'STATE';
  if (kind === 'tele' && suffix === 'LWT') return isTopicValue(content) ? { LWT: content } : null;
  if (kind === 'tele' && isState) return isObject(content) && 'Time' in content ? content : null;
  if (kind === 'stat' && POWER.test(suffix)) return isTopicValue(content) ? { [suffix]: content } : null;
  if (suffix === 'RESULT') return isObject(content) ? content : null;
  if (!DESCRIPTION.test(suffix) || !isDescription(content)) return null;
  const sensors = content['StatusSNS'];
  return isObject(sensors) ? sensors : undefined;
};

/**
 * Tasmota: the level beside `tele` or `stat` is the device. Reads SENSOR, STATE, LWT, RESULT, POWER and the sensors of
 * STATUS. `Time` is local time; lists, such as the phases of a meter, count from 1.
 * Source: https://tasmota.github.io/docs/MQTT/
 */
export const tasmotaFormat: MessageFormat = {
  name: 'tasmota',
  deviceIn: (topic) => {
    const place = placeOf(topic);
    return place !== undefined && place.kind !== 'cmnd' && SAMPLES.test(place.suffix)
      ? place.name
      : undefined;
  },
  write: (content, writer, { topic, nowMs }) => {
    if (topic === null || !(topic.includes('tele/') || topic.includes('stat/') || topic.includes('cmnd/')))
      return false;
    const place = placeOf(topic);
    const values = place === undefined ? null : valuesIn(place, content);
    if (place === undefined || values === null) return false;
    writer.saysOffline = values !== undefined && isOffline(values['LWT']);
    if (values === undefined) writer.isSkipped = true;
    else writeObject(writer, topicDevice(writer, place.name), values, nowMs);
    return true;
  },
};
