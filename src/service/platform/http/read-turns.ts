import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { createIterationQueue } from '../event-loop.ts';

type Turn = { readonly begun: Promise<void>; isPaused: boolean };

/**
 * Answers the reads of one connection per iteration of the event loop, in the order of arrival. Otherwise, all reads that have
 * arrived would be answered in one iteration, in the order of their sockets: other work would wait for all of them, and a
 * read that arrives a moment later for twice as many.
 */
export const registerReadTurns = (app: FastifyInstance): void => {
  const waitForTurn = createIterationQueue();
  const waiting = new Map<Socket, Turn>();
  const begin = async (socket: Socket): Promise<void> => {
    await waitForTurn();
    if (waiting.get(socket)?.isPaused === true) socket.resume();
    waiting.delete(socket);
  };
  const turnOf = (socket: Socket): Promise<void> => {
    const turn = waiting.get(socket);
    if (turn === undefined) {
      const begun = begin(socket);
      waiting.set(socket, { begun, isPaused: false });
      return begun;
    }
    // The client sends reads without waiting for the responses. What it sends meanwhile stays outside of the memory.
    socket.pause();
    turn.isPaused = true;
    return turn.begun;
  };
  app.addHook('onRequest', async ({ method, socket }) => {
    if (method === 'GET' || method === 'HEAD') await turnOf(socket);
  });
};
