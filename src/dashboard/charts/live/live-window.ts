import type { TelemetryFrame } from '#contract/stream.ts';
import { LiveNumbers } from './live-numbers.ts';
import { LiveStates } from './live-states.ts';
import { nowMs as serviceNowMs } from '../../ui/browser/clock.ts';
import type { TimeSpan } from '../series/time-span.ts';
import { seriesId } from '../series/series.ts';
import { createListeners } from '../../ui/browser/listeners.ts';

/** The data of a chart in live mode. Outside React, so that samples cause no renders. */
export interface LiveSource {
  /** The span of the axes: the whole window up to now, and less than a step more. The same object until the next step. */
  span(): TimeSpan;
  numbers(seriesId: string): LiveNumbers | undefined;
  states(seriesId: string): LiveStates | undefined;
  /** Calls back after each frame and each step of the window. Returns a function that stops it. */
  subscribe(onChange: () => void): () => void;
}

export interface LiveWindow extends LiveSource {
  append(frame: TelemetryFrame): void;
  /** Removes all samples (for another selection, or after a gap in the stream). */
  clear(): void;
}

export interface LiveWindowOptions {
  windowMs: number;
  /** Where the window ends. Default: the service's time. */
  nowMs?: () => number;
  /** Raw samples kept of each series before older ones are folded into buckets. */
  rawCapacity?: number;
}

/** Each step moves the time axis, and draws all lines again. */
const STEP_MS = 5_000;
/** A step of a wide window is about a pixel, one of a narrow window at most a hundredth. */
const MAX_STEPS = 1_000;
const MIN_STEPS = 100;
const FOLDED_BUCKETS = 1_024;
const RAW_CAPACITY = 32_768;
/** Samples of states are only counted, so that exact times matter only next to the history. */
const RAW_STATES = 128;
/** A device's clock may run ahead of ours by a little and still be followed. */
const AHEAD_SHARE = 0.05;
const MIN_WAIT_MS = 50;

export function createLiveWindow({
  windowMs,
  nowMs = serviceNowMs,
  rawCapacity = RAW_CAPACITY,
}: LiveWindowOptions): LiveWindow {
  const longestMs = Math.max(1, Math.round(windowMs / MIN_STEPS));
  const stepMs = Math.max(Math.round(windowMs / MAX_STEPS), Math.min(STEP_MS, longestMs));
  const { subscribe, notify, isEmpty } = createListeners();
  const numbers = new Map<string, LiveNumbers>();
  const states = new Map<string, LiveStates>();
  let newestTs = -Infinity;
  let current: TimeSpan = { fromMs: 0, toMs: 0 };
  let timer: ReturnType<typeof setTimeout> | undefined;

  function advance(): void {
    const now = nowMs();
    const end = Math.max(now, Math.min(newestTs, now + windowMs * AHEAD_SHARE));
    const toMs = (Math.floor(end / stepMs) + 1) * stepMs;
    if (toMs === current.toMs) return;
    current = { fromMs: toMs - stepMs - windowMs, toMs };
    for (const series of numbers.values()) series.dropBefore(current.fromMs - stepMs);
    for (const series of states.values()) series.dropBefore(current.fromMs);
  }

  /** Moves the window in time, as long as there are subscribers. */
  function schedule(): void {
    timer = setTimeout(
      () => {
        const before = current;
        advance();
        schedule();
        if (current !== before) notify();
      },
      Math.max(MIN_WAIT_MS, current.toMs - nowMs()),
    );
  }

  function newNumbers(capacity: number): LiveNumbers {
    const bucketMs = Math.ceil(windowMs / FOLDED_BUCKETS);
    // One bucket more than the span and a step before it hold, so that none on screen is overwritten.
    const buckets = Math.ceil((windowMs + 2 * stepMs) / bucketMs) + 2;
    return new LiveNumbers(bucketMs, capacity, buckets);
  }

  function numbersOf(id: string): LiveNumbers {
    const series = numbers.get(id) ?? newNumbers(rawCapacity);
    numbers.set(id, series);
    return series;
  }

  function appendStates(id: string, ts: number[], value: (boolean | string)[]): void {
    const series = states.get(id) ?? new LiveStates(newNumbers(RAW_STATES));
    states.set(id, series);
    series.push(ts, value);
  }

  advance();

  return {
    span: () => current,
    numbers: (id) => numbers.get(id),
    states: (id) => states.get(id),
    subscribe(onChange) {
      advance();
      const unsubscribe = subscribe(onChange);
      if (timer === undefined) schedule();
      return () => {
        unsubscribe();
        if (!isEmpty()) return;
        clearTimeout(timer);
        timer = undefined;
      };
    },
    append(frame) {
      for (const { device, metric, ts, value, min, max, count } of frame.series) {
        if (ts.length === 0) continue;
        const id = seriesId(device, metric);
        // A metric's kind never changes, so a frame's values are all of one.
        if (value.every((each) => typeof each === 'number')) {
          if (min === undefined || max === undefined || count === undefined) numbersOf(id).push(ts, value);
          else numbersOf(id).pushBuckets({ ts, avg: value, min, max, count });
        } else if (value.every((each) => typeof each !== 'number')) appendStates(id, ts, value);
        for (const each of ts) if (each > newestTs) newestTs = each;
      }
      advance();
      notify();
    },
    clear() {
      numbers.clear();
      states.clear();
      newestTs = -Infinity;
      advance();
      notify();
    },
  };
}
