import * as z from 'zod';
import { deviceStateSchema } from './devices.ts';
import { endpoint } from './endpoint.ts';
import { eventSchema } from './events.ts';
import { idSchema } from './id.ts';
import { timeSchema } from './paging.ts';
import { ledgerSchema, pipelineStateSchema } from './pipelines.ts';
import { valueSchema } from './telemetry.ts';

/**
 * Live samples of the series asked for, at most 4 frames a second: every one since the frame before, or, of a series
 * that has too many, buckets, which `bucketMs` marks.
 */
export const telemetryFrameSchema = z.object({
  series: z.array(
    z.object({
      device: idSchema('dev'),
      metric: z.string(),
      ts: z.array(z.int()).describe('Epoch ms: of each sample, or the start of each bucket.'),
      value: z
        .array(valueSchema)
        .describe('The samples; of buckets the mean of numbers, the last of anything else.'),
      bucketMs: z.int().optional().describe('Only where these are buckets: how long each is.'),
      min: z.array(z.number()).optional().describe('Of buckets of numbers.'),
      max: z.array(z.number()).optional().describe('Of buckets of numbers.'),
      count: z.array(z.int()).optional().describe('Of buckets: how many samples each stands for.'),
    }),
  ),
});
export type TelemetryFrame = z.infer<typeof telemetryFrameSchema>;

/** The data of each kind of server-sent event, by its `event:` name. */
export const streamFrames = {
  device: z.object({ id: idSchema('dev'), state: deviceStateSchema, lastSeenAt: timeSchema.nullable() }),
  pipeline: z.object({ id: idSchema('pip'), state: pipelineStateSchema, ledger: ledgerSchema }),
  event: eventSchema,
  telemetry: telemetryFrameSchema,
  /** What was missed cannot be told: read again what is on screen. */
  reset: z.object({}),
};
export type StreamKind = keyof typeof streamFrames;
export type StreamFrame<K extends StreamKind> = z.infer<(typeof streamFrames)[K]>;

export const streamApi = {
  open: endpoint({
    method: 'GET',
    path: '/v1/stream',
    scope: 'any',
    query: z.strictObject({
      device: z
        .array(z.string().min(1).max(128))
        .max(200)
        .optional()
        .describe('Devices whose lastSeenAt and telemetry are wanted.'),
      metric: z
        .array(z.string().min(1).max(128))
        .max(200)
        .optional()
        .describe('Metrics of those devices; left out: every one.'),
      seen: z
        .array(z.string().min(1).max(128))
        .max(200)
        .optional()
        .describe('Devices whose lastSeenAt alone is wanted.'),
    }),
    status: 200,
    responseTypes: ['text/event-stream'],
    doc: {
      tag: 'Stream',
      summary: 'Follow what changes',
      description:
        'Server-sent events: `device`, `pipeline`, `event`, `telemetry`; each kind needs its own read scope. Events go on after the `Last-Event-ID` that is sent. `reset` says that something was missed which cannot be told: read again what you show. A comment every 15 s. A client that does not read is told `reset` once it reads again, and is cut off after 30 s.',
      errors: ['overloaded'],
    },
  }),
};
