import type { Logger } from 'pino';
import { inWrite, type Db } from '../platform/storage/database.ts';
import { addRefusals, type Refusals } from './api-key-store.ts';

const MINUTE_MS = 60_000;
const MINUTES = 60;

type Use = { at: number; from: string; perMinute: Map<number, number>; written: boolean };

export type KeyUsage = {
  record(keyId: string, from: string, atMs: number): void;
  /** Records a use of a revoked or expired key. */
  recordRefusal(keyId: string, from: string, atMs: number): void;
  /** Number of requests in the last hour, counted since the start of the service. */
  lastHour(keyId: string): number;
  /** Writes uses that are not written yet. */
  flush(): Promise<void>;
  close(): Promise<void>;
};

/** Records when and from where each key was last used or refused. Written once a second, so that a read does not cost a write. */
export const createKeyUsage = ({
  db,
  log,
  elapsed,
  flushEveryMs,
}: {
  db: Db;
  log: Logger;
  /** Monotonic clock in ms, used to count requests. */
  elapsed: () => number;
  flushEveryMs: number;
}): KeyUsage => {
  const uses = new Map<string, Use>();
  /** Not written yet. */
  const refusals = new Map<string, Refusals>();
  const write = async () => {
    const dirty = [...uses].flatMap(([id, use]) =>
      use.written ? [] : [{ id, use, at: use.at, from: use.from }],
    );
    const refused = [...refusals];
    if (dirty.length === 0 && refused.length === 0) return;
    await inWrite(db, async (tx) => {
      for (const { id, at, from } of dirty)
        await tx
          .updateTable('api_key')
          .set({ last_used_at: at, last_used_from: from })
          .where('id', '=', id)
          .execute();
      for (const [id, each] of refused) await addRefusals(tx, id, each);
    });
    for (const { use, at } of dirty) if (use.at === at) use.written = true;
    for (const [id, { count, lastAtMs }] of refused) {
      const current = refusals.get(id)!;
      if (current.count === count) refusals.delete(id);
      else refusals.set(id, { ...current, count: current.count - count, firstAtMs: lastAtMs });
    }
  };
  // A full disk must neither stop the service nor fail the request. The next flush retries.
  let flushing: Promise<void> = Promise.resolve();
  const flush = (): Promise<void> =>
    (flushing = flushing
      .then(write)
      .catch((error: unknown) => log.error({ err: error }, 'could not write the last use of API keys')));
  const timer = setInterval(() => void flush(), flushEveryMs);
  timer.unref();
  return {
    record: (keyId, from, at) => {
      const use = uses.get(keyId) ?? { at, from, perMinute: new Map<number, number>(), written: false };
      const minute = Math.floor(elapsed() / MINUTE_MS);
      use.perMinute.set(minute, (use.perMinute.get(minute) ?? 0) + 1);
      if (use.perMinute.size > MINUTES + 1) use.perMinute.delete(Math.min(...use.perMinute.keys()));
      uses.set(keyId, Object.assign(use, { at, from, written: false }));
    },
    recordRefusal: (keyId, from, at) => {
      const { count = 0, firstAtMs = at } = refusals.get(keyId) ?? {};
      refusals.set(keyId, { count: count + 1, firstAtMs, lastAtMs: at, from });
    },
    lastHour: (keyId) => {
      const oldest = Math.floor(elapsed() / MINUTE_MS) - MINUTES;
      let count = 0;
      for (const [minute, requests] of uses.get(keyId)?.perMinute ?? [])
        if (minute > oldest) count += requests;
      return count;
    },
    flush,
    close: async () => {
      clearInterval(timer);
      await flush();
    },
  };
};
