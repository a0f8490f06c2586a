import type { FastifyRequest } from 'fastify';
import { HttpProblem } from './http-problem.ts';

const etagOf = (revision: number): string => `"r${revision}"`;

/** An answer with more than a body. `etag` is the row's revision. */
export class Answer<T> {
  readonly body: T;
  readonly status: number | undefined;
  readonly headers: Record<string, string>;

  constructor(
    body: T,
    options: { status?: number; etag?: number; location?: string; headers?: Record<string, string> } = {},
  ) {
    this.body = body;
    this.status = options.status;
    this.headers = {
      ...options.headers,
      ...(options.etag === undefined ? {} : { etag: etagOf(options.etag) }),
      ...(options.location === undefined ? {} : { location: options.location }),
    };
  }
}

/** Refuses a change that was made against another revision. Without `If-Match` it goes ahead. */
export const requireMatch = (request: FastifyRequest, revision: number): void => {
  const given = request.headers['if-match'];
  if (given === undefined || given === '*') return;
  // Taken without its quotes too, as shells and forms lose them.
  const isThis = (tag: string) => `"${tag.trim().replaceAll('"', '')}"` === etagOf(revision);
  if (!given.split(',').some(isThis))
    throw new HttpProblem(
      'precondition-failed',
      'The resource has changed. Read it again, then repeat your change.',
      {
        headers: { etag: etagOf(revision) },
      },
    );
};
