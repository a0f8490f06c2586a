import * as z from 'zod';
import { endpoint } from './endpoint.ts';

/** Probes of load balancers and of programs that start the service. */
export const probesApi = {
  live: endpoint({
    method: 'GET',
    path: '/v1/health/live',
    scope: 'none',
    anyHost: true,
    status: 200,
    response: z.object({ status: z.literal('ok').describe('Always `ok`.') }),
    doc: {
      tag: 'Service',
      summary: 'Check that the process answers',
      description:
        'Returns 200 if the process answers requests. Reads no database: a process that is live but not ready needs no restart.',
    },
  }),
  ready: endpoint({
    method: 'GET',
    path: '/v1/health/ready',
    scope: 'none',
    anyHost: true,
    status: [200, 503],
    response: z.object({
      status: z
        .enum(['ok', 'stopping', 'unavailable'])
        .describe(
          '`ok` with 200. With 503, `stopping` if the service stops soon (`DRAIN_SECONDS`), or `unavailable` if a database does not answer or `telemetry.db` cannot be used.',
        ),
    }),
    doc: {
      tag: 'Service',
      summary: 'Check that the service can take requests',
      description:
        'Returns 200 if both databases answer, `telemetry.db` can be used and the service is not stopping, otherwise 503. For load balancers. A full or read-only disk is not an error here, because reads still work: see `/v1/health`.',
    },
  }),
};
