import type { SkipReason } from '#contract/messages.ts';
import { isMetricName } from '#contract/sample-rules.ts';
import { spellMetric } from '../../telemetry/write/metric-name.ts';
import { INVALID } from '../../telemetry/write/read-samples.ts';
import { isLocalTime, readSampleTime } from '../../telemetry/write/sample-time.ts';
import { distinctExternalIdOf } from './external-id-of.ts';
import { messageRejection, type MessageRejection } from './message.ts';
import type { MessageColumns, MessageSlice } from './message-columns.ts';
import { isObject, type JsonObject } from './json-object.ts';
import type { MetricFilter } from './metric-filter.ts';
import { removeCollisions } from './ts-collisions.ts';

const none: ReadonlyMap<string, string> = new Map();

/** The metric that stores a field. Replaces characters that metric names cannot contain. */
const metricOf = (field: string): string => (isMetricName(field) ? field : spellMetric(field));

/** What a preview shows besides samples and rejections. */
export type PreviewNotes = {
  /** The groups whose device nothing names. They are written under names of their own. */
  readonly unnamed: Set<number>;
  /** Whether a timestamp has no offset. */
  hasLocalTime: boolean;
  /** The metrics that the pipeline leaves out. */
  readonly leftOut: Set<string>;
};

/** Why samples are rejected. */
export type Fault = Pick<MessageRejection, 'reason' | 'detail' | 'expression' | 'fields'>;

type WriterOptions = {
  /** Counts rejections, instead of the list of the writer. */
  readonly tally?: { add(rejection: MessageRejection): void; clear(): void };
  /** Why the sender may not write to a device; undefined: it may. */
  readonly rejectDevice?: ((device: string) => Fault | undefined) | undefined;
  readonly notes?: PreviewNotes;
};

/** Reads a message. Called when the message is written, not while it waits. */
export type ReadInto = (writer: MessageWriter) => void;

const deviceMissing = (samples: number, hasTopic: boolean): MessageRejection => ({
  reason: 'device-missing',
  detail: `These samples name no device. A message can name it in “device”. Or edit the pipeline: give a field the role “Device” in Preview${hasTopic ? ', put a wildcard at the level of the topic that names the device,' : ''} or enter one device under “Device”.`,
  samples,
});

const emptyMessage = (what: string): MessageRejection => ({
  reason: 'no-values',
  detail: `The message contains no ${what}. Send at least one.`,
  samples: 1,
});

const formatFailed = (format: string | null): MessageRejection => ({
  reason: 'format-error',
  detail: `Penstock failed to read the message${format === null ? '' : ` as ${format}`}. This is a bug in Penstock: the log has the details. Update Penstock, then replay the message.`,
  samples: 1,
});

/** Receives the samples of one message from its format. Rejects samples, and never throws, whatever they contain. */
export class MessageWriter {
  /** The detected format; null: none. */
  format: string | null = null;
  /** The device of samples that name none. */
  device: string | undefined;
  /** Whether the message has a topic, which could name the device. */
  hasTopic = false;
  /**
   * The message has no samples, and nothing is rejected: the expression skips it, its format knows no samples in it, or
   * the pipeline leaves out all of its metrics.
   */
  isSkipped = false;
  /** Number of series without a value, such as NaN: neither received nor rejected. */
  noValues = 0;
  /** Which metrics the pipeline stores; undefined: all. */
  metricFilter: MetricFilter | undefined;
  /** The time of receipt of a message that an expression maps, in epoch ms. */
  receivedAtMs = 0;
  /** Whether the message only says that its devices are offline. Often the broker sent it, as a last will. */
  saysOffline = false;
  /** The stack of the error that the format threw. */
  failure: string | undefined;
  readonly rejections: MessageRejection[] = [];
  /** The position of its first sample in the columns. */
  readonly from: number;
  readonly #columns: MessageColumns;
  readonly #options: WriterOptions;
  readonly #firstGroup: number;
  #deviceNames: Map<string, string> | undefined;
  #units: Map<string, string> | undefined;
  /** The device of the samples so far; null: several. */
  #soleDevice: string | null | undefined;
  /** Number of samples in the current group. */
  #count = 0;
  /** Number of samples that the pipeline leaves out: in the current group, and in all. */
  #leftOutOfGroup = 0;
  #leftOut = 0;
  #rejected = 0;

  constructor(columns: MessageColumns, options: WriterOptions = {}) {
    this.#columns = columns;
    this.#options = options;
    this.from = columns.parser.columns.length;
    this.#firstGroup = columns.nextGroup;
  }

  /** Why the message is skipped; undefined: it is not. */
  get skipReason(): SkipReason | undefined {
    if (!this.isSkipped) return undefined;
    if (this.hasLeftOut) return 'metrics-left-out';
    return this.format === 'expression' ? 'expression' : 'no-samples';
  }

  /** Whether the pipeline leaves out samples of the message. */
  get hasLeftOut(): boolean {
    return this.#leftOut > 0;
  }

  /** The device that all samples name; undefined: none, or several. */
  get soleDevice(): string | undefined {
    return this.#soleDevice ?? undefined;
  }

  /** Display names of the devices, by external ID. */
  get deviceNames(): ReadonlyMap<string, string> {
    return this.#deviceNames ?? none;
  }

  /** Units of the metrics, by `externalId/metric`. */
  get units(): ReadonlyMap<string, string> {
    return this.#units ?? none;
  }

  /**
   * Calls `read`. If it throws, removes what the message wrote into the columns, which other messages share, and
   * rejects the message.
   */
  read(read: ReadInto): void {
    try {
      read(this);
    } catch (error) {
      this.#columns.removeFrom(this.from);
      [this.#deviceNames, this.#units, this.#soleDevice] = [undefined, undefined, undefined];
      [this.isSkipped, this.saysOffline, this.noValues, this.rejections.length] = [false, false, 0, 0];
      this.#options.tally?.clear();
      this.failure = (error instanceof Error ? error.stack : undefined) ?? String(error);
      this.reject(formatFailed(this.format));
    }
  }

  reject(rejection: MessageRejection): void {
    this.#rejected += 1;
    if (this.#options.tally === undefined) this.rejections.push(rejection);
    else this.#options.tally.add(rejection);
  }

  /** Whether the pipeline leaves out a metric, which then counts as left out. */
  #leavesOut(metric: string): boolean {
    if (this.metricFilter === undefined || this.metricFilter(metric)) return false;
    this.leaveOut(metric);
    return true;
  }

  /** Leaves out a field that is not a sample by the rules of its format. */
  leaveOut(field: string): void {
    this.#leftOutOfGroup += 1;
    this.#leftOut += 1;
    this.#options.notes?.leftOut.add(field);
  }

  /**
   * Adds a sample to the current group. Replaces characters that metric names cannot contain. Returns false if the group
   * already has a sample of the metric.
   */
  put(field: string, value: unknown): boolean {
    const { parser, metrics, values, nextGroup } = this.#columns;
    if (this.metricFilter !== undefined && this.#leavesOut(metricOf(field))) return true;
    let name = parser.metricName(field);
    if (name.number === INVALID) name = parser.metricName(spellMetric(field));
    if (name.lastGroup === nextGroup) return false;
    name.lastGroup = nextGroup;
    metrics[this.#count] = name;
    values[this.#count] = value;
    this.#count += 1;
    return true;
  }

  /** Whether the current group has samples. */
  get hasSamples(): boolean {
    return this.#count > 0;
  }

  /** Ends the current group. `device` and `ts` are as in the message; undefined: the default device, or no timestamp. */
  endGroup(device: unknown, ts: unknown): void {
    const { parser, metrics, values } = this.#columns;
    const count = this.#takeCount();
    if (count === undefined) return;
    const names = () => metrics.slice(0, count).map(({ name }) => name);
    const named = this.#deviceOf(device, ts, count, names);
    if (named === undefined) return;
    parser.addGroup(this.#index, { device: named, ts, count }, metrics, values);
    this.#takeRejections(names);
  }

  /** Ends the current group, and rejects its samples. */
  rejectSamples(device: unknown, fault: Fault): void {
    const count = this.#takeCount();
    if (count === undefined) return;
    const metrics = this.#columns.metrics.slice(0, count).map(({ name }) => name);
    this.#beginGroup(device);
    this.reject({ ...fault, samples: Math.max(1, count), metrics });
  }

  /** If a message was rejected that names no device, it is shown with the device that `findName` returns. */
  nameRejected(findName: () => string | undefined): void {
    const name = this.#rejected > 0 && this.#soleDevice === undefined ? findName() : undefined;
    if (name !== undefined) this.#soleDevice = distinctExternalIdOf(name);
  }

  /** The external ID of a device by its name, which becomes its display name if it differs. */
  deviceNamed(name: string): string {
    const externalId = distinctExternalIdOf(name);
    if (externalId !== name && this.#deviceNames?.has(externalId) !== true) this.nameDevice(externalId, name);
    return externalId;
  }

  /** Sets the display name of a device. */
  nameDevice(externalId: string, name: string): void {
    this.#deviceNames ??= new Map();
    this.#deviceNames.set(externalId, name);
  }

  /** States the unit of the metric that stores a field. The first unit of a metric counts. */
  addUnit(field: string, unit: string, device = this.#defaultDevice): void {
    if (device === undefined) return;
    const key = `${device}/${metricOf(field)}`;
    this.#units ??= new Map();
    if (!this.#units.has(key)) this.#units.set(key, unit);
  }

  /** Why the sender may not write to a device; undefined: it may. */
  faultOf(device: string): Fault | undefined {
    return this.#options.rejectDevice?.(device);
  }

  /** Reads a timestamp by the rule of the pipeline. Returns epoch ms, or undefined if it is none. */
  readTime(ts: unknown): number | undefined {
    return readSampleTime(ts, this.#columns.times);
  }

  /** Adds a whole group, whose values are not flattened. */
  addGroup(device: unknown, ts: unknown, values: JsonObject): void {
    const all = Object.keys(values);
    const metrics = this.metricFilter === undefined ? all : all.filter((metric) => !this.#leavesOut(metric));
    if (metrics.length === 0 && all.length > 0) return;
    const named = this.#deviceOf(device, ts, metrics.length, () => metrics);
    if (named === undefined) return;
    this.#columns.parser.addValues(this.#index, { device: named, ts }, values, metrics);
    this.#takeRejections(() => metrics);
  }

  /** Rejects what is in place of a group of the Penstock format. */
  rejectGroup(given: unknown): void {
    const { values, device = this.device }: JsonObject = isObject(given) ? given : { device: null };
    if (device === undefined)
      return this.reject(
        deviceMissing(isObject(values) ? Math.max(1, Object.keys(values).length) : 1, this.hasTopic),
      );
    this.#columns.nextGroup += 1;
    this.#columns.parser.add(this.#index, given);
    this.#takeRejections();
  }

  /** Calls `add` for each item, and empties the list: a million read objects would not fit in memory. */
  addAll<T>(items: T[], add: (item: T) => void): void {
    const given: (T | undefined)[] = items;
    for (const [i, item] of items.entries()) {
      add(item);
      given[i] = undefined;
    }
  }

  /** Adds a part of a message that was read elsewhere. */
  addSlice(slice: MessageSlice): void {
    const { format, reading, deviceNames, units, soleDevice, isSkipped, rejections, failure } = slice;
    this.#leftOut = slice.hasLeftOut ? 1 : 0;
    this.format = format;
    this.failure = failure;
    this.isSkipped = isSkipped;
    this.#deviceNames = new Map(deviceNames);
    this.#units = new Map(units);
    this.#soleDevice = soleDevice;
    for (const rejection of rejections) this.reject(rejection);
    if (reading === undefined || reading.index.length === 0) return;
    const { index, groupOf, series } = reading;
    const shift = this.#columns.nextGroup - groupOf[0]!;
    this.#columns.nextGroup = groupOf.at(-1)! + shift + 1;
    const isPermitted = (device: string) => this.faultOf(device) === undefined;
    this.#columns.parser.columns.addFrom(reading, { shift, isPermitted });
    const counts = new Uint32Array(series.devices.length);
    for (const seriesNumber of index) counts[series.device[seriesNumber]!]! += 1;
    for (const [d, device] of series.devices.entries()) {
      const fault = this.faultOf(device);
      if (fault !== undefined) this.reject({ ...fault, samples: counts[d]! });
    }
  }

  /** Ends the message: rejects samples that contradict each other, or a message without samples. */
  finish(mayContradict = false): void {
    const { parser, nextGroup } = this.#columns;
    const groups = nextGroup - this.#firstGroup;
    if (groups === 0 && this.#rejected === 0 && this.#leftOut > 0) {
      this.isSkipped = true;
      return;
    }
    if (groups === 0 && this.#rejected === 0 && this.noValues === 0) this.reject(emptyMessage('samples'));
    const collision = groups < 2 || mayContradict ? undefined : removeCollisions(parser.columns, this.from);
    if (collision !== undefined) this.reject(collision);
  }

  /** Takes the number of samples of the current group; undefined if the pipeline leaves out all of them. */
  #takeCount(): number | undefined {
    const [count, leftOut] = [this.#count, this.#leftOutOfGroup];
    [this.#count, this.#leftOutOfGroup] = [0, 0];
    return count === 0 && leftOut > 0 ? undefined : count;
  }

  /** The device of samples that name none. A level of a topic can be any text. */
  get #defaultDevice(): string | undefined {
    return this.device === undefined || this.device === '' ? this.device : this.deviceNamed(this.device);
  }

  /** Begins the next group. Returns the device that it names. */
  #beginGroup(device: unknown): unknown {
    this.#columns.nextGroup += 1;
    const named = device === undefined ? this.#defaultDevice : device;
    if (typeof named === 'string' && named !== this.#soleDevice)
      this.#soleDevice = this.#soleDevice === undefined ? named : null;
    return named;
  }

  /** Begins the next group. Returns its device; undefined if the group was rejected. */
  #deviceOf(device: unknown, ts: unknown, count: number, metrics: () => readonly string[]): unknown {
    const named = this.#beginGroup(device);
    if (count === 0) {
      this.reject(emptyMessage('values'));
      return undefined;
    }
    const { notes } = this.#options;
    if (notes !== undefined && isLocalTime(ts)) notes.hasLocalTime = true;
    if (named === undefined) {
      this.reject(deviceMissing(count, this.hasTopic));
      return notes?.unnamed.add(this.#index) && `unnamed-${this.#index}`;
    }
    const fault = typeof named === 'string' ? this.faultOf(named) : undefined;
    if (fault === undefined) return named;
    this.reject({ ...fault, samples: count, metrics: metrics() });
    return undefined;
  }

  /** The number of the group that was begun. */
  get #index(): number {
    return this.#columns.nextGroup - 1;
  }

  /** Takes over the rejections of the parser. `metrics`: those of the group. */
  #takeRejections(metrics: () => readonly string[] = () => []): void {
    const { rejections: given } = this.#columns.parser.columns;
    if (given.length === 0) return;
    for (const rejection of given.splice(0))
      if (this.#options.notes?.unnamed.has(rejection.index) !== true) {
        const rejected = messageRejection(rejection);
        this.reject(rejected.metric === undefined ? { ...rejected, metrics: metrics() } : rejected);
      }
  }
}
