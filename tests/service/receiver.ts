import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Received = {
  headers: IncomingHttpHeaders;
  text: string;
  body: { type: string; timestamp: string; data: Record<string, unknown> };
};

/** What a receiver does with a call: answers a status, or something else. */
export type Reaction = number | ((response: ServerResponse) => void);

/** A webhook receiver on loopback that records requests and responds as configured. */
export const startReceiver = async (port = 0) => {
  const received: Received[] = [];
  const receiver = { received, react: 204 as Reaction, url: '', close: async (): Promise<void> => undefined };
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => (text += chunk));
    request.on('end', () => {
      received.push({ headers: request.headers, text, body: JSON.parse(text) as Received['body'] });
      if (typeof receiver.react === 'number') response.writeHead(receiver.react).end();
      else receiver.react(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  receiver.close = () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return receiver;
};
export type Receiver = Awaited<ReturnType<typeof startReceiver>>;
