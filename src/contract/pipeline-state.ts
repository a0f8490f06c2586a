import * as z from 'zod';
import { timeSchema } from './paging.ts';

/** The actual state. `enabled` is the requested one. */
export const pipelineStates = ['draft', 'running', 'degraded', 'failed', 'paused'] as const;
export const pipelineStateSchema = z.enum(pipelineStates);
export type PipelineState = z.infer<typeof pipelineStateSchema>;

/** Why a pipeline is degraded or failed, worst first. */
export const stateReasonCodes = [
  'spool-full',
  'source',
  'processing',
  'destination',
  'rejections',
  'recovering',
] as const;
export type StateReasonCode = (typeof stateReasonCodes)[number];

export const stateReasonSchema = z
  .object({
    code: z.enum(stateReasonCodes).meta({
      description:
        '`spool-full`: messages are rejected until the spool has room. `source`: the source does not answer or rejects the connection. `processing`: messages cannot be mapped or stored. `destination`: samples wait on disk. `rejections`: 1 % or more of the samples are rejected. `recovering`: the problem is over, and the pipeline returns to `running` after a minute without problems.',
      examples: ['source'],
    }),
    since: timeSchema.describe('When the state began. For a polled source, the time of its last response.'),
    detail: z
      .string()
      .meta({ description: 'The human-readable reason.', examples: ['10.0.0.7 refused the connection.'] }),
  })
  .nullable()
  .meta({
    description: 'Why the pipeline is degraded or failed. `null` in the other states.',
    examples: [null],
  });
export type StateReason = z.infer<typeof stateReasonSchema>;

/** Counts samples. At all times, received = delivered + pending + rejected + skipped. */
export const ledgerSchema = z
  .object({
    received: z.int().describe('Number of received samples.'),
    delivered: z.int().describe('Number of samples delivered to the destination.'),
    pending: z.int().describe('Number of samples waiting for delivery.'),
    rejected: z.int().describe('Number of rejected samples.'),
    skipped: z.int().meta({
      description:
        'Messages that the expression skipped, or that are known to have no samples. Each counts as one sample.',
      examples: [0],
    }),
    overwritten: z.int().meta({
      description:
        'Delivered samples that replaced a different value of the same device, metric and timestamp in the built-in store. Not counted with telemetry in ClickHouse.',
      examples: [0],
    }),
  })
  .meta({
    id: 'Ledger',
    description:
      'Number of samples since the pipeline was created. A replayed message counts with the samples of its latest replay, so `received` can shrink. At all times, received = delivered + pending + rejected + skipped. `overwritten` samples are included in `delivered`.',
  });
export type Ledger = z.infer<typeof ledgerSchema>;

export const rateSchema = z.object({
  perSecond: z.number().meta({
    description:
      'Samples received per second: the mean of the last minute. In the first minute of a pipeline, the mean since it started, over at least 10 s.',
    examples: [2.5],
  }),
});

/** Samples on disk that wait for an external destination. */
export const spoolSchema = z
  .object({
    bytes: z.int().meta({ description: 'Bytes waiting for delivery.', examples: [0] }),
    limitBytes: z.int().meta({
      description: 'The limit in bytes. When the spool is full, messages are rejected until there is room.',
      examples: [1_073_741_824],
    }),
    oldestAt: timeSchema
      .nullable()
      .describe('When the oldest waiting sample was received. `null` if the spool is empty.'),
    drainsInSeconds: z
      .number()
      .nullable()
      .meta({
        description:
          'Estimated seconds until the spool is empty, at the current rate. `null` if the spool is empty or not draining.',
        examples: [null],
      }),
    fullInSeconds: z
      .number()
      .nullable()
      .meta({
        description:
          'Estimated seconds until the spool is full, at the current rate. `null` if the spool is not growing.',
        examples: [null],
      }),
  })
  .meta({ id: 'Spool', description: 'Samples on disk that wait for an external destination.' });
export type Spool = z.infer<typeof spoolSchema>;
