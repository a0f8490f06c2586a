import type { FastifyRequest } from 'fastify';
import { HttpProblem } from './http-problem.ts';

const etagOf = (revision: number): string => `"r${revision}"`;

/** A response with more than a body. `etag`: the revision of the row. */
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

/**
 * A body that the handler wrote as JSON itself: for lists that are read often. The service does not parse it. In tests, it is
 * compared with its schema, as every response.
 */
export class JsonText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** Rejects a change to an outdated revision. Without `If-Match`, every change is accepted. */
export const requireMatch = (request: FastifyRequest, revision: number): void => {
  const given = request.headers['if-match'];
  if (given === undefined || given === '*') return;
  // Also accepted without quotes, which shells and forms often drop.
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
