import * as z from 'zod';
import { endpoint } from './endpoint.ts';

export const serviceApi = {
  health: endpoint({
    method: 'GET',
    path: '/v1/health',
    scope: 'none',
    status: [200, 503],
    response: z.object({ status: z.enum(['ok', 'unavailable']) }),
    doc: { tag: 'Service', summary: 'Is the service able to work' },
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
