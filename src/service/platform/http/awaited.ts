import type { FastifyRequest } from 'fastify';
import { HttpProblem } from './http-problem.ts';

/** Whether the client still waits for the response. */
export type IsAwaited = () => boolean;

export const isAwaitedBy =
  ({ socket }: FastifyRequest): IsAwaited =>
  () =>
    !socket.destroyed;

/** @throws HttpProblem `overloaded` once the client is gone */
export const requireAwaited = (isAwaited: IsAwaited): void => {
  if (!isAwaited()) throw new HttpProblem('overloaded', 'The request was closed.');
};
