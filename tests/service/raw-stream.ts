import { connect, type Socket } from 'node:net';

export type RawStream = {
  socket: Socket;
  /** All that was read, the head of the answer included. */
  text: () => string;
  /** Ids of the events, in the order in which they came. */
  eventIds: () => string[];
  hasEnded: () => boolean;
};

type Options = {
  url: string;
  token: string;
  query?: string;
  headers?: Record<string, string>;
  method?: string;
};

/** Opens a stream over a bare socket. Without `read` nothing is ever read from it. */
export const openRawStream = (
  { url, token, query = '', headers = {}, method = 'GET' }: Options,
  { read = true } = {},
): Promise<RawStream> => {
  const { host, hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) });
    const parts: Buffer[] = [];
    let isEnded = false;
    const text = () => Buffer.concat(parts).toString();
    const raw: RawStream = {
      socket,
      text,
      // Chunked encoding may split an event. Its lines contain only hexadecimal digits.
      eventIds: () =>
        [
          ...text()
            .replaceAll(/\r\n[\da-f]+\r\n/g, '')
            .matchAll(/event: event\nid: (\w+)\n/g),
        ].map(([, id]) => id ?? ''),
      hasEnded: () => isEnded,
    };
    socket.on('error', (error) => {
      isEnded = true;
      reject(error);
    });
    socket.on('close', () => (isEnded = true));
    socket.on('end', () => (isEnded = true));
    socket.on('connect', () => {
      const lines = Object.entries({ host, authorization: `Bearer ${token}`, ...headers });
      socket.write(
        `${method} /v1/stream${query} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
      );
      if (!read) resolve(raw);
    });
    if (!read) return;
    socket.on('data', (part) => {
      parts.push(part);
      if (parts.length === 1) resolve(raw);
      // The last chunk of a stream that the service closed.
      if (part.subarray(-5).toString() === '0\r\n\r\n') isEnded = true;
    });
  });
};
