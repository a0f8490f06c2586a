import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Db } from '../storage/database.ts';
import { Answer } from './answer.ts';
import type { Actor } from './auth.ts';
import { HttpProblem, invalidParameter } from './http-problem.ts';

type IdempotencyTable = {
  key: string;
  actor_id: string;
  request_digest: string;
  status: number;
  headers: string;
  body: string;
  created_at: number;
};

declare module '../storage/database.ts' {
  interface Schema {
    idempotency: IdempotencyTable;
  }
}

const KEPT_MS = 86_400_000;
const MAX_KEY_LENGTH = 255;

/** Stores a response in the transaction of the creation. */
export type SaveResponse = (tx: Db, answer: Answer<unknown>) => Promise<void>;

/** Runs a creation once for each `Idempotency-Key` of an actor. A replay gets the first response. */
export type Idempotency = <T>(
  request: FastifyRequest,
  actor: Actor,
  body: unknown,
  handle: (saveResponse: SaveResponse) => Promise<T>,
) => Promise<T | Answer<unknown>>;

declare module 'fastify' {
  interface FastifyInstance {
    idempotency: Idempotency;
  }
}

const keyOf = (request: FastifyRequest): string | undefined => {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && key.length >= 1 && key.length <= MAX_KEY_LENGTH) return key;
  throw invalidParameter(
    'Idempotency-Key',
    'invalid',
    `Must be 1 to ${MAX_KEY_LENGTH} characters, such as a UUID.`,
  );
};

const stillRunning = (): HttpProblem =>
  new HttpProblem(
    'idempotency-in-progress',
    'The first request with this key is still running. Try again in a second.',
    { headers: { 'retry-after': '1' } },
  );

export const createIdempotency = (db: Db, now: () => number): Idempotency => {
  const inProgress = new Set<string>();

  const find = (from: Db, actorId: string, key: string) =>
    from
      .selectFrom('idempotency')
      .selectAll()
      .where('actor_id', '=', actorId)
      .where('key', '=', key)
      .where('created_at', '>', now() - KEPT_MS)
      .executeTakeFirst();

  return async (request, actor, body, handle) => {
    const key = keyOf(request);
    if (key === undefined) return handle(async () => undefined);
    // The ID of the API key, so that a new session of the same key is the same actor.
    const actorId = actor.key?.id ?? actor.id;
    const digest = createHash('sha256')
      .update(`${request.method} ${request.url}\n${JSON.stringify(body)}`)
      .digest('hex');
    const name = `${actorId}\n${key}`;
    if (inProgress.has(name)) throw stillRunning();
    inProgress.add(name);
    try {
      const known = await find(db, actorId, key);
      if (known === undefined)
        return await handle(async (tx, answer) => {
          // Another process was faster. The repetition gets its response.
          if ((await find(tx, actorId, key)) !== undefined) throw stillRunning();
          await tx.deleteFrom('idempotency').where('actor_id', '=', actorId).where('key', '=', key).execute();
          await tx
            .insertInto('idempotency')
            .values({
              key,
              actor_id: actorId,
              request_digest: digest,
              status: answer.status ?? 200,
              headers: JSON.stringify(answer.headers),
              body: JSON.stringify(answer.body),
              created_at: now(),
            })
            .execute();
        });
      if (known.request_digest !== digest)
        throw new HttpProblem(
          'idempotency-key-reused',
          'This key was used for another request. Use a new key.',
        );
      return new Answer(JSON.parse(known.body) as unknown, {
        status: known.status,
        headers: JSON.parse(known.headers) as Record<string, string>,
      });
    } finally {
      inProgress.delete(name);
    }
  };
};

/** Deletes keys that are older than 24 hours. */
export const deleteOldKeys = async (db: Db, nowMs: number): Promise<void> => {
  await db
    .deleteFrom('idempotency')
    .where('created_at', '<', nowMs - KEPT_MS)
    .execute();
};
