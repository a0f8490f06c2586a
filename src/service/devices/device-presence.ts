import type { Logger } from 'pino';
import type { DeviceState } from '#contract/device-filter.ts';
import { JUMP_MS, type Clock, type ClockJump } from '../platform/clock.ts';
import type { NewEvent, RecordEvents, Transact } from '../events/event-store.ts';
import type { LiveBus } from '../platform/live-bus.ts';
import type { DiskGuard } from '../platform/storage/disk-guard.ts';
import { findFact, setFact, type Db } from '../platform/storage/database.ts';
import type { Lease } from '../platform/storage/lease.ts';
import { slicesOf } from '../platform/storage/slices.ts';
import { nextIteration } from '../platform/event-loop.ts';
import type { Timeouts } from '../platform/timeouts.ts';
import { deviceStateChanged, presenceOf } from './device-state.ts';
import {
  findDue,
  findPresence,
  updateDueStates,
  updatePresence,
  updateStates,
  type DevicePresence,
  type DeviceStateChange,
  type DueTransition,
} from './device-presence-store.ts';
import { createLearnedIntervals } from './learned-intervals.ts';
import { toIsoTimeOrNull } from '../platform/iso-time.ts';

const ALIVE_EVERY_MS = 5_000;
/** Each is one transaction, so that other work can run in between. */
const ROWS_PER_SWEEP = 250;
const ROWS_PER_FLUSH = 250;
/** After a flush, this many times its duration pass before the next one: thousands of devices may send each second. */
const PAUSE_FACTOR = 9;
/** Messages are reported right after their receipt. A time that differs more was read before the clock jumped. */
const RECEIVED_WITHIN_MS = 60_000;

/** Name of the fact that holds when the service last ran. */
const ALIVE = 'alive-at';

export type Presence = {
  /** Records that a message of these devices was received at `atMs`, by the clock of the service. */
  markSeen(deviceIds: Iterable<string>, atMs: number): void;
  /** Writes the recorded times. */
  flush(): Promise<void>;
  close(): Promise<void>;
};

/**
 * Determines the states of devices by the time of receipt. Last-seen times are written in batches. The times at which
 * devices become late or offline are stored and checked through an index. At the start, the downtime of the service is
 * added to these times, so that it makes no device late or offline. A jump of the clock is added too, before any other
 * write. Of several processes, each writes the times of its messages, and the holder of the lease does all else.
 */
export const startPresence = async (deps: {
  db: Db;
  transact: Transact;
  live: Pick<LiveBus, 'publish' | 'subscribe'>;
  log: Logger;
  clock: Clock;
  timeouts: Pick<Timeouts, 'lastSeenFlushMs' | 'presenceSweepMs'>;
  disk: Pick<DiskGuard, 'watch' | 'withReserve'>;
  lease: Lease;
  /** Whether other processes receive messages of the devices too. */
  isShared: boolean;
  /** Calls the listener after a time in which the database could not be reached. */
  onDatabaseResumed: (listener: () => void) => void;
  /** Corrects other stored times and records the event, in the transaction of the device states. */
  correctTimes: (tx: Db, recordEvents: RecordEvents, jump: ClockJump) => Promise<void>;
}): Promise<Presence> => {
  const { db, transact, live, log, clock, timeouts, disk, lease, isShared, onDatabaseResumed, correctTimes } =
    deps;
  const { now } = clock;
  /** `pausedMs`: how long the process did not run since the message was received. */
  const seen = new Map<string, { atMs: number; pausedMs: number }>();
  const learnedIntervals = createLearnedIntervals(timeouts.lastSeenFlushMs);

  const stopForgetting = live.subscribe('event', ({ event: { type, subject } }) => {
    if (type !== 'device.deleted') return;
    seen.delete(subject.id);
    learnedIntervals.delete(subject.id);
  });

  /** Clock jumps and pauses of the process that are not written to disk yet. */
  const shifts: { shiftMs: number; jump?: ClockJump; aliveAtMs?: number }[] = [];

  clock.onJump((jump) => {
    log.warn(jump, 'the clock jumped');
    for (const message of seen.values()) message.atMs += jump.jumpMs;
    learnedIntervals.shift(jump.jumpMs);
    shifts.push({ shiftMs: jump.jumpMs, jump, aliveAtMs: jump.toMs });
  });
  clock.onPause((pausedMs) => {
    log.warn({ pausedMs }, 'the process did not run');
    for (const message of seen.values()) message.pausedMs += pausedMs;
    shifts.push({ shiftMs: pausedMs });
  });

  /** Moves the times at which devices become late or offline. For a clock jump, corrects the other stored times too. */
  const writeShift = ({ shiftMs, jump, aliveAtMs }: (typeof shifts)[number]) =>
    transact(async (tx, recordEvents) => {
      await lease.requireHeld(tx);
      await tx
        .updateTable('device')
        .set((is) => ({ late_at: is('late_at', '+', shiftMs), offline_at: is('offline_at', '+', shiftMs) }))
        .where('state', 'in', ['online', 'late'])
        .execute();
      if (jump !== undefined) await correctTimes(tx, recordEvents, jump);
      // In the same transaction: if the process is killed before the commit, the next start detects the jump.
      if (aliveAtMs !== undefined) await setFact(tx, ALIVE, String(aliveAtMs));
    });

  const writeShifts = async () => {
    // The clock of the holder counts.
    if (!lease.isHeld()) shifts.length = 0;
    for (let [next] = shifts; next !== undefined; [next] = shifts) {
      await writeShift(next);
      shifts.shift();
    }
  };

  const publishFrame = (id: string, state: DeviceState, lastSeenAt: number, hasChangedState: boolean) =>
    live.publish('device', {
      frame: { id, state, lastSeenAt: toIsoTimeOrNull(lastSeenAt) },
      hasChangedState,
    });

  const flushSlice = async (
    seenById: ReadonlyMap<string, { atMs: number; pausedMs: number }>,
  ): Promise<void> => {
    const nowMs = now();
    const frames: Parameters<typeof publishFrame>[] = [];
    const write = async (tx: Db, recordEvents: RecordEvents) => {
      const events: NewEvent[] = [];
      const presence: DevicePresence[] = [];
      const changed: DeviceStateChange[] = [];
      for (const row of await findPresence(tx, [...seenById.keys()])) {
        if (row.deleted_at !== null) continue;
        const { atMs, pausedMs } = seenById.get(row.id) ?? { atMs: 0, pausedMs: 0 };
        const lastSeenAt = Math.max(atMs, row.last_seen_at);
        if (isShared) learnedIntervals.recordElsewhere(row.id, row.last_seen_at);
        const learnedInterval = learnedIntervals.find(row.id) ?? row.learned_interval;
        const interval = { expectedInterval: row.expected_interval, learnedInterval };
        const { state, lateAt, offlineAt } = presenceOf(lastSeenAt + pausedMs, interval, nowMs);
        presence.push({
          id: row.id,
          last_seen_at: lastSeenAt,
          learned_interval: learnedInterval,
          late_at: lateAt,
          offline_at: offlineAt,
        });
        frames.push([row.id, state, lastSeenAt, row.state !== state]);
        if (row.state === state) continue;
        changed.push({ id: row.id, state });
        events.push(deviceStateChanged(row, state, nowMs));
      }
      await updatePresence(tx, presence);
      await updateStates(tx, changed);
      await recordEvents(...events);
    };
    await transact(write);
    for (const frame of frames) publishFrame(...frame);
  };

  const flush = async () => {
    for (const ids of slicesOf([...seen.keys()], ROWS_PER_FLUSH)) {
      // Reports a jump or a pause, which corrects the remaining times. They are written after it.
      now();
      if (shifts.length > 0) return;
      const slice = new Map(
        ids.flatMap((id) => {
          const message = seen.get(id);
          return message === undefined ? [] : [[id, message] as const];
        }),
      );
      for (const id of ids) seen.delete(id);
      await flushSlice(slice).catch((error: unknown) => {
        for (const [id, message] of slice) if (!seen.has(id)) seen.set(id, message);
        throw error;
      });
      await nextIteration();
    }
  };

  /** Marks devices as late or offline whose time has come, in slices until none is left. */
  const sweep = async (transition: DueTransition) => {
    for (;;) {
      const nowMs = now();
      // The clock just jumped: check the states after the stored times have been corrected.
      if (shifts.length > 0 || !lease.isHeld()) return;
      const due = await findDue(db, transition, nowMs, ROWS_PER_SWEEP);
      if (due.length === 0) return;
      const changedIds = await transact(async (tx, recordEvents) => {
        await lease.requireHeld(tx);
        const dueIds = due.map(({ id }) => id);
        const ids = new Set(await updateDueStates(tx, transition, nowMs, dueIds));
        const shown = due.filter((row) => row.deleted_at === null && ids.has(row.id));
        await recordEvents(...shown.map((row) => deviceStateChanged(row, transition.to, nowMs)));
        return new Set(shown.map(({ id }) => id));
      });
      for (const row of due)
        if (changedIds.has(row.id)) publishFrame(row.id, transition.to, row.last_seen_at, true);
      await nextIteration();
    }
  };

  const recordAlive = async () => {
    const nowMs = now();
    if (shifts.length === 0 && lease.isHeld()) await setFact(db, ALIVE, String(nowMs));
  };

  const addDowntime = async () => {
    const toMs = now();
    const fromMs = Number((await findFact(db, ALIVE)) ?? toMs);
    const jumpMs = toMs - fromMs;
    // A time in the future means that the clock was set back. A clock that was set ahead looks like downtime.
    if (jumpMs <= -JUMP_MS)
      await writeShift({ shiftMs: jumpMs, jump: { fromMs, toMs, jumpMs }, aliveAtMs: toMs });
    else await writeShift({ shiftMs: Math.max(0, jumpMs), aliveAtMs: toMs });
  };

  /**
   * Adds time without writes (downtime, a full disk, a database that does not answer) to the stored times, before
   * anything else.
   */
  let isDowntimeAdded = false;
  const stopWatching = disk.watch((state) => {
    if (state === 'writable') isDowntimeAdded = false;
  });
  onDatabaseResumed(() => {
    isDowntimeAdded = false;
  });
  // The time without a holder counts as downtime.
  lease.onChange(() => {
    isDowntimeAdded = false;
  });
  const addDowntimeOnce = async () => {
    if (isDowntimeAdded || !lease.isHeld()) return;
    await addDowntime();
    isDowntimeAdded = true;
  };

  // One write at a time, in order. A full disk must not stop the service: the next flush retries.
  let last: Promise<void> = Promise.resolve();
  const inOrder = (work: () => Promise<void>): Promise<void> =>
    (last = last
      .then(writeShifts)
      .then(addDowntimeOnce)
      .then(work)
      .catch((error: unknown) => log.error({ err: error }, 'could not write device states')));
  await inOrder(async () => undefined);
  let pausedUntilMs = 0;
  let isFlushing = false;
  const flushSometimes = async (): Promise<void> => {
    if (isFlushing || performance.now() < pausedUntilMs) return;
    isFlushing = true;
    await inOrder(async () => {
      const begunAtMs = performance.now();
      await flush();
      const endedAtMs = performance.now();
      pausedUntilMs = endedAtMs + (endedAtMs - begunAtMs) * PAUSE_FACTOR;
    });
    isFlushing = false;
  };
  const timers = [
    setInterval(() => void flushSometimes(), timeouts.lastSeenFlushMs),
    setInterval(
      () =>
        void inOrder(async () => {
          await sweep({ from: 'online', dueAt: 'late_at', to: 'late' });
          await sweep({ from: 'late', dueAt: 'offline_at', to: 'offline' });
        }),
      timeouts.presenceSweepMs,
    ),
    setInterval(() => void inOrder(recordAlive), ALIVE_EVERY_MS),
  ];

  return {
    markSeen: (ids, atMs) => {
      const nowMs = now();
      const receivedAtMs = atMs > nowMs || atMs < nowMs - RECEIVED_WITHIN_MS ? nowMs : atMs;
      for (const id of ids) {
        seen.set(id, { atMs: receivedAtMs, pausedMs: 0 });
        learnedIntervals.recordMessage(id, receivedAtMs);
      }
    },
    flush: () => inOrder(flush),
    close: async () => {
      for (const timer of timers) clearInterval(timer);
      stopWatching();
      stopForgetting();
      await inOrder(flush);
      await inOrder(() => disk.withReserve(recordAlive));
    },
  };
};
