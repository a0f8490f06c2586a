import type { Insertable } from 'kysely';
import type { Schema } from '../storage/database.ts';
import { newId } from '../storage/new-id.ts';
import type { Message } from './message.ts';

/** Why some values of a message were not taken; `metric` where one cause met one metric. */
export type Cause = {
  readonly reason: string;
  readonly detail: string;
  readonly metric?: string | undefined;
  readonly values: number;
};

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

/** What is kept of a message that was rejected, whole or in part: one row for each reason. */
export const rejectionRows = (
  pipelineId: string,
  message: Message,
  causes: readonly Cause[],
  atMs: number,
): Insertable<Schema['rejection']>[] => {
  if (causes.length === 0) return [];
  const text = textOf(message);
  return [...Map.groupBy(causes, ({ reason }) => reason)].map(([reason, alike]) => ({
    id: newId('rej'),
    pipeline_id: pipelineId,
    at: atMs,
    reason,
    detail: detailOf(alike),
    message: text,
    topic: message.topic,
    attempts: 1,
    value_count: alike.reduce((sum, { values }) => sum + values, 0),
  }));
};
