import * as z from 'zod';
import { endpoint } from './endpoint.ts';

export const connectionSchema = z
  .object({
    baseUrl: z.string().describe('The address of the API, as devices and people reach it.'),
    mqtt: z
      .object({ port: z.int(), tls: z.boolean() })
      .nullable()
      .describe('Where the embedded broker listens, on the host of `baseUrl`; null: it does not.'),
  })
  .meta({ id: 'Connection' });
export type Connection = z.infer<typeof connectionSchema>;

export const serviceApi = {
  health: endpoint({
    method: 'GET',
    path: '/v1/health',
    scope: 'none',
    status: [200, 503],
    response: z.object({ status: z.enum(['ok', 'unavailable']) }),
    doc: { tag: 'Service', summary: 'Is the service able to work' },
  }),
  connection: endpoint({
    method: 'GET',
    path: '/v1/connection',
    scope: 'any',
    status: 200,
    response: connectionSchema,
    doc: { tag: 'Service', summary: 'Where the service is reached' },
  }),
  openapi: endpoint({
    method: 'GET',
    path: '/v1/openapi.json',
    scope: 'none',
    status: 200,
    response: z.looseObject({ openapi: z.string() }),
    doc: {
      tag: 'Service',
      summary: 'This document',
      description: 'OpenAPI 3.1, made from the schemas that check requests and answers.',
    },
  }),
};
