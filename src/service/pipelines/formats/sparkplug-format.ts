import { createHash } from 'node:crypto';
import { LIMITS } from '#contract/sample-rules.ts';
import { toSampleTime } from '../../telemetry/write/sample-time.ts';
import { distinctMetricOf, otlpSpelling } from '../../telemetry/write/metric-name.ts';
import { noRoomToLearn, type Learned } from './learned.ts';
import type { MessageWriter } from './message-writer.ts';
import {
  readSparkplugPayload,
  sparkplugValue,
  type SparkplugMetric,
  type SparkplugPayload,
} from './sparkplug-payload.ts';
import type { BornMetric } from './sparkplug-sessions.ts';
import { TimedSamples } from './timed-samples.ts';

const NAMESPACE = 'spBv1.0/';
const TYPES = ['NBIRTH', 'DBIRTH', 'NDATA', 'DDATA', 'NDEATH', 'DDEATH'] as const;
const SEQUENCE = 256;
const STATE = 'sparkplug.state';
/** Larger payloads are rejected: they are read at once. */
const MAX_BYTES = 1_048_576;
/** Metrics of a birth that are not measurements. */
const CONTROL = /^(bdSeq$|(Node|Device) Control\/)/;

type SparkplugTopic = {
  readonly type: (typeof TYPES)[number];
  /** `group/node`. */
  readonly node: string;
  /** Empty for the node. */
  readonly device: string;
  readonly parts: readonly string[];
};

/** Undefined for other topics, commands (`NCMD`, `DCMD`) and states of hosts, which hold no samples. */
const sparkplugTopicOf = (topic: string): SparkplugTopic | undefined => {
  const [group = '', type = '', node = '', device = '', ...more] = topic.slice(NAMESPACE.length).split('/');
  const known = TYPES.find((each) => each === type);
  if (known === undefined || group === '' || node === '' || more.length > 0) return undefined;
  if ((device === '') !== known.startsWith('N')) return undefined;
  const parts = device === '' ? [group, node] : [group, node, device];
  return { type: known, node: `${group}/${node}`, device, parts };
};

export const isSparkplugTopic = (topic: string): boolean => topic.startsWith(NAMESPACE);

/** Devices are only distinct within their node, so the external ID has the group and the node too. */
const deviceOf = (writer: MessageWriter, parts: readonly string[]): string => {
  const name = parts.join(':');
  if (parts.every((part) => !part.includes(':'))) return writer.deviceNamed(name);
  const hash = createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 8);
  return writer.deviceNamed(`${name}:${hash}`);
};

/** The key of a metric of a birth: data may name its metrics, or give their aliases. */
const keyOf = ({ name, alias = '' }: Partial<Pick<SparkplugMetric, 'name' | 'alias'>>): string =>
  name === undefined ? `alias ${alias}` : `name ${name}`;

const bornMetrics = ({ metrics }: SparkplugPayload): ReadonlyMap<string, BornMetric> =>
  new Map(
    metrics.flatMap(({ alias, name, datatype, unit }) => {
      if (name === undefined) return [];
      const metric = { name, datatype, unit };
      return [
        [keyOf({ name }), metric] as const,
        ...(alias === undefined ? [] : [[keyOf({ alias }), metric] as const]),
      ];
    }),
  );

/**
 * Writes the metrics of a payload. Returns how many of them count, and how many have an alias that no birth explains.
 */
const writeMetrics = (
  writer: MessageWriter,
  device: string,
  payload: SparkplugPayload,
  born: ReadonlyMap<string, BornMetric> | undefined,
): { counted: number; unexplained: number } => {
  const groups = new TimedSamples();
  let unexplained = 0;
  let counted = 0;
  const put = (given: SparkplugMetric, place: number): void => {
    const known = born?.get(keyOf(given));
    const name = given.name ?? known?.name;
    if (name === undefined) {
      unexplained += 1;
      return;
    }
    if (CONTROL.test(name)) return;
    const datatype = given.datatype ?? known?.datatype;
    if (given.value !== undefined && datatype === undefined) {
      unexplained += 1;
      return;
    }
    counted += 1;
    const value = given.value === undefined ? null : sparkplugValue(given.value, datatype);
    if (value === null || (typeof value === 'number' && !Number.isFinite(value))) {
      writer.noValues += 1;
      return;
    }
    const { metric } = distinctMetricOf(name, [], otlpSpelling);
    const reject = (reason: string, detail: string) => writer.reject({ reason, detail, metric, samples: 1 });
    const number = typeof value === 'bigint' ? Number(value) : value;
    if (typeof value === 'bigint' && !Number.isSafeInteger(number))
      return reject('unsafe-integer', `${name} is ${value}. Whole numbers beyond 2^53 are not exact.`);
    const ms = given.timestamp ?? payload.timestamp;
    const ts = ms === undefined ? undefined : toSampleTime(ms);
    if (groups.add({ device, ts, time: ms }, metric, number, place) !== undefined)
      return reject('duplicate-metric', `${name} has two values for the same time. Send one of them.`);
    const unit = given.unit ?? known?.unit;
    if (unit !== undefined) writer.addUnit(metric, unit, device);
  };
  for (const [place, metric] of payload.metrics.entries()) put(metric, place);
  groups.writeTo(writer, LIMITS.metricsPerTimestamp);
  return { counted, unexplained };
};

const writeState = (
  writer: MessageWriter,
  device: string,
  state: 'online' | 'offline',
  ts: number | undefined,
): void => {
  writer.put(STATE, state);
  writer.endGroup(device, ts === undefined ? undefined : toSampleTime(ts));
};

const bdSeqOf = ({ metrics }: SparkplugPayload): number | undefined => {
  const value = metrics.find(({ name }) => name === 'bdSeq')?.value;
  return value === undefined ? undefined : Number(value);
};

type Reading = { readonly nowMs: number; readonly learned: Learned | undefined };

const writeDeath = (
  writer: MessageWriter,
  { type, node, device, parts }: SparkplugTopic,
  payload: SparkplugPayload,
  { learned }: Reading,
): void => {
  const session = learned?.sparkplug.find(node);
  // The last will of an earlier connection, which the broker published late.
  if (type === 'NDEATH' && session !== undefined && session.bdSeq !== bdSeqOf(payload)) {
    writer.isSkipped = true;
    return;
  }
  writer.saysOffline = true;
  const devices = type === 'DDEATH' ? [] : [...(session?.births.keys() ?? [])].filter((name) => name !== '');
  // A last will has the time at which its node connected.
  const ts = type === 'DDEATH' ? payload.timestamp : undefined;
  writeState(writer, deviceOf(writer, parts), 'offline', ts);
  for (const name of devices) writeState(writer, deviceOf(writer, [...parts, name]), 'offline', ts);
  learned?.sparkplug.end(node, type === 'DDEATH' ? device : undefined);
};

const writePayload = (
  writer: MessageWriter,
  at: SparkplugTopic,
  payload: SparkplugPayload,
  reading: Reading,
): void => {
  const { type, node, device, parts } = at;
  const sessions = reading.learned?.sparkplug;
  const externalId = deviceOf(writer, parts);
  const fault = writer.faultOf(externalId);
  // A sender without write access to the device must not change what the pipeline knows about the device.
  if (fault !== undefined) return writer.reject({ ...fault, samples: Math.max(1, payload.metrics.length) });
  if (type === 'NDEATH') return writeDeath(writer, at, payload, reading);
  const isBirth = type === 'NBIRTH' || type === 'DBIRTH';
  const born = isBirth ? bornMetrics(payload) : undefined;
  if (type === 'NBIRTH' && sessions?.begin(node, bdSeqOf(payload), born!) === false)
    writer.reject(noRoomToLearn);
  const session = sessions?.find(node);
  const isNext =
    type === 'NBIRTH' || (session?.seq !== undefined && payload.seq === (session.seq + 1) % SEQUENCE);
  if (session !== undefined) session.seq = isNext ? (payload.seq ?? 0) : undefined;
  // After a missing message, aliases may have changed.
  if (!isNext) {
    sessions?.end(node);
    sessions?.requestRebirth(node, reading.nowMs);
  }
  if (type === 'DDEATH') return writeDeath(writer, at, payload, reading);
  if (type === 'DBIRTH' && isNext && sessions?.addBirth(node, device, born!) === false)
    writer.reject(noRoomToLearn);
  if (isBirth) writeState(writer, externalId, 'online', payload.timestamp);
  const aliases = isNext ? session?.births.get(device) : undefined;
  const { counted, unexplained } = writeMetrics(writer, externalId, payload, aliases);
  writer.isSkipped = !isBirth && counted === 0 && unexplained === 0;
  if (unexplained > 0)
    writer.reject({
      reason: 'birth-missing',
      detail: `${unexplained === 1 ? 'A value has' : `${unexplained} values have`} an alias instead of a name, and a birth or an earlier message of ${node} is missing. Penstock has requested a new birth from the node.`,
      samples: unexplained,
    });
  if (unexplained > 0) sessions?.requestRebirth(node, reading.nowMs);
};

/**
 * Sparkplug B 3.0: the metrics of births and data, with the names, types and units that a birth gives to aliases.
 * Births and deaths are `sparkplug.state`. Commands and states of hosts are skipped.
 * Source: https://sparkplug.eclipse.org/specification/version/3.0/
 */
export const writeSparkplug = (
  bytes: Uint8Array,
  topic: string,
  writer: MessageWriter,
  reading: Reading,
): void => {
  writer.format = 'sparkplug';
  const at = sparkplugTopicOf(topic);
  if (at === undefined) {
    writer.isSkipped = true;
    return;
  }
  if (bytes.length > MAX_BYTES)
    return writer.reject({
      reason: 'too-large',
      detail: `The message has ${bytes.length} bytes. The limit of Sparkplug is ${MAX_BYTES.toLocaleString('en')} bytes.`,
      samples: 1,
    });
  let payload: SparkplugPayload;
  try {
    payload = readSparkplugPayload(bytes);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    writer.format = null;
    return writer.reject({
      reason: 'malformed-payload',
      detail: `The message is not a payload of Sparkplug B: ${error.message}.`,
      samples: 1,
    });
  }
  writePayload(writer, at, payload, reading);
};
