import * as z from 'zod';
import { endpoint, TELEMETRY_LIMIT } from './endpoint.ts';
import { allowOldSchema } from './telemetry.ts';

/** What Prometheus and its agents call to write. */
export const prometheusApi = {
  write: endpoint({
    method: 'POST',
    path: '/api/v1/write',
    scope: 'telemetry:write',
    usesTelemetry: true,
    takesBasic: true,
    query: z.strictObject({
      allowOld: allowOldSchema,
    }),
    body: z.string().meta({
      description: 'A `prometheus.WriteRequest` in protocol buffers, compressed with Snappy (block format).',
    }),
    bodyTypes: ['application/x-protobuf'],
    bodyEncoding: 'snappy',
    bodyLimit: TELEMETRY_LIMIT,
    readsBody: true,
    status: 204,
    doc: {
      tag: 'Telemetry',
      summary: 'Write samples (Prometheus remote write)',
      description:
        'Accepts Prometheus Remote Write 1.0 and answers 204 after all samples are on disk. The first label of `PROMETHEUS_DEVICE_LABELS` (`device_id`, `instance`, `host`, `device`) that a series has names the device. The metric is the name and the other labels in the order of their names, joined by dots; an ambiguous name ends in a hash. Staleness markers, NaN and infinity are skipped. Exemplars and metadata are ignored. Devices, limits, repeated samples and rejection reasons work as in `POST /v1/telemetry`. If samples are rejected, the others are stored, and the response is 400 `partial-write` with the first series and the reason.',
      texts: {
        'application/x-protobuf':
          'timeseries { labels { name: "__name__" value: "boiler_temperature" } labels { name: "instance" value: "boiler-7" } samples { value: 71.5 timestamp: 1763717400000 } }',
      },
      errors: ['partial-write'],
    },
  }),
};
