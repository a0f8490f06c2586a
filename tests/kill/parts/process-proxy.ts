import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

const CHECK_EVERY_MS = 1_000;
const HEALTHY_WITHIN_MS = 2_000;

const readAll = async (message: IncomingMessage): Promise<Buffer> => {
  const parts: Buffer[] = [];
  for await (const part of message) parts.push(part as Buffer);
  return Buffer.concat(parts);
};

/**
 * A reverse proxy on loopback. Each request goes to the next process that is ready, or to another one if that process refuses the
 * connection.
 */
export const startProcessProxy = async (ports: readonly number[]) => {
  const healthy = new Set(ports);
  let turn = 0;
  const check = async (port: number): Promise<void> => {
    const signal = AbortSignal.timeout(HEALTHY_WITHIN_MS);
    const answer = await fetch(`http://127.0.0.1:${port}/v1/health/ready`, { signal }).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer?.status === 200) healthy.add(port);
    else healthy.delete(port);
  };
  const checks = setInterval(() => ports.forEach((port) => void check(port)), CHECK_EVERY_MS);

  const server = createServer((incoming, outgoing) => {
    const distribute = async (): Promise<void> => {
      const body = await readAll(incoming).catch(() => undefined);
      turn += 1;
      const inTurn = ports.map((_, n) => ports[(n + turn) % ports.length]!);
      if (body === undefined) outgoing.destroy();
      else
        pass(
          body,
          inTurn.filter((port) => healthy.has(port)),
        );
    };
    const pass = (body: Buffer, candidates: number[]): void => {
      const [port, ...others] = candidates;
      if (port === undefined) {
        outgoing.writeHead(502).end();
        return;
      }
      const upstream = httpRequest(
        {
          host: '127.0.0.1',
          port,
          method: incoming.method,
          path: incoming.url,
          // Without BASE_URL, a process accepts only its own address.
          headers: { ...incoming.headers, host: `127.0.0.1:${port}` },
          agent: false,
        },
        (answer) => {
          outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.pipe(outgoing);
          answer.on('error', () => outgoing.destroy());
        },
      );
      upstream.on('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'ECONNREFUSED') pass(body, others);
        else outgoing.destroy();
      });
      outgoing.on('close', () => upstream.destroy());
      upstream.end(body);
    };
    void distribute();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      clearInterval(checks);
      server.closeAllConnections();
      server.close();
    },
  };
};
