import * as z from 'zod';
import { endpoint } from './endpoint.ts';
import { storageStateSchema } from './storage.ts';

export const connectionSchema = z
  .object({
    baseUrl: z
      .string()
      .describe('The URL of the API for devices and browsers.')
      .meta({ examples: ['https://penstock.plant.internal'] }),
    mqtt: z
      .object({
        port: z
          .int()
          .describe('The TCP port.')
          .meta({ examples: [1883] }),
        tls: z.boolean().describe('Whether the broker uses TLS.'),
      })
      .nullable()
      .describe('The embedded broker, on the host of `baseUrl`. `null` if it is disabled.'),
    registrationLimit: z
      .int()
      .describe(
        'The number of devices that one key can register in an hour by sending telemetry (`REGISTRATION_LIMIT`).',
      )
      .meta({ examples: [10_000] }),
    version: z
      .string()
      .describe('The version of Penstock.')
      .meta({ examples: ['0.1.0'] }),
  })
  .meta({ id: 'Connection', description: 'The addresses and the version of the service.' });
export type Connection = z.infer<typeof connectionSchema>;

export const serviceApi = {
  health: endpoint({
    method: 'GET',
    path: '/v1/health',
    scope: 'none',
    status: [200, 503],
    response: z.object({
      status: z
        .enum(['ok', 'degraded', 'unavailable'])
        .describe('The health of the service: `ok` and `degraded` with 200, `unavailable` with 503.'),
      storage: storageStateSchema,
    }),
    doc: {
      tag: 'Service',
      summary: 'Check the health of the service',
      description:
        'Queries both databases. 503 with the status `unavailable` if one does not answer. 200 with `degraded` if the disk is full or read-only, or a file is missing, damaged or incomplete.',
    },
  }),
  connection: endpoint({
    method: 'GET',
    path: '/v1/connection',
    scope: 'any',
    status: 200,
    response: connectionSchema,
    doc: {
      tag: 'Service',
      summary: 'Read the addresses and the version of the service',
      description:
        'Returns the addresses of the API and the embedded MQTT broker, for use in devices, and the version of Penstock.',
    },
  }),
};
