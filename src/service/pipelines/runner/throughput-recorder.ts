import type { Logger } from 'pino';
import type { PipelineLastHour, Throughput, ThroughputRange } from '#contract/throughput.ts';
import type { Clock } from '../../platform/clock.ts';
import { isUnwritable } from '../../platform/storage/disk-full.ts';
import type { Db } from '../../platform/storage/database.ts';
import type { PipelineRow } from '../definition/pipeline-store.ts';
import {
  addThroughput,
  bucketOf,
  deleteOldThroughput,
  HOUR_MS,
  listAccepted,
  findReceived,
  listRunBuckets,
  MINUTE_MS,
  throughputSpans,
  type MinutePart,
} from './throughput-store.ts';

/** The rate of a shorter part of a minute or an hour says little about it. */
const LEAST_RAN_MS = 10_000;
/** The clock jumped, or the process did not run, if it was not read for longer. */
const UNINTERRUPTED_MS = 15_000;
/** Kept in memory while the disk is full. */
const MAX_UNWRITTEN = 60;

/** Samples that the service accepted in a minute. */
export type AcceptedMinute = { ts: number; count: number; perSecond: number };

type Recorded = Pick<PipelineRow, 'id' | 'created_at'>;

export type ThroughputRecorder = {
  count(pipelineId: string, samples: number): void;
  countAccepted(samples: number): void;
  read(pipeline: Recorded, range: ThroughputRange): Promise<Throughput>;
  /** The minutes of the last hour, up to the one in progress. */
  readLastHour(pipelines: readonly Recorded[]): Promise<PipelineLastHour[]>;
  /** The minutes of the last hour in which the service ran, up to the one in progress. */
  readAccepted(): Promise<AcceptedMinute[]>;
  /** Writes what is in memory. */
  close(): Promise<void>;
};

const minuteOf = (ms: number): number => bucketOf(ms, MINUTE_MS);

/**
 * Records the samples that each pipeline receives and the service accepts. Writes each minute once it is over, and adds it
 * to its hour. Also records how long the service ran: while it did not, the throughput is unknown, not 0.
 */
export const startThroughputRecorder = ({
  db,
  log,
  clock,
  checkEveryMs,
}: {
  db: Db;
  log: Logger;
  clock: Pick<Clock, 'now' | 'isTrusted'>;
  checkEveryMs: number;
}): ThroughputRecorder => {
  const startPart = (fromMs: number) => ({ fromMs, accepted: 0, received: new Map<string, number>() });
  let readAtMs = clock.now();
  let part = startPart(readAtMs);
  let unwritten: MinutePart[] = [];
  let cleanedAtMs = 0;

  const endPart = (toMs: number): void => {
    const { fromMs, accepted, received } = part;
    if (toMs === fromMs && received.size === 0 && accepted === 0) return;
    unwritten.push({ minute: minuteOf(fromMs), ranMs: toMs - fromMs, accepted, received });
    unwritten = unwritten.slice(-MAX_UNWRITTEN);
  };

  const advance = (): number => {
    const nowMs = clock.now();
    const sinceMs = nowMs - readAtMs;
    if (sinceMs < 0) {
      // The clock was set back: no minute may be in the future.
      part = { ...part, fromMs: nowMs };
      unwritten = unwritten.map((each) => ({ ...each, minute: Math.min(each.minute, minuteOf(nowMs)) }));
    } else if (sinceMs > UNINTERRUPTED_MS) {
      endPart(readAtMs);
      part = startPart(nowMs);
    } else if (minuteOf(nowMs) !== minuteOf(part.fromMs)) {
      endPart(minuteOf(nowMs));
      part = startPart(minuteOf(nowMs));
    }
    readAtMs = nowMs;
    return nowMs;
  };

  const writeAll = async (): Promise<void> => {
    for (let [next] = unwritten; next !== undefined; [next] = unwritten) {
      await addThroughput(db, next);
      const written = next;
      unwritten = unwritten.filter((each) => each !== written);
    }
    if (!clock.isTrusted() || Math.abs(readAtMs - cleanedAtMs) < HOUR_MS) return;
    await deleteOldThroughput(db, readAtMs);
    cleanedAtMs = readAtMs;
  };
  // One write at a time. What could not be written is written with the next minute.
  let last: Promise<void> = Promise.resolve();
  const write = (): Promise<void> =>
    (last = last.then(writeAll).catch((error: unknown) => {
      if (!isUnwritable(error)) log.error({ err: error }, 'could not write the throughput of pipelines');
    }));

  /** The completed buckets of each pipeline, from those in which it was created. */
  const readBuckets = async (pipelines: readonly Recorded[], range: ThroughputRange) => {
    const { bucketMs, rangeMs } = throughputSpans[range];
    const toMs = bucketOf(advance(), bucketMs);
    await write();
    const span = { bucketMs, fromMs: toMs - rangeMs, toMs };
    const [run, receivedBy] = await Promise.all([
      listRunBuckets(db, span),
      findReceived(
        db,
        pipelines.map(({ id }) => id),
        span,
      ),
    ]);
    const buckets = pipelines.map(({ id, created_at: createdAtMs }) => {
      const own: PipelineLastHour = { pipeline: id, ts: [], received: [], perSecond: [] };
      for (const { ts, ran_ms } of run) {
        const ranMs = Math.min(ran_ms, bucketMs, ts + bucketMs - createdAtMs);
        if (ranMs < LEAST_RAN_MS) continue;
        const received = receivedBy.get(id)?.get(ts) ?? 0;
        own.ts.push(ts);
        own.received.push(received);
        own.perSecond.push(received / (ranMs / 1_000));
      }
      return own;
    });
    return { span, buckets };
  };

  const timer = setInterval(() => {
    advance();
    if (unwritten.length > 0) void write();
  }, checkEveryMs);

  return {
    count: (id, samples) => {
      if (samples === 0) return;
      advance();
      part.received.set(id, (part.received.get(id) ?? 0) + samples);
    },
    countAccepted: (samples) => {
      advance();
      part.accepted += samples;
    },
    readAccepted: async () => {
      const nowMs = advance();
      await write();
      const current = minuteOf(nowMs);
      const stored = await listAccepted(db, {
        fromMs: current - HOUR_MS + MINUTE_MS,
        toMs: current + MINUTE_MS,
      });
      const inMemory = { ts: current, ran_ms: nowMs - part.fromMs, accepted: part.accepted };
      const before = stored.find(({ ts }) => ts === current);
      const last =
        before === undefined
          ? inMemory
          : {
              ...inMemory,
              ran_ms: before.ran_ms + inMemory.ran_ms,
              accepted: before.accepted + inMemory.accepted,
            };
      return [...stored.filter((each) => each !== before), last].map(({ ts, ran_ms, accepted }) => ({
        ts,
        count: accepted,
        perSecond: (accepted / Math.min(MINUTE_MS, Math.max(LEAST_RAN_MS, ran_ms))) * 1_000,
      }));
    },
    read: async (pipeline, range) => {
      const { span, buckets } = await readBuckets([pipeline], range);
      const { ts, received, perSecond } = buckets[0] ?? { ts: [], received: [], perSecond: [] };
      return { from: span.fromMs, to: span.toMs, bucketMs: span.bucketMs, ts, received, perSecond };
    },
    readLastHour: async (pipelines) => (await readBuckets(pipelines, '1h')).buckets,
    close: async () => {
      clearInterval(timer);
      endPart(advance());
      await write();
    },
  };
};
