import * as z from 'zod';
import { deviceStateSchema } from './device-filter.ts';
import { endpoint } from './endpoint.ts';
import { eventSchema } from './events.ts';
import { idSchema } from './id.ts';
import { timeSchema } from './paging.ts';
import {
  ledgerSchema,
  rateSchema,
  spoolSchema,
  pipelineStateSchema,
  stateReasonSchema,
} from './pipeline-state.ts';
import { storageStateSchema } from './storage.ts';
import { valueSchema } from './telemetry.ts';

/**
 * Live samples of the requested series, in at most 4 frames per second. A frame holds all samples since the previous
 * frame, or buckets (with `bucketMs`) for a series with too many samples.
 */
export const telemetryFrameSchema = z
  .object({
    series: z
      .array(
        z.object({
          device: idSchema('dev').describe('The ID of the device.'),
          metric: z.string().describe('The metric.'),
          ts: z
            .array(z.int())
            .describe('The timestamp of each sample, or the start of each bucket, in epoch ms.'),
          value: z
            .array(valueSchema)
            .describe(
              'The value of each sample. For buckets: the mean of numbers, otherwise the last value.',
            ),
          bucketMs: z.int().optional().describe('The width of the buckets. Omitted for raw samples.'),
          min: z.array(z.number()).optional().describe('The smallest number of each bucket.'),
          max: z.array(z.number()).optional().describe('The largest number of each bucket.'),
          count: z.array(z.int()).optional().describe('Number of samples in each bucket.'),
        }),
      )
      .describe('The series with new samples.'),
  })
  .meta({ id: 'TelemetryFrame', description: 'The samples received since the previous frame.' });
export type TelemetryFrame = z.infer<typeof telemetryFrameSchema>;

/** The data of each kind of server-sent event, by its `event:` name. */
export const streamFrames = {
  device: z
    .object({
      id: idSchema('dev').describe('The ID of the device.'),
      state: deviceStateSchema.describe('The current state.'),
      lastSeenAt: timeSchema.nullable().describe('When its latest message was received.'),
    })
    .meta({ id: 'DeviceFrame', description: 'The state of a device changed, or a message was received.' }),
  pipeline: z
    .object({
      id: idSchema('pip').describe('The ID of the pipeline.'),
      state: pipelineStateSchema.describe('The current state.'),
      stateReason: stateReasonSchema,
      ledger: ledgerSchema.describe('The current ledger.'),
      rate: rateSchema.describe('The current throughput.'),
      spool: spoolSchema.nullable().describe('The current spool. `null` for the built-in store.'),
    })
    .meta({
      id: 'PipelineFrame',
      description:
        'The ledger, spool or state of a pipeline changed. A rate that falls while nothing is received causes no frame.',
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
        .describe('The devices whose `lastSeenAt` and telemetry the stream sends, by ID or external ID.'),
      metric: z
        .array(z.string().min(1).max(128))
        .max(200)
        .optional()
        .describe('The metrics of these devices that the stream sends. Defaults to all metrics.'),
      seen: z
        .array(z.string().min(1).max(128))
        .max(200)
        .optional()
        .describe('The devices whose `lastSeenAt` the stream sends without telemetry, by ID or external ID.'),
      id: z
        .uuid()
        .optional()
        .describe('An ID that the client creates, so that another stream can replace this one.'),
      replaces: z
        .uuid()
        .optional()
        .describe(
          'The ID of an open stream of the same token. It sends its last frames and the comment `replaced`, and ends. This stream sends what follows.',
        ),
    }),
    status: 200,
    responseTypes: ['text/event-stream'],
    frames: streamFrames,
    resumes: true,
    doc: {
      tag: 'Stream',
      summary: 'Stream changes',
      description:
        'Sends server-sent events: `storage`, and `device`, `pipeline`, `event` and `telemetry`, which each require their read scope. A token without any read scope gets `insufficient-scope`. With a `Last-Event-ID`, the stream continues after that event. After a `reset` frame, read the current state again: some changes were missed. To follow other devices, open a stream whose `replaces` is the ID of the current stream. Read the current stream to its end, then the new stream: no frame is missed or sent twice. If another process of the service has the current stream, events and samples may be sent twice. If the current stream ends without the comment `replaced`, read the current state again. A stream begins with a `device` frame for each device in `device` and `seen`. The service sends a comment every 15 s. A client that stops reading gets a `reset` when it reads again, and is disconnected after 30 s.',
      texts: {
        'text/event-stream':
          'event: device\ndata: {"id":"dev_01jz3k5v8cf6n9qw2r4t7y0abd","state":"online","lastSeenAt":"2025-11-21T09:30:00.000Z"}\n\n',
      },
    },
  }),
};
