import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { findSocketOwner } from './socket-owner.ts';
import type { Tenure } from './lease-history.ts';

/** A poll or a delivery. `pid`: of the process that sent it; undefined if that process ended before it was found. */
type Call = { kind: 'poll' | 'delivery'; pid: number | undefined; atMs: number };

/** A call of a former holder may reach this process so much later, because the machine is busy. */
const RECEIVED_WITHIN_MS = 1_000;

/** A server on loopback that sources poll and pipelines deliver to. It records which process called when. */
export const startObservedDestination = async (listPids: () => number[]) => {
  const calls: Call[] = [];
  const polledAtMs: number[] = [];
  const delivered = new Set<number>();
  const owners = new WeakMap<Socket, number | undefined>();
  const server = createServer((request, response) => {
    const pid = owners.get(request.socket);
    calls.push({ kind: request.method === 'GET' ? 'poll' : 'delivery', pid, atMs: Date.now() });
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      if (request.method === 'GET') polledAtMs.push(performance.now());
      for (const [, ts = ''] of text.matchAll(/"ts":"([^"]+)"/g)) delivered.add(Date.parse(ts));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"temperature":1}');
    });
  });
  server.on('connection', (socket: Socket) =>
    owners.set(
      socket,
      findSocketOwner({ from: socket.remotePort ?? 0, to: socket.localPort ?? 0 }, listPids()),
    ),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    polledAtMs,
    delivered,
    /** Resolves after the next poll after a time, or when `withinMs` has passed. */
    polledAfter: async (atMs: number, withinMs: number): Promise<void> => {
      while ((polledAtMs.at(-1) ?? 0) <= atMs && performance.now() < atMs + withinMs) await delay(50);
    },
    /** Compares the calls with the holders of the lease. A call by another process is a fault. */
    checkFencing: (tenures: readonly Tenure[]) => {
      const counts = { deliveries: 0, polls: 0, unknown: 0, holders: tenures.length };
      const faults: string[] = [];
      for (const { kind, pid, atMs } of calls) {
        counts[kind === 'poll' ? 'polls' : 'deliveries'] += 1;
        if (pid === undefined) counts.unknown += 1;
        const isAllowed = tenures.some(
          (tenure) => tenure.pid === pid && tenure.fromMs <= atMs && tenure.toMs >= atMs - RECEIVED_WITHIN_MS,
        );
        if (pid === undefined || isAllowed) continue;
        const holder = tenures.find(({ fromMs, toMs }) => fromMs <= atMs && atMs < toMs);
        const endedAtMs = Math.max(...tenures.filter((one) => one.pid === pid).map(({ toMs }) => toMs));
        faults.push(
          `A ${kind} came from process ${pid} while ${holder?.pid} held the lease, ${Math.round(atMs - endedAtMs)} ms after its own ended.`,
        );
      }
      return { counts, faults };
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};
