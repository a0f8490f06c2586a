import * as z from 'zod';
import { endpoint } from './endpoint.ts';

export const openapiApi = {
  openapi: endpoint({
    method: 'GET',
    path: '/v1/openapi.json',
    scope: 'none',
    status: 200,
    response: z.looseObject({
      openapi: z
        .string()
        .describe('The OpenAPI version.')
        .meta({ examples: ['3.1.0'] }),
    }),
    doc: {
      tag: 'Service',
      summary: 'Read this document',
      description:
        'Returns this OpenAPI 3.1 document, generated from the schemas that validate requests and responses.',
    },
  }),
};
