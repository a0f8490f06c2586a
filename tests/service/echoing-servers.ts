import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** How an echo is written. */
const writings: Record<string, (text: string) => string> = {
  plain: (text) => text,
  base64: (text) => Buffer.from(text).toString('base64'),
  base64url: (text) => Buffer.from(text).toString('base64url'),
  url: encodeURIComponent,
  json: (text) => JSON.stringify({ error: text, message: text, headers: { sent: text } }),
  html: (text) =>
    text.replaceAll(/[&<>"'/]/g, (character) => `&#x${character.charCodeAt(0).toString(16).toUpperCase()};`),
  cut: (text) => text.slice(0, -6),
};
export const WRITINGS = Object.keys(writings);

/** What a client that signs in by Basic sent. */
const basicOf = (header: string): string =>
  header.startsWith('Basic ') ? Buffer.from(header.slice(6), 'base64').toString() : '';

/** All possible secrets of a request, one per line. */
const sentIn = ({ url = '', headers }: IncomingMessage): string[] => [
  ...['authorization', 'x-api-key', 'cookie', 'webhook-signature'].flatMap((name) =>
    headers[name] === undefined ? [] : [`${name}: ${String(headers[name])}`],
  ),
  basicOf(headers.authorization ?? ''),
  url,
];

type Closing = { port: number; close(): Promise<void> };

const listen = async (server: Server): Promise<Closing> => {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket.on('error', () => undefined));
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
};

/** Answers `/status/writing/…` with that status and a text that quotes what was sent to it. */
export const startEchoingWeb = () =>
  listen(
    createHttpServer((request, response) => {
      const [, status = '', writing = ''] = (request.url ?? '').split('/');
      const write = writings[writing] ?? writings['plain']!;
      const said = sentIn(request).map(write);
      const type = writing === 'json' ? 'application/json' : 'text/plain';
      request.resume().once('end', () => {
        response.writeHead(Number(status), { 'content-type': type });
        response.end(writing === 'json' ? said[0] : said.map((each) => `You sent ${each}`).join('\n'));
      });
    }),
  );

/** Answers the input of a client with the result of `reply`; without a result, it hangs. */
const listenForBytes = (
  reply: (bytes: Buffer, count: number) => { text: Buffer | string; isLast?: boolean } | undefined,
  hello = '',
) =>
  listen(
    createServer((socket) => {
      let count = 0;
      socket.write(hello);
      socket.on('data', (bytes) => {
        const answer = reply(bytes, count++);
        if (answer === undefined) return;
        if (answer.isLast === true) socket.end(answer.text);
        else socket.write(answer.text);
      });
    }),
  );

/** Sends back each byte that it gets. */
export const startParrot = () => listenForBytes((bytes) => ({ text: bytes }));

export const startHanging = () => listenForBytes(() => undefined);

const shortText = (bytes: Buffer): string => bytes.toString('latin1').replaceAll(/[^\x20-\x7e]+/g, ' ');

/**
 * A broker of MQTT 5 that refuses who signs in, with a reason that quotes it (CONNACK, 3.2).
 * @param code the reason's
 */
export const startEchoingBroker = (code: number) =>
  listenForBytes((bytes) => {
    const reason = Buffer.from(shortText(bytes).slice(0, 100));
    const properties = Buffer.concat([Buffer.from([0x1f, 0, reason.length]), reason]);
    return {
      text: Buffer.from([0x20, 3 + properties.length, 0, code, properties.length, ...properties]),
    };
  });

/** A NATS server that quotes its input (-ERR) and closes the connection. */
export const startEchoingNats = () =>
  listenForBytes(
    (bytes) => ({
      text: `-ERR '${bytes.toString().replaceAll(/['\r\n]/g, ' ')}'\r\n`,
      isLast: true,
    }),
    `INFO ${JSON.stringify({ server_id: 'x', version: '2.10.0', proto: 1, max_payload: 1_048_576, headers: true, auth_required: true })}\r\n`,
  );

/** A message of PostgreSQL's protocol, version 3. */
const postgresMessage = (type: string, body: Buffer): Buffer => {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
};

/**
 * A PostgreSQL that asks for the password in plain text and quotes it, in each field of its error.
 * @param code its SQLSTATE
 */
export const startEchoingPostgres = (code: string) =>
  listenForBytes((bytes, count) => {
    if (count === 0) return { text: postgresMessage('R', Buffer.from([0, 0, 0, 3])) };
    const said = shortText(bytes.subarray(5));
    const fields = {
      S: 'FATAL',
      C: code,
      M: `no ${said}`,
      D: `as ${said}`,
      H: `not ${said}`,
      W: `in ${said}`,
    };
    const text = Object.entries(fields).map(([name, value]) => `${name}${value}\0`);
    return { text: postgresMessage('E', Buffer.from(`${text.join('')}\0`)), isLast: true };
  });
