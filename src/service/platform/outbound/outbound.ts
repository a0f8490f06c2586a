import { lookup as lookUp } from 'node:dns/promises';
import { once } from 'node:events';
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { callbackify } from 'node:util';
import type { Dispatcher } from 'undici';
import { noTracing, type Tracing } from '../tracing.ts';
import {
  createAddressRules,
  findForbiddenHost,
  plainHost,
  portOf,
  type ForbiddenTarget,
} from './address-rules.ts';
import type { AllowedNetworks } from './allowed-networks.ts';
import type { HttpClient } from './http-client.ts';
import { failureOf, ForbiddenAddress } from './outbound-failure.ts';

type Resolved = { address: string; family: number };
/** All addresses of a name. */
export type Lookup = (name: string) => Promise<Resolved[]>;

const CALL_TIMEOUT_MS = 15_000;

type Call = {
  method: Dispatcher.HttpMethod;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  signal?: AbortSignal;
  /** The timeout until the end of the response body. Defaults to the timeout of the service. */
  timeoutMs?: number;
};

type Target = { host: string; port: number; isTls: boolean };

export type Outbound = {
  /** Why a URL is forbidden, as far as its text shows; undefined: not forbidden so far. */
  findForbidden(url: URL): ForbiddenTarget | undefined;
  /**
   * Sends a request and resolves with the response headers. The caller reads or discards the body. Redirects are not
   * followed. @throws OutboundFailure
   */
  call(url: URL, call: Call): Promise<Dispatcher.ResponseData>;
  /** Why a host is forbidden, as far as its text shows; undefined: not forbidden so far. */
  findForbiddenHost(target: { host: string; port: number }): ForbiddenTarget | undefined;
  /** An allowed address of a host. @throws OutboundFailure */
  resolve(target: { host: string; port: number }, signal: AbortSignal): Promise<string>;
  /** Opens a connection. With TLS, verifies the certificate of the host. @throws OutboundFailure */
  connect(target: Target, signal: AbortSignal): Promise<Socket>;
  close(): Promise<void>;
};

/**
 * All connections to configured addresses pass through here. The addresses of a name are checked for each connection,
 * and the connection uses a checked address, so that a changed DNS record cannot bypass the check.
 */
export const createOutbound = ({
  allowedNetworks,
  ownPorts,
  tracing = noTracing,
  lookup = (name) => lookUp(name, { all: true }),
  timeoutMs = CALL_TIMEOUT_MS,
}: {
  allowedNetworks: Pick<AllowedNetworks, 'permit'>;
  ownPorts: () => readonly number[];
  tracing?: Pick<Tracing, 'request'>;
  lookup?: Lookup | undefined;
  /** The default timeout until the end of the response body. */
  timeoutMs?: number | undefined;
}): Outbound => {
  const rules = createAddressRules(allowedNetworks, ownPorts);

  const permitted = async (name: string, port: number): Promise<Resolved[]> => {
    const found = (await lookup(name)).map((each) => ({ ...each, forbidden: rules({ ...each, port }) }));
    const open = found.filter(({ forbidden }) => forbidden === undefined);
    if (open.length > 0) return open;
    const [first] = found.flatMap(({ forbidden }) => forbidden ?? []);
    if (first === undefined) throw Object.assign(new Error(`${name} has no address`), { code: 'ENOTFOUND' });
    throw new ForbiddenAddress({
      ...first,
      reason: `${name} resolves to a forbidden address: ${first.reason}`,
    });
  };

  const findPermitted = callbackify(permitted);
  /** Replaces the DNS lookup of one connection. */
  const lookupFor =
    (port: number): LookupFunction =>
    (name, options, done) =>
      findPermitted(name, port, (error: NodeJS.ErrnoException | null, addresses) => {
        if (error !== null) return done(error, []);
        const [first] = addresses;
        if (options.all === true || first === undefined) done(null, addresses);
        else done(null, first.address, first.family);
      });

  // The HTTP client is loaded with the first call.
  let client: Promise<HttpClient> | undefined;
  const openClient = async (): Promise<HttpClient> => {
    const { createHttpClient } = await import('./http-client.ts');
    return createHttpClient({ rules, lookupFor });
  };

  return {
    findForbidden: (url) => findForbiddenHost({ host: url.hostname, port: portOf(url) }, rules),
    findForbiddenHost: (target) => findForbiddenHost(target, rules),
    resolve: async ({ host: written, port }, signal) => {
      const host = plainHost(written);
      try {
        signal.throwIfAborted();
        if (isIP(host) === 0) return (await permitted(host, port))[0]!.address;
        const forbidden = rules({ address: host, port });
        if (forbidden !== undefined) throw new ForbiddenAddress(forbidden);
        return host;
      } catch (error) {
        throw failureOf(error, { host: `${written}:${port}` }, timeoutMs);
      }
    },
    connect: async ({ host: written, port, isTls }, signal) => {
      const host = plainHost(written);
      const timeout = AbortSignal.timeout(timeoutMs);
      let socket: Socket | undefined;
      try {
        const forbidden = isIP(host) === 0 ? undefined : rules({ address: host, port });
        if (forbidden !== undefined) throw new ForbiddenAddress(forbidden);
        const options = { host, port, lookup: lookupFor(port) };
        socket = isTls
          ? connectTls({ ...options, ...(isIP(host) === 0 ? { servername: host } : {}) })
          : connectTcp(options);
        await once(socket, isTls ? 'secureConnect' : 'connect', {
          signal: AbortSignal.any([signal, timeout]),
        });
        return socket;
      } catch (error) {
        // Ignores errors after the connection was given up.
        socket?.on('error', () => undefined).destroy();
        const isLate = timeout.aborted && !signal.aborted;
        throw failureOf(isLate ? timeout.reason : error, { host: `${written}:${port}` }, timeoutMs);
      }
    },
    call: async (url, { signal, timeoutMs: withinMs = timeoutMs, ...call }) => {
      client ??= openClient();
      const { request } = await client;
      const timeout = AbortSignal.timeout(withinMs);
      try {
        return await tracing.request(url, call.method, (headers) =>
          request(url, {
            ...call,
            headers: { ...call.headers, ...headers },
            signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
          }),
        );
      } catch (error) {
        throw failureOf(error, url, withinMs);
      }
    },
    close: async () => (await client)?.close(),
  };
};
