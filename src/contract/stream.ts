import * as z from 'zod';
import { deviceStateSchema } from './devices.ts';
import { endpoint } from './endpoint.ts';
import { eventSchema } from './events.ts';
import { idSchema } from './id.ts';
import { timeSchema } from './paging.ts';
import { ledgerSchema, spoolSchema, pipelineStateSchema } from './pipelines.ts';
import { storageStateSchema } from './storage.ts';
import { valueSchema } from './telemetry.ts';

/**
 * Live samples of the series asked for, at most 4 frames a second: every one since the frame before, or, of a series
 * that has too many, buckets, which `bucketMs` marks.
 */
export const telemetryFrameSchema = z
  .object({
    series: z
      .array(
        z.object({
          device: idSchema('dev').describe('Its device.'),
          metric: z.string().describe('Its metric.'),
          ts: z.array(z.int()).describe('Epoch ms: of each sample, or the start of each bucket.'),
          value: z
            .array(valueSchema)
            .describe('The samples; of buckets the mean of numbers, the last of anything else.'),
          bucketMs: z.int().optional().describe('Only where these are buckets: how long each is.'),
          min: z.array(z.number()).optional().describe('Of buckets of numbers.'),
          max: z.array(z.number()).optional().describe('Of buckets of numbers.'),
          count: z.array(z.int()).optional().describe('Of buckets: how many samples each stands for.'),
        }),
      )
      .describe('Those of which samples came.'),
  })
  .meta({ id: 'TelemetryFrame', description: 'The samples that came since the frame before.' });
export type TelemetryFrame = z.infer<typeof telemetryFrameSchema>;

/** The data of each kind of server-sent event, by its `event:` name. */
export const streamFrames = {
  device: z
    .object({
      id: idSchema('dev').describe('Its id.'),
      state: deviceStateSchema.describe('Its state now.'),
      lastSeenAt: timeSchema.nullable().describe('When its latest message was received.'),
    })
    .meta({ id: 'DeviceFrame', description: 'A device turned to another state, or was heard.' }),
  pipeline: z
    .object({
      id: idSchema('pip').describe('Its id.'),
      state: pipelineStateSchema.describe('Its state now.'),
      ledger: ledgerSchema.describe('Its ledger now.'),
      spool: spoolSchema
        .nullable()
        .describe('What waits for its destination now; null: the built-in store needs none.'),
    })
    .meta({
      id: 'PipelineFrame',
      description: 'A pipeline counted more values, or turned to another state.',
    }),
  event: eventSchema,
  telemetry: telemetryFrameSchema,
  storage: z
    .object({ state: storageStateSchema })
    .meta({ id: 'StorageFrame', description: 'The disk became full, read-only or writable again.' }),
  reset: z.object({}).meta({
    id: 'ResetFrame',
    description: 'Some changes were missed and cannot be sent again. Read the current state.',
  }),
};
export type StreamKind = keyof typeof streamFrames;
export type StreamFrame<K extends StreamKind> = z.infer<(typeof streamFrames)[K]>;

export const streamApi = {
  open: endpoint({
    method: 'GET',
    path: '/v1/stream',
    scope: 'any-read',
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
    frames: streamFrames,
    resumes: true,
    doc: {
      tag: 'Stream',
      summary: 'Follow what changes',
      description:
        'Server-sent events: `device`, `pipeline`, `event` and `telemetry`, each of which needs its read scope, and `storage`. A token without any read scope gets `insufficient-scope`. With a `Last-Event-ID`, the stream continues after that event. After a `reset` frame, read the current state again: some changes were missed. The service sends a comment every 15 s. A client that stops reading gets a `reset` once it reads again, and is disconnected after 30 s.',
      texts: {
        'text/event-stream':
          'event: device\ndata: {"id":"dev_01jz3k5v8cf6n9qw2r4t7y0abd","state":"online","lastSeenAt":"2025-11-21T09:30:00.000Z"}\n\n',
      },
    },
  }),
};
