import type { FastifyRequest } from 'fastify';

/** The password of `user:password`. API keys have no colon. */
const passwordOf = (credentials: string): string => credentials.slice(credentials.indexOf(':') + 1);

/**
 * The API key as clients of InfluxDB send it: `Token <key>` or `Token <user>:<key>`, the password of HTTP Basic, or the parameter
 * `p`. Undefined: none of these.
 */
export const influxdbTokenOf = ({ headers, url }: FastifyRequest): string | undefined => {
  const [, scheme = '', credentials = ''] = /^(\w+) +(\S+) *$/.exec(headers.authorization ?? '') ?? [];
  switch (scheme.toLowerCase()) {
    case 'token':
      return passwordOf(credentials);
    case 'basic':
      return passwordOf(Buffer.from(credentials, 'base64').toString());
    default:
      return headers.authorization === undefined
        ? (new URL(url, 'http://localhost').searchParams.get('p') ?? undefined)
        : undefined;
  }
};
