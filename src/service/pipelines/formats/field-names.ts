import { dateOrdersOf, onlyOrderOf, yearFirstText } from '#contract/date-order.ts';
import { LIMITS } from '#contract/sample-rules.ts';
import { SHOWN_CHARACTERS, shorten } from '../../platform/shorten.ts';
import { isLocalTime } from '../../telemetry/write/sample-time.ts';
import type { JsonObject } from './json-object.ts';
import type { Fault, MessageWriter } from './message-writer.ts';
import { suggestExpression } from './suggest-expression.ts';

/**
 * What a field can be besides a metric. `hardware`: identifies the device if no other field does. `relay-time`: when a
 * service received or published the message, used if no other field is a time. `record-time`: the time of a record,
 * which may be the time of the samples, or the day on which the device was installed.
 */
type Role = 'device' | 'hardware' | 'time' | 'relay-time' | 'record-time';

const namesOf: Readonly<Record<Role, string>> = {
  device:
    'deviceId deviceID deviceid DeviceId DeviceID device_id devId dev_id devEui devEUI DevEUI deveui dev_eui entityId entity_id ' +
    'sensorId sensor_id SensorId SensorID EUI nodeId node_id stationId station_id thingId thing_id coreid',
  hardware:
    'clientid clientId imei IMEI mac MAC macAddress mac_address wifi_mac serial serialNumber SerialNumber serial_number ' +
    'unique_id uniqueId device_uuid deviceUuid esp8266id',
  time:
    'time Time TIME Timestamp timeStamp time_stamp datetime dateTime DateTime date_time eventTime event_time ' +
    'measuredAt measured_at observedAt observed_at recordedAt recorded_at reportedAt reported_at sampledAt sampled_at ' +
    'unixtime unixTime unix_time epoch utc dateutc date_utc time_utc readingTime reading_time dt tst',
  'relay-time':
    'publishedAt published_at receivedAt received_at lastUpdated last_updated lastReportDate gwts',
  'record-time': 'createdAt created_at lastSeen last_seen lastChanged last_changed updatedAt updated_at',
};
const roles: ReadonlyMap<string, Role> = new Map(
  Object.entries(namesOf).flatMap(([role, names]) => names.split(' ').map((name) => [name, role as Role])),
);

const DAY_MS = 86_400_000;
/** The age up to which a number is a time: older ones are more likely counters, for example of milliseconds. */
const NUMBER_AGE_MS = 366 * DAY_MS;
/** A local time may be as far ahead of UTC. It is rejected later, which shows that the time zone is missing. */
const ZONE_MS = 14 * 3_600_000;
/** Times that differ by less are equal: one of them has no milliseconds. */
const ROUNDING_MS = 1_000;

/** A date and a time of day in fields of their own. */
const DATE_NAME = /^date$/i;
const DATE = /^\d{4}-\d\d-\d\d$/;
const TIME_OF_DAY = /^\d\d:\d\d(:\d\d(\.\d+)?)?$/;

/** The fields of an object that have a role, by role. */
type Candidates = { [R in Role]?: string[] };

const findCandidates = (keys: readonly string[]): Candidates | undefined => {
  let found: Candidates | undefined;
  for (const key of keys) {
    const role = roles.get(key);
    if (role !== undefined) ((found ??= {})[role] ??= []).push(key);
  }
  return found;
};

type AmbiguousFields = Fault & { readonly expression: string };

/** The value that fields agree on, and their names; or why none of them is used. */
type Choice<T> =
  | { readonly value: T; readonly names: readonly string[] }
  | { readonly fault: AmbiguousFields };

const ambiguous = (field: 'device' | 'ts', names: readonly string[]): { fault: AmbiguousFields } => {
  const listed = `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
  const differ = field === 'device' ? 'name different devices' : 'contain different timestamps';
  const expression = suggestExpression(
    // In a list, some of the objects may have the fields.
    `$exists($[${names.map((name) => `$exists(${name})`).join(' and ')}])`,
    `$.{ "${field}": ${names[0]}, "values": $sift($, function($v) { $type($v) in ["number", "boolean", "string"] }) }`,
  );
  return {
    fault: {
      reason: `${field}-ambiguous`,
      detail: `The fields ${listed} ${differ}. Send “${field}”, or choose one of them with an expression, for example ${expression}`,
      expression,
      fields: names,
    },
  };
};

/** The letters and digits of a name: `84:F3:EB:12:34:56` in a message can be `84f3eb123456` in a topic. */
const foldName = (name: string): string => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');

/** Names of fields whose times are in UTC and have no zone. */
const IN_UTC = /utc$/i;

/** The time in a field, as the text or number to read. */
const timeValueOf = (name: string, value: unknown): unknown =>
  IN_UTC.test(name) && isLocalTime(value) ? `${String(value)}Z` : value;

/** The smallest serial number. Smaller numbers are more likely counts of messages. */
const LEAST_SERIAL = 100_000;

const deviceIn = (value: unknown, role: Role = 'device'): string | undefined => {
  if (Number.isSafeInteger(value))
    return role === 'hardware' && Number(value) < LEAST_SERIAL ? undefined : String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
};

const chooseDevice = (object: JsonObject, candidates: readonly string[]): Choice<string> | undefined => {
  const found = candidates.flatMap((name) => {
    const device = deviceIn(object[name], roles.get(name));
    return device === undefined ? [] : [{ name, device }];
  });
  const [first] = found;
  if (first === undefined) return undefined;
  const names = found.map(({ name }) => name);
  return found.every(({ device }) => device === first.device)
    ? { value: first.device, names }
    : ambiguous('device', names);
};

/** The times in fields of a role, in epoch ms, if they are plausible for a sample received at `nowMs`. */
const timesIn = (
  writer: MessageWriter,
  object: JsonObject,
  { role, names = [], nowMs }: { role: Role; names: readonly string[] | undefined; nowMs: number },
) =>
  names.flatMap((name) => {
    const value = timeValueOf(name, object[name]);
    const ms = writer.readTime(value);
    if (ms === undefined) return [];
    const earliestByKind = Number.isNaN(Number(value)) ? LIMITS.earliestMs : nowMs - NUMBER_AGE_MS;
    const earliestMs = role === 'record-time' ? nowMs - DAY_MS : earliestByKind;
    const latestMs = nowMs + LIMITS.aheadMs + (isLocalTime(value) ? ZONE_MS : 0);
    return ms >= earliestMs && ms <= latestMs ? [{ name, value, ms }] : [];
  });

const chooseTime = (
  writer: MessageWriter,
  object: JsonObject,
  candidates: Candidates,
  nowMs: number,
): Choice<unknown> | undefined => {
  for (const role of ['time', 'relay-time', 'record-time'] as const) {
    const times = timesIn(writer, object, { role, names: candidates[role], nowMs });
    if (times.length === 0) continue;
    const names = times.map(({ name }) => name);
    const latest = times.reduce((a, b) => (b.ms > a.ms ? b : a));
    if (times.every(({ ms }) => latest.ms - ms < ROUNDING_MS)) return { value: latest.value, names };
    // Times of records may be other times than that of the samples, so they do not contradict each other.
    return role === 'record-time' ? undefined : ambiguous('ts', names);
  }
  return undefined;
};

/** The time in two fields: `{ "date": "2026-11-21", "time": "09:30:00" }`. */
const joinDate = (
  writer: MessageWriter,
  object: JsonObject,
  {
    keys,
    names = [],
    nowMs,
  }: { keys: readonly string[]; names: readonly string[] | undefined; nowMs: number },
): Choice<string> | undefined => {
  const textOf = (name: string): string => (typeof object[name] === 'string' ? object[name] : '');
  const ofDay = names.find((name) => TIME_OF_DAY.test(textOf(name)));
  if (ofDay === undefined) return undefined;
  const date = keys.find((key) => DATE_NAME.test(key) && DATE.test(textOf(key)));
  if (date === undefined) return undefined;
  const value = `${textOf(date)}T${textOf(ofDay)}`;
  const joined = timesIn(writer, { [ofDay]: value }, { role: 'time', names: [ofDay], nowMs });
  return joined.length === 0 ? undefined : { value, names: [date, ofDay] };
};

/**
 * The device and the timestamp that fields with further names hold. `names`: the names of these fields, which are not
 * metrics.
 */
type NamedFields = {
  readonly device?: string | undefined;
  readonly ts?: unknown;
  readonly names: readonly string[];
  /** Why the samples are rejected: fields contradict each other. */
  readonly fault?: AmbiguousFields;
};
const noFields: NamedFields = { names: [] };

/**
 * Looks for the device, the timestamp or both in fields with further names. Fields without a usable value stay
 * metrics.
 */
export const findNamedFields = (
  writer: MessageWriter,
  object: JsonObject,
  {
    keys,
    needsDevice,
    needsTime,
    nowMs,
  }: { keys: readonly string[]; needsDevice: boolean; needsTime: boolean; nowMs: number },
): NamedFields => {
  const candidates = needsDevice || needsTime ? findCandidates(keys) : undefined;
  if (candidates === undefined) return noFields;
  const device = needsDevice
    ? (chooseDevice(object, candidates.device ?? []) ?? chooseDevice(object, candidates.hardware ?? []))
    : undefined;
  const time = needsTime
    ? (chooseTime(writer, object, candidates, nowMs) ??
      joinDate(writer, object, { keys, names: candidates.time, nowMs }))
    : undefined;
  if (device !== undefined && 'fault' in device) return { ...noFields, fault: device.fault };
  const named = { device: device && writer.deviceNamed(device.value), names: device?.names ?? [] };
  if (time === undefined) return named;
  if ('fault' in time) return { ...named, fault: time.fault };
  return { ...named, ts: time.value, names: [...named.names, ...time.names] };
};

/** A year and a time of day, in any notation. */
const DATE_AND_TIME = /\b\d{4}\b.*\d:\d\d|^\d{8}T\d{4}/;
/** Longer text is not a time. */
const TIME_LENGTH = 128;

/**
 * A field that is evidently the time, but in a notation that Penstock does not read: the time of receipt would be wrong
 * for values that the device kept.
 */
export const findUnreadTime = (
  writer: MessageWriter,
  object: JsonObject,
  keys: readonly string[],
): Fault | undefined => {
  for (const name of keys) {
    const value = object[name];
    if (typeof value !== 'string' || (name !== 'timestamp' && roles.get(name) !== 'time')) continue;
    if (value.length > TIME_LENGTH || !DATE_AND_TIME.test(value)) continue;
    if (writer.readTime(value) !== undefined) continue;
    const order = onlyOrderOf(value);
    const expression =
      order === undefined
        ? undefined
        : suggestExpression(
            `$exists($[$exists(${name})])`,
            `$.{ "ts": ${yearFirstText(name, order, value)}, "values": $ ~> |$|{}, ["${name}"]| }`,
          );
    const choice =
      dateOrdersOf(value).length > 1
        ? '. It can be read with the day or the month first: edit the pipeline and choose the role “Time” in Preview'
        : '';
    const advice = expression === undefined ? choice : `, for example ${expression}`;
    return {
      reason: 'invalid-ts',
      detail: `${name}: “${shorten(value, SHOWN_CHARACTERS)}” is not a time that Penstock reads. Send RFC 3339 or a Unix timestamp, or use an expression${advice}`,
      ...(expression !== undefined && { expression }),
    };
  }
  return undefined;
};

/** Fields of the items of a list that can say to which of several things an item belongs. */
const ITEM_NAMES = new Set(
  'id uid uuid name label sensor tag point node meter slave unit address addr channel port'.split(' '),
);

const isTimed = (object: JsonObject): boolean => Object.keys(object).some(isTimeName);

/** Whether two objects have a metric of the same name. */
const shareMetric = (one: JsonObject, other: JsonObject, identity: string): boolean =>
  Object.keys(one).some((name) => name !== identity && !ITEM_NAMES.has(name) && Object.hasOwn(other, name));

/**
 * Why the items of a list cannot all be samples of the device of the topic: a field such as `sensor` says that they belong
 * to different things, and they have the same metrics. Undefined: they can, or have devices or times of their own.
 */
export const findMixedItems = (items: readonly JsonObject[]): AmbiguousFields | undefined => {
  const [first] = items;
  if (first === undefined || items.length < 2) return undefined;
  const name = Object.keys(first).find((key) => {
    const isDevice = roles.get(key) === 'device' || roles.get(key) === 'hardware';
    if (!isDevice && !ITEM_NAMES.has(key)) return false;
    const other = items.find((item) => item[key] !== first[key]);
    return (
      other !== undefined &&
      items.every((item) => deviceIn(item[key]) !== undefined && typeof item['device'] !== 'string') &&
      (isDevice || !items.some(isTimed)) &&
      shareMetric(first, other, key)
    );
  });
  if (name === undefined) return undefined;
  const expression = suggestExpression(
    `$exists($[$exists(${name})])`,
    `$.{ "device": ${name}, "values": $ ~> |$|{}, ["${name}"]| }`,
  );
  return {
    reason: 'device-ambiguous',
    detail: `The items of the list have different values of ${name}, but the same metrics. If ${name} is the device, use an expression such as ${expression}`,
    expression,
    fields: [name],
  };
};

/** Whether a field of a nested object can be the time of its values, by the name. */
const isTimeName = (name: string): boolean =>
  name === 'ts' || name === 'timestamp' || roles.get(name) === 'time' || roles.get(name) === 'relay-time';

/** Whether a field of a nested object can be the device of its values, by the name. */
const isDeviceName = (name: string): boolean =>
  name === 'device' || roles.get(name) === 'device' || roles.get(name) === 'hardware';

/** Whether an object has a field that can be its time or its device, by the names. */
export const hasOwnNames = (object: JsonObject): boolean =>
  Object.keys(object).some((name) => isTimeName(name) || isDeviceName(name));

/** The field with the time of a nested object. Several fields must agree. */
export const findOwnTime = (
  writer: MessageWriter,
  object: JsonObject,
  nowMs: number,
): { readonly names: readonly string[]; readonly ts: unknown } | undefined => {
  const names = Object.keys(object).filter(isTimeName);
  const isRelayed = (name: string) => roles.get(name) === 'relay-time';
  const own = timesIn(writer, object, {
    role: 'time',
    names: names.filter((name) => !isRelayed(name)),
    nowMs,
  });
  const times =
    own.length > 0
      ? own
      : timesIn(writer, object, { role: 'relay-time', names: names.filter(isRelayed), nowMs });
  const [first] = times;
  if (first === undefined || times.some(({ ms }) => Math.abs(ms - first.ms) >= ROUNDING_MS)) return undefined;
  return { names: times.map(({ name }) => name), ts: first.value };
};

/** The field with the device of an item of a list. Several fields must agree. */
export const findOwnDevice = (
  writer: MessageWriter,
  object: JsonObject,
): { readonly names: readonly string[]; readonly device: string } | undefined => {
  for (const role of ['device', 'hardware'] as const) {
    const names = Object.keys(object).filter(
      (name) => roles.get(name) === role || (role === 'device' && name === 'device'),
    );
    const found = chooseDevice(object, names);
    if (found !== undefined && !('fault' in found))
      return { names: found.names, device: writer.deviceNamed(found.value) };
  }
  return undefined;
};

/**
 * Whether a field is not a metric, although it is neither the device nor the timestamp: it repeats the name of the
 * device, or is an address, a serial number or another time.
 */
export const isMetadata = (
  writer: MessageWriter,
  { device, name, value, nowMs }: { device: string | undefined; name: string; value: unknown; nowMs: number },
): boolean => {
  const role = roles.get(name);
  if (role === undefined) return false;
  if (role === 'hardware') return typeof value === 'string';
  if (role === 'time' || role === 'relay-time')
    return timesIn(writer, { [name]: value }, { role, names: [name], nowMs }).length > 0;
  if (role === 'record-time') return (writer.readTime(value) ?? 0) >= LIMITS.earliestMs;
  const given = deviceIn(value);
  return device !== undefined && given !== undefined && foldName(given) === foldName(device);
};
