import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request and its answer, as they went over the wire (bodies still compressed). */
export type Exchange = {
  method: string;
  /** Path and query. */
  url: string;
  requestHeaders: IncomingHttpHeaders;
  requestBody: Buffer;
  status: number;
  /** By lower-case name. */
  headers: Record<string, string>;
  body: Buffer;
  /** False if the connection ended before the response. */
  isWhole: boolean;
};

const watchedPorts = new Set<number>();

/**
 * Records the responses of a service, if this process records. Stop it before another server uses the port.
 */
export const watchService = (url: string): (() => void) => {
  const port = Number(new URL(url).port);
  watchedPorts.add(port);
  return () => void watchedPorts.delete(port);
};

const bytesOf = (chunk: unknown, encoding: unknown): Buffer[] => {
  if (typeof chunk === 'string')
    return [Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8')];
  // Not by instanceof: a simulated browser has another Uint8Array.
  if (!ArrayBuffer.isView(chunk)) return [];
  return [Buffer.concat([Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)])];
};

const lowerCased = (headers: object): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]));

/** Records one request by wrapping the methods that Node calls, so that the service is not aware of it. */
const recordExchange = (
  request: IncomingMessage,
  response: ServerResponse,
  done: (exchange: Exchange) => void,
): void => {
  const [sent, received]: [Buffer[], Buffer[]] = [[], []];
  let given: object = {};
  let isDone = false;
  const finish = (isWhole: boolean) => {
    if (isDone || !response.headersSent) return;
    isDone = true;
    done({
      method: request.method ?? '',
      url: request.url ?? '',
      requestHeaders: { ...request.headers },
      requestBody: Buffer.concat(sent),
      status: response.statusCode,
      headers: { ...lowerCased(response.getHeaders()), ...lowerCased(given) },
      body: Buffer.concat(received),
      isWhole,
    });
  };
  const headers = { ...request.headers };
  const { push } = request;
  request.push = (chunk: unknown, encoding) => {
    sent.push(...bytesOf(chunk, encoding));
    return push.call(request, chunk, encoding);
  };
  const { writeHead, write, end } = response;
  response.writeHead = (...args: unknown[]) => {
    given = args.find((arg) => typeof arg === 'object' && arg !== null) ?? given;
    return Reflect.apply(writeHead, response, args) as typeof response;
  };
  response.write = (...args: unknown[]) => {
    received.push(...bytesOf(args[0], args[1]));
    return Reflect.apply(write, response, args) as boolean;
  };
  response.end = (...args: unknown[]) => {
    received.push(...bytesOf(args[0], args[1]));
    const ended = Reflect.apply(end, response, args) as typeof response;
    // The service may have removed headers that it does not read.
    Object.assign(request.headers, headers);
    finish(!request.socket.destroyed);
    return ended;
  };
  response.on('close', () => finish(false));
};

/**
 * Calls back with each exchange with a watched service of this process once its response is written, until stopped.
 */
export const recordTraffic = (done: (exchange: Exchange) => void): (() => void) => {
  const onRequest = (message: unknown) => {
    const { request, response, server } = message as {
      request: IncomingMessage;
      response: ServerResponse;
      server: Server;
    };
    const address = server.address() as AddressInfo | null;
    const port = address?.port ?? request.socket.localPort;
    if (port !== undefined && watchedPorts.has(port)) recordExchange(request, response, done);
  };
  subscribe('http.server.request.start', onRequest);
  return () => void unsubscribe('http.server.request.start', onRequest);
};
