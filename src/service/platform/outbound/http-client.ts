import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector, request, type Dispatcher } from 'undici';
import type { AddressRules } from './address-rules.ts';
import { ForbiddenAddress } from './outbound-failure.ts';

type Options = Pick<Dispatcher.RequestOptions, 'method' | 'signal'> & {
  headers?: Record<string, string>;
  body?: string | Uint8Array;
};

export type HttpClient = {
  request(url: URL, options: Options): Promise<Dispatcher.ResponseData>;
  close(): Promise<void>;
};

/** An HTTP client that connects to permitted addresses only. `lookupFor` replaces the DNS lookup of a connection. */
export const createHttpClient = ({
  rules,
  lookupFor,
}: {
  rules: AddressRules;
  lookupFor: (port: number) => LookupFunction;
}): HttpClient => {
  const connect: buildConnector.connector = (options, done) => {
    const port = Number(options.port) || (options.protocol === 'https:' ? 443 : 80);
    const forbidden = isIP(options.hostname) === 0 ? undefined : rules({ address: options.hostname, port });
    if (forbidden !== undefined) return done(new ForbiddenAddress(forbidden), null);
    buildConnector({ allowH2: false, lookup: lookupFor(port) })(options, done);
  };
  // A new connection for each request: the server may close a kept connection just when it is reused.
  const agent = new Agent({ connect, pipelining: 0 });
  return {
    request: (url, options) => request(url, { ...options, dispatcher: agent }),
    close: () => agent.destroy(),
  };
};
