import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';

/**
 * The IP address of the client. Fastify follows X-Forwarded-For from the connection to the first address that is not a
 * trusted proxy. A proxy that forwards what clients send can name anything there: what is no IP address is ignored.
 */
export const clientAddressOf = ({ ip, ips }: FastifyRequest): string =>
  ips?.findLast((address) => isIP(address) !== 0) ?? ip;
