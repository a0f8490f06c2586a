import type { FastifyInstance } from 'fastify';

/** The time that requests have in one iteration of the event loop before others wait. */
const TURN_MS = 2;
/** The most requests that wait. Each further one begins the first of them, so that memory is bounded. */
const MAX_WAITING = 100;

/** Lets requests begin in the order of their arrival, a few in each iteration of the event loop. */
const createTurns = () => {
  const waiting: (() => void)[] = [];
  let endsAt: number | undefined;
  const hasTime = (): boolean => {
    if (endsAt === undefined) {
      endsAt = performance.now() + TURN_MS;
      setImmediate(() => {
        endsAt = undefined;
      });
    }
    return performance.now() < endsAt;
  };
  /** Each is called after the work of the one before, because Node runs the microtasks of an immediate before the next one. */
  const serve = (): void => {
    if (hasTime()) waiting.shift()?.();
    else setImmediate(serve);
  };
  return (): Promise<void> | undefined => {
    if (waiting.length === 0 && hasTime()) return undefined;
    return new Promise((resolve) => {
      waiting.push(resolve);
      // There is one call of `serve` for each that waits: this one takes over that of the first.
      if (waiting.length > MAX_WAITING) waiting.shift()?.();
      else setImmediate(serve);
    });
  };
};

/**
 * Begins requests in the order of their arrival, with other work in between. Otherwise, all requests that have arrived would begin
 * in one iteration of the event loop, in the order of their sockets: other work would wait for all of them, and a request that arrives
 * during the iteration would wait for this iteration and the next.
 */
export const registerRequestTurns = (app: FastifyInstance): void => {
  const waitForTurn = createTurns();
  app.addHook('onRequest', async ({ socket }, reply) => {
    const turn = waitForTurn();
    if (turn === undefined) return;
    await turn;
    // The client has gone, so nobody reads the response.
    if (socket.destroyed) reply.hijack();
  });
};
