import type { FastifyRequest } from 'fastify';
import type { EndpointShape } from '#contract/endpoint.ts';

/** The password of `user:password`. API keys have no colon. */
const passwordOf = (credentials: string): string => credentials.slice(credentials.indexOf(':') + 1);

/** Which clients call the endpoint. */
export type ClientShape = Pick<EndpointShape, 'forInfluxdbClients' | 'takesBasic'>;

/** Whether an endpoint takes an API key as the password of HTTP Basic. */
export const takesBasicAt = ({
  forInfluxdbClients = false,
  takesBasic = forInfluxdbClients,
}: ClientShape): boolean => takesBasic;

/**
 * The API key as clients send it that have no setting for a bearer token: the password of HTTP Basic and, by clients of InfluxDB,
 * `Token <key>`, `Token <user>:<key>`, or the parameter `p`. Undefined: none of these, or not at this endpoint.
 */
export const clientTokenOf = (
  { headers, url }: FastifyRequest,
  endpoint: ClientShape,
): string | undefined => {
  const { forInfluxdbClients = false } = endpoint;
  const [, scheme = '', credentials = ''] = /^(\w+) +(\S+) *$/.exec(headers.authorization ?? '') ?? [];
  switch (scheme.toLowerCase()) {
    case 'basic':
      return takesBasicAt(endpoint) ? passwordOf(Buffer.from(credentials, 'base64').toString()) : undefined;
    case 'token':
      return forInfluxdbClients ? passwordOf(credentials) : undefined;
    default:
      return forInfluxdbClients && headers.authorization === undefined
        ? (new URL(url, 'http://localhost').searchParams.get('p') ?? undefined)
        : undefined;
  }
};
