import { isUtf8 } from 'node:buffer';
import type { Insertable } from 'kysely';
import type { Schema } from '../storage/database.ts';
import { newId } from '../storage/new-id.ts';
import { slicesOf } from '../storage/slices.ts';
import { countValues, type SpooledSample } from './destination.ts';
import type { Cause, Message } from './message.ts';
import type { Submission } from './store-messages.ts';

const KEPT_BYTES = 65_536;
const NAMED_METRICS = 5;

/** The first 64 KiB of a message as text, whole characters only. */
const textOf = ({ bytes }: Message): string =>
  new TextDecoder()
    .decode(bytes.subarray(0, KEPT_BYTES), { stream: bytes.length > KEPT_BYTES })
    // PostgreSQL keeps no NUL in text.
    .replaceAll('\0', '\u2400');

const detailOf = (causes: readonly Cause[]): string => {
  const { detail = '' } = causes[0] ?? {};
  const metrics = [...new Set(causes.flatMap(({ metric }) => metric ?? []))];
  if (metrics.length === 0) return detail;
  const more = metrics.length - NAMED_METRICS;
  const names = metrics.slice(0, NAMED_METRICS).join(', ');
  return `${names}${more > 0 ? ` and ${more} more` : ''}: ${detail}`;
};

/** Whether a message can be read anew: 1 from its text, 2 from its bytes, since the text is cut or not what came, 0 not. */
const wholeness = ({ bytes, reading }: Message): 0 | 1 | 2 => {
  // What a source read already is no message that could be read anew.
  if (reading !== undefined) return 0;
  return bytes.length <= KEPT_BYTES && isUtf8(bytes) && !bytes.includes(0) ? 1 : 2;
};

/** One for each reason, in words, with the values that it met. */
export const causesByReason = (causes: readonly Cause[]) =>
  [...Map.groupBy(causes, ({ reason }) => reason)].map(([reason, alike]) => ({
    reason,
    detail: detailOf(alike),
    value_count: alike.reduce((sum, { values }) => sum + values, 0),
  }));

/** What is kept of a message that was rejected, whole or in part: one row for each reason. */
export const rejectionRows = (
  { channel, message, origin, receivedAtMs }: Submission,
  { received, causes }: { received: number; causes: readonly Cause[] },
): Insertable<Schema['rejection']>[] => {
  if (causes.length === 0) return [];
  const whole = {
    pipeline_id: channel.id,
    at: receivedAtMs,
    message: textOf(message),
    topic: message.topic,
    attempts: 1,
    message_id: newId('rej'),
    is_whole: wholeness(message),
    message_values: received,
    // What the pipeline's setting said is left to what it says at a replay.
    device: message.device === channel.device ? null : (message.device ?? null),
    is_mapped: 0,
    sender_devices: origin.devices === null ? null : JSON.stringify(origin.devices),
  };
  return causesByReason(causes).map((cause) => ({ ...whole, ...cause, id: newId('rej') }));
};

/** What has to be kept of a message besides its rejections, so that it can be read anew; undefined: nothing. */
export const wholeMessageRow = (
  { channel, message: { bytes } }: Submission,
  [rejection]: readonly Insertable<Schema['rejection']>[],
): Insertable<Schema['whole_message']> | undefined => {
  if (rejection?.is_whole !== 2) return undefined;
  const { message_id, at } = rejection;
  const body = Buffer.from(bytes).toString('base64');
  return { message_id, pipeline_id: channel.id, at, body, bytes: bytes.length };
};

/** As many samples are kept as one message: none is longer than 2 KiB. */
const REFUSED_TOGETHER = 25;

/** What is kept of samples that their destination refused: samples with one cause together, ready to be taken again. */
export const refusedRows = (
  pipelineId: string,
  refused: readonly { sample: SpooledSample; detail: string }[],
  atMs: number,
): Insertable<Schema['rejection']>[] =>
  [...Map.groupBy(refused, ({ detail }) => detail)].flatMap(([detail, alike]) =>
    [...slicesOf(alike, REFUSED_TOGETHER)].map((some) => {
      const samples = some.map(({ sample }) => sample);
      const value_count = countValues(samples);
      return {
        id: newId('rej'),
        pipeline_id: pipelineId,
        at: atMs,
        reason: 'destination-refused',
        detail,
        message: JSON.stringify({ samples }),
        topic: null,
        attempts: 1,
        value_count,
        message_id: newId('rej'),
        is_whole: 1,
        message_values: value_count,
        device: null,
        sender_devices: null,
        is_mapped: 1,
      };
    }),
  );
