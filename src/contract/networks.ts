import * as z from 'zod';
import { endpoint } from './endpoint.ts';
import { idSchema } from './id.ts';
import { networkFields, newNetworkSchema } from './new-network.ts';
import { timeSchema } from './paging.ts';

/** Networks that can be added, besides those of the configuration. Each connection is compared with all of them. */
export const MAX_NETWORKS = 200;

export const allowedNetworkSchema = z
  .object({
    id: idSchema('net')
      .nullable()
      .describe(
        'The ID of the network. `null`: the network is set in `ALLOWED_NETWORKS` and cannot be deleted here.',
      ),
    ...networkFields,
    createdBy: z
      .string()
      .nullable()
      .meta({
        description: 'Who allowed the network. `null`: the network is set in `ALLOWED_NETWORKS`.',
        examples: ['Ada'],
      }),
    createdAt: timeSchema
      .nullable()
      .describe('When the network was allowed. `null`: the network is set in `ALLOWED_NETWORKS`.'),
  })
  .meta({
    id: 'AllowedNetwork',
    description: 'A network or an address that Penstock may connect to, in addition to public addresses.',
  });
export type AllowedNetwork = z.infer<typeof allowedNetworkSchema>;

const params = z.object({ id: idSchema('net').describe('The ID of the network.') });
const tag = 'Network';

/** A network, or an address and its ports, in words: “10.0.0.5:502”, “10.0.0.0/24 on ports 502, 1502”. */
export const describeNetwork = ({
  network,
  ports,
}: {
  network: string;
  ports?: readonly number[] | null | undefined;
}): string => {
  if (ports === null || ports === undefined) return network;
  const [port, ...others] = ports;
  if (others.length > 0) return `${network} on ports ${ports.join(', ')}`;
  if (network.includes('/')) return `${network} on port ${port}`;
  return network.includes(':') ? `[${network}]:${port}` : `${network}:${port}`;
};

/** What pipelines, destinations and webhooks may connect to. A change holds for the next connection. */
export const networksApi = {
  list: endpoint({
    method: 'GET',
    path: '/v1/networks',
    scope: 'network:manage',
    status: 200,
    response: z.object({
      data: z
        .array(allowedNetworkSchema)
        .describe('Networks from `ALLOWED_NETWORKS` first, then oldest first.'),
    }),
    doc: {
      tag,
      summary: 'List allowed networks',
      description:
        'Returns all networks and addresses that pipelines, destinations and webhooks may connect to, in addition to public addresses.',
    },
  }),
  create: endpoint({
    method: 'POST',
    path: '/v1/networks',
    scope: 'network:manage',
    body: newNetworkSchema,
    status: 201,
    response: allowedNetworkSchema,
    idempotent: true,
    etag: true,
    doc: {
      tag,
      summary: 'Allow a network',
      description: `Allows connections to the network immediately, on all ports or on some. Addresses that serve the metadata of cloud machines, and the ports of Penstock itself, stay forbidden. At most ${MAX_NETWORKS} networks.`,
      errors: ['conflict'],
    },
  }),
  get: endpoint({
    method: 'GET',
    path: '/v1/networks/{id}',
    scope: 'network:manage',
    params,
    status: 200,
    response: allowedNetworkSchema,
    etag: true,
    doc: { tag, summary: 'Read an allowed network', description: 'Returns the network.' },
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/v1/networks/{id}',
    scope: 'network:manage',
    usesReserve: true,
    params,
    status: 204,
    doc: {
      tag,
      summary: 'Remove an allowed network',
      description: 'Rejects new connections to the network. Open connections stay open.',
    },
  }),
};
