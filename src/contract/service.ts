import * as z from 'zod';
import { endpoint } from './endpoint.ts';
import { storageStateSchema } from './storage.ts';

export const connectionSchema = z
  .object({
    baseUrl: z
      .string()
      .describe('The address of the API, as devices and people reach it.')
      .meta({ examples: ['https://penstock.plant.internal'] }),
    mqtt: z
      .object({
        port: z
          .int()
          .describe('The TCP port.')
          .meta({ examples: [1883] }),
        tls: z.boolean().describe('Whether it speaks TLS.'),
      })
      .nullable()
      .describe('Where the embedded broker listens, on the host of `baseUrl`; null: it does not.'),
    registrationLimit: z
      .int()
      .describe(
        'The number of devices that one key can register in an hour by sending telemetry (`REGISTRATION_LIMIT`).',
      )
      .meta({ examples: [10_000] }),
  })
  .meta({ id: 'Connection', description: 'Where the service is reached.' });
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
        .describe('`ok` and `degraded` with 200, `unavailable` with 503.'),
      storage: storageStateSchema,
    }),
    doc: {
      tag: 'Service',
      summary: 'Is the service able to work',
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
      summary: 'Where the service is reached',
      description: 'The addresses to give to devices: of the API and of the embedded MQTT broker.',
    },
  }),
  openapi: endpoint({
    method: 'GET',
    path: '/v1/openapi.json',
    scope: 'none',
    status: 200,
    response: z.looseObject({
      openapi: z
        .string()
        .describe('The version of OpenAPI.')
        .meta({ examples: ['3.1.0'] }),
    }),
    doc: {
      tag: 'Service',
      summary: 'This document',
      description: 'OpenAPI 3.1, made from the schemas that check requests and answers.',
    },
  }),
};
