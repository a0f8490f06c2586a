import type { FastifyReply, FastifyRequest } from 'fastify';
import { overloaded, type HttpProblem } from './http-problem.ts';

/** Whether the client still waits for the response. */
export type IsAwaited = () => boolean;

export const isAwaitedBy =
  ({ socket }: FastifyRequest): IsAwaited =>
  () =>
    !socket.destroyed;

/** The answer to a client that is gone. */
export const requestClosed = (): HttpProblem => overloaded('The request was closed.');

/** @throws HttpProblem `overloaded` once the client is gone */
export const requireAwaited = (isAwaited: IsAwaited): void => {
  if (!isAwaited()) throw requestClosed();
};

/** Aborts when the client closes the request before its response is complete. */
export const disconnectSignal = ({ raw }: FastifyReply): AbortSignal => {
  const controller = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) controller.abort();
  });
  return controller.signal;
};
