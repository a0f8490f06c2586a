import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { Insertable } from 'kysely';
import { externalIdSchema } from '#contract/devices.ts';
import { METRIC_NAME_LENGTH } from '#contract/sample-rules.ts';
import type { Origin } from '../../devices/sender.ts';
import type { RejectionTable, WholeMessageTable } from './rejection-table.ts';
import { escapeHiding } from '../../platform/escape-hiding.ts';
import { shorten } from '../../platform/shorten.ts';
import { newId } from '../../platform/storage/new-id.ts';
import { slicesOf } from '../../platform/storage/slices.ts';
import { storableText } from '../../platform/storage/storable-text.ts';
import { countSamples, type SpooledSamples } from '../destinations/destination.ts';
import { excerptOf, prometheusFormat } from '../formats/prometheus-format.ts';
import type { MessageRejection, Message } from '../formats/message.ts';

/** A received message, as its rejections need it. */
type ReceivedMessage = {
  readonly message: Message;
  /**
   * `device`: the default device of the pipeline. `expectedInterval`: seconds between two messages of a polled source.
   */
  readonly channel: {
    readonly id: string;
    readonly device?: string | undefined;
    readonly expectedInterval: number | undefined;
  };
  readonly origin: Pick<Origin, 'actor' | 'devices' | 'username'>;
  /** Epoch ms. */
  readonly receivedAtMs: number;
  /** Number of samples of the message that the ledger counts already, from earlier slices. */
  readonly countedBefore?: number;
};

/** `received`: the number of samples in the message. `format`: the detected format; null: none. */
type Rejected = {
  readonly received: number;
  readonly rejections: readonly MessageRejection[];
  readonly format: string | null;
  /** The device that all samples of the message name. */
  readonly soleDevice?: string | undefined;
};

export const KEPT_BYTES = 65_536;
/** Larger messages are not kept whole: writing them would block the event loop. */
const MAX_KEPT_BYTES = 5 * 1_048_576;
const NAMED_METRICS = 5;
/** In characters: more than a detail has that quotes no long text. */
const MAX_DETAIL = 2_000;

/** The first 64 KiB of a message as text, whole characters only. */
export const textOf = ({ bytes }: Pick<Message, 'bytes'>, maxBytes = KEPT_BYTES): string =>
  storableText(new TextDecoder().decode(bytes.subarray(0, maxBytes), { stream: bytes.length > maxBytes }));

/** The text of a detail that is stored. It may quote the message. */
const storableDetail = (detail: string): string => storableText(shorten(escapeHiding(detail), MAX_DETAIL));

const detailOf = (rejections: readonly MessageRejection[]): string => {
  const { detail = '' } = rejections[0] ?? {};
  const metrics = [...new Set(rejections.flatMap(({ metric }) => metric ?? []))];
  if (metrics.length === 0) return detail;
  const more = metrics.length - NAMED_METRICS;
  const names = metrics
    .slice(0, NAMED_METRICS)
    .map((metric) => shorten(metric, METRIC_NAME_LENGTH))
    .join(', ');
  return `${names}${more > 0 ? ` and ${more} more` : ''}: ${detail}`;
};

/** Whether the text of a message shows all of its bytes. */
export const isShownWhole = (bytes: Uint8Array, maxBytes = KEPT_BYTES): boolean =>
  bytes.length <= maxBytes && isUtf8(bytes) && !bytes.includes(0);

/**
 * Whether a message can be replayed: 1 from its text; 2 from its bytes, because the text is cut or differs; 0 not at
 * all.
 */
const wholeness = ({ bytes, rejections }: Message): 0 | 1 | 2 => {
  // Its source could not read it.
  if (rejections !== undefined) return 0;
  return isShownWhole(bytes) ? 1 : 2;
};

/** One rejection per reason, with the number of samples. */
export const rejectionsByReason = (rejections: readonly MessageRejection[]) =>
  [...Map.groupBy(rejections, ({ reason }) => reason)].map(([reason, alike]) => ({
    reason,
    detail: storableDetail(detailOf(alike)),
    value_count: alike.reduce((sum, { samples }) => sum + samples, 0),
  }));

/** A message, or the part of it that was rejected. `samples`: the number of samples in it. */
type Part = { message: Message; samples: number; rejections: readonly MessageRejection[] };

const metricsOf = ({ metric, metrics = [] }: MessageRejection): readonly string[] =>
  metric === undefined ? metrics : [metric];

/** Of the text that a poll returned, only the rejected lines are kept: such a text has thousands of lines. */
const partsOf = (
  { channel, message, countedBefore = 0 }: ReceivedMessage,
  { received, rejections, format }: Rejected,
): Part[] => {
  const whole = { message, samples: countedBefore + received, rejections };
  if (channel.expectedInterval === undefined || format !== prometheusFormat.name) return [whole];
  const text = new TextDecoder().decode(message.bytes);
  return [...Map.groupBy(rejections, ({ reason }) => reason).values()].map((alike) => {
    const metrics = new Set(alike.flatMap(metricsOf));
    const numbers = new Set(alike.flatMap(({ lines }) => lines ?? []));
    if (metrics.size + numbers.size === 0) return { ...whole, rejections: alike };
    const excerpt = excerptOf(text, { metrics, numbers });
    return {
      message: { ...message, bytes: Buffer.from(excerpt.text) },
      samples: excerpt.samples,
      rejections: alike,
    };
  });
};

/** Equal rejections of a polled source have the same digest: they are counted instead of stored again. */
const digestOf = ({ message, rejections }: Part): string => {
  const reasons = rejections.map(({ reason, metric, samples }) => [reason, metric, samples]);
  return createHash('sha256')
    .update(JSON.stringify([message.device, reasons]))
    .update('\n')
    .update(message.bytes)
    .digest('hex');
};

/** What is stored of a rejected message: its rejections, and the whole message if they contain only a part of it. */
export type MessageRecord = {
  readonly rows: readonly Insertable<RejectionTable>[];
  readonly whole: Insertable<WholeMessageTable> | undefined;
};

/** Null for text that no device can have as its external ID. */
const externalIdIn = (text: string | undefined): string | null =>
  externalIdSchema.safeParse(text).data ?? null;

const MAX_USERNAME = 128;

/** Null for messages that the pipeline itself receives from its source. */
const senderOf = ({ actor, username }: ReceivedMessage['origin']): string | null =>
  actor === null || actor.type === 'pipeline'
    ? null
    : JSON.stringify({ ...actor, username: username?.slice(0, MAX_USERNAME) ?? null });

const messageRecord = (
  { channel, origin, receivedAtMs }: ReceivedMessage,
  part: Part,
  soleDevice: string | undefined,
): MessageRecord => {
  const { message, samples, rejections } = part;
  const shared = {
    pipeline_id: channel.id,
    at: receivedAtMs,
    message: textOf(message),
    topic: message.topic,
    attempts: 1,
    message_id: newId('rej'),
    is_whole: wholeness(message),
    message_values: samples,
    // A device from the config is not stored: a replay uses the config at that time.
    device: message.device === channel.device ? null : (message.device ?? null),
    named_device: externalIdIn(soleDevice ?? message.device),
    is_mapped: 0,
    sender_devices: origin.devices === null ? null : JSON.stringify(origin.devices),
    sender: senderOf(origin),
    digest: channel.expectedInterval === undefined ? null : digestOf(part),
  };
  const isKept = shared.is_whole === 2 && message.bytes.length <= MAX_KEPT_BYTES;
  const body = isKept ? Buffer.from(message.bytes).toString('base64') : undefined;
  return {
    rows: rejectionsByReason(rejections).map((rejection) => ({ ...shared, ...rejection, id: newId('rej') })),
    whole:
      body === undefined
        ? undefined
        : {
            message_id: shared.message_id,
            pipeline_id: channel.id,
            at: receivedAtMs,
            body,
            bytes: message.bytes.length,
          },
  };
};

/** What is stored of a message that was rejected, in whole or in part: one row per reason. */
export const messageRecords = (received: ReceivedMessage, rejected: Rejected): MessageRecord[] =>
  rejected.rejections.length === 0
    ? []
    : partsOf(received, rejected).map((part) => messageRecord(received, part, rejected.soleDevice));

/** Groups per stored rejection. Destinations reject single samples, so a group here has one sample: at most 2 KiB. */
const GROUPS_PER_REJECTION = 25;

/** The rows for samples that the destination rejected, grouped by reason, ready for a replay. */
export const rejectedSampleRows = (
  pipelineId: string,
  rejected: readonly { group: SpooledSamples; detail: string }[],
  atMs: number,
): Insertable<RejectionTable>[] =>
  [...Map.groupBy(rejected, ({ detail }) => detail)].flatMap(([detail, alike]) =>
    [...slicesOf(alike, GROUPS_PER_REJECTION)].map((some) => {
      const samples = some.map(({ group }) => group);
      const value_count = countSamples(samples);
      return {
        id: newId('rej'),
        pipeline_id: pipelineId,
        at: atMs,
        reason: 'destination-refused',
        detail: storableDetail(detail),
        message: JSON.stringify({ samples }),
        topic: null,
        attempts: 1,
        value_count,
        message_id: newId('rej'),
        is_whole: 1,
        message_values: value_count,
        device: null,
        named_device: externalIdIn(
          new Set(samples.map(({ device }) => device)).size === 1 ? samples[0]?.device : undefined,
        ),
        sender_devices: null,
        sender: null,
        is_mapped: 1,
      };
    }),
  );
