import * as z from 'zod';
import { endpoint, TELEMETRY_LIMIT } from './endpoint.ts';
import { allowOldSchema } from './telemetry.ts';

/** What OpenTelemetry SDKs and Collectors call to write. Their base URL ends in `/otlp`. */
export const otlpApi = {
  write: endpoint({
    method: 'POST',
    path: '/otlp/v1/metrics',
    scope: 'telemetry:write',
    usesTelemetry: true,
    takesBasic: true,
    query: z.strictObject({
      allowOld: allowOldSchema,
    }),
    // Receivers must ignore unknown fields.
    body: z.record(z.string(), z.unknown()).meta({
      description: 'An `ExportMetricsServiceRequest`, as JSON or in protocol buffers.',
      examples: [
        {
          resourceMetrics: [
            {
              resource: { attributes: [{ key: 'device_id', value: { stringValue: 'boiler-7' } }] },
              scopeMetrics: [
                {
                  metrics: [
                    {
                      name: 'boiler.temperature',
                      unit: 'Cel',
                      gauge: { dataPoints: [{ asDouble: 71.5 }] },
                    },
                  ],
                },
              ],
            },
          ],
        },
      ],
    }),
    bodyTypes: ['application/json', 'application/x-protobuf'],
    bodyLimit: TELEMETRY_LIMIT,
    readsBody: true,
    status: 200,
    response: z
      .object({
        partialSuccess: z
          .object({
            rejectedDataPoints: z
              .string()
              .meta({ description: 'Number of rejected samples, as text.', examples: ['2'] }),
            errorMessage: z.string().meta({
              description: 'The number of rejected samples, and the reason for the first.',
              examples: [
                '2 of 12 samples were rejected, and the others were stored. The first rejection is in metric 3: …',
              ],
            }),
          })
          .optional()
          .describe('The rejected samples, if any.'),
      })
      .meta({ description: 'An `ExportMetricsServiceResponse`, in the encoding of the request.' }),
    responseTypes: ['application/json', 'application/x-protobuf'],
    doc: {
      tag: 'Telemetry',
      summary: 'Write metrics (OpenTelemetry)',
      description:
        'Accepts metrics in OTLP/HTTP and answers after all samples are on disk. The first attribute of `OTLP_DEVICE_ATTRIBUTES` (`device_id`, `device.id`, `host.name`, `service.instance.id`) that a data point or its resource has names the device. The metric is the name, the service name and the attributes of the data point, such as `http.requests/service.name:shop/code:200`. Devices, limits, repeated samples and rejection reasons work as in `POST /v1/telemetry`. If samples are rejected, the others are stored, and `partialSuccess` has their number and the first reason.',
      texts: {
        'application/x-protobuf':
          'resource_metrics { resource { attributes { key: "device_id" value { string_value: "boiler-7" } } } scope_metrics { metrics { name: "boiler.temperature" gauge { data_points { as_double: 71.5 } } } } }',
      },
      errors: ['validation-failed'],
    },
  }),
};
