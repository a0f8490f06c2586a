import type { Db } from '../storage/database.ts';

const MINUTE_MS = 60_000;
const MINUTES = 60;
const FLUSH_EVERY_MS = 1_000;

type Use = { at: number; from: string; perMinute: Map<number, number>; written: boolean };

export type KeyUsage = {
  record(keyId: string, from: string, atMs: number): void;
  /** Requests in the last hour; counted since the service started. */
  lastHour(keyId: string, nowMs: number): number;
  /** Writes down what has not been yet. */
  flush(): Promise<void>;
  close(): Promise<void>;
};

/** When and from where each key was last used. Kept in memory and written once a second: a read must not cost a write. */
export const createKeyUsage = (db: Db): KeyUsage => {
  const uses = new Map<string, Use>();
  const flush = async () => {
    const dirty = [...uses].filter(([, use]) => !use.written);
    if (dirty.length === 0) return;
    await db.transaction().execute(async (tx) => {
      for (const [id, use] of dirty) {
        use.written = true;
        await tx
          .updateTable('api_key')
          .set({ last_used_at: use.at, last_used_from: use.from })
          .where('id', '=', id)
          .execute();
      }
    });
  };
  let flushing = Promise.resolve();
  const timer = setInterval(() => {
    flushing = flushing.then(flush, flush);
  }, FLUSH_EVERY_MS);
  timer.unref();
  return {
    record: (keyId, from, at) => {
      const use = uses.get(keyId) ?? { at, from, perMinute: new Map<number, number>(), written: false };
      const minute = Math.floor(at / MINUTE_MS);
      use.perMinute.set(minute, (use.perMinute.get(minute) ?? 0) + 1);
      if (use.perMinute.size > MINUTES + 1) use.perMinute.delete(Math.min(...use.perMinute.keys()));
      uses.set(keyId, Object.assign(use, { at, from, written: false }));
    },
    lastHour: (keyId, now) => {
      const oldest = Math.floor(now / MINUTE_MS) - MINUTES;
      let count = 0;
      for (const [minute, requests] of uses.get(keyId)?.perMinute ?? [])
        if (minute > oldest) count += requests;
      return count;
    },
    flush,
    close: async () => {
      clearInterval(timer);
      await flushing.catch(() => undefined);
      await flush();
    },
  };
};
