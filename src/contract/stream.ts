import * as z from 'zod';
import { deviceStateSchema } from './devices.ts';
import { endpoint } from './endpoint.ts';
import { eventSchema } from './events.ts';
import { idSchema } from './id.ts';
import { timeSchema } from './paging.ts';
import { ledgerSchema, pipelineStateSchema } from './pipelines.ts';
import { valueSchema } from './telemetry.ts';

/** Live samples of the series asked for: every one since the frame before, at most 4 frames a second. */
export const telemetryFrameSchema = z.object({
  series: z.array(
    z.object({
      device: idSchema('dev'),
      metric: z.string(),
      ts: z.array(z.int()),
      value: z.array(valueSchema),
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
        'Server-sent events: device, pipeline, event, telemetry. Each kind needs its own read scope. A comment every 15 s.',
    },
  }),
};
