import { createParser } from 'eventsource-parser';
import { streamApi } from '#contract/stream.ts';
import { ApiError, hasCode } from '../api-error.ts';
import { openStream } from '../client.ts';
import { stateAfterFailures, type LiveState } from './live-status.ts';
import type { Subscriptions } from './live-subscriptions.ts';
import { backoffMs } from '../query-client.ts';
import { session } from '../session.ts';

/** The service sends a comment every 15 s. A stream without data for longer than this is dead. */
const SILENCE_MS = 40_000;
/** While rows scroll, the subscriptions change quickly: the stream is reopened after a pause. */
const REOPEN_AFTER_MS = 250;
/** The latest time to reopen the stream, if the subscriptions change without a pause. */
const REOPEN_WITHIN_MS = 1_000;

type Options = {
  subscriptions: () => Subscriptions;
  lastEventId: () => string | undefined;
  /** `isAgain`: an earlier stream was open, and the frames in between are lost. */
  onOpen: (requested: Subscriptions, isAgain: boolean) => void;
  onFrame: (name: string, data: string, id: string | undefined) => void;
  onBytes: () => void;
  onState: (state: LiveState) => void;
};

/** The stream of server-sent events: opened with the current subscriptions, and reopened when it breaks. */
export const createConnection = (options: Options) => {
  let open: AbortController | undefined;
  let requested: Subscriptions | undefined;
  let failures = 0;
  let wasBroken = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let silence: ReturnType<typeof setTimeout> | undefined;
  /** When the subscriptions began to differ from the subscriptions of the stream. */
  let outdatedSinceMs: number | undefined;

  const schedule = (delayMs: number) => {
    clearTimeout(timer);
    timer = setTimeout(() => void connect(), delayMs);
  };

  const expectBytes = (controller: AbortController) => {
    // The silence timer belongs to the current stream, not to a stream that is being replaced.
    if (controller !== open) return;
    clearTimeout(silence);
    silence = setTimeout(() => controller.abort(new Error('The stream is silent.')), SILENCE_MS);
  };

  const close = () => {
    clearTimeout(timer);
    clearTimeout(silence);
    open?.abort();
    open = undefined;
    requested = undefined;
  };

  const connect = async () => {
    clearTimeout(timer);
    outdatedSinceMs = undefined;
    if (session.get().status !== 'active') return;
    const controller = new AbortController();
    // The previous stream stays open until this one opens, so a new choice of series loses no samples.
    const before = open;
    open = controller;
    expectBytes(controller);
    const query = options.subscriptions();
    requested = query;
    try {
      const lastId = options.lastEventId();
      const headers: Record<string, string> = lastId === undefined ? {} : { 'last-event-id': lastId };
      const stream = await openStream(streamApi.open, { query, headers, signal: controller.signal });
      before?.abort();
      const parser = createParser({
        onEvent: ({ id, event, data }) => options.onFrame(event ?? 'message', data, id || undefined),
      });
      expectBytes(controller);
      options.onState('live');
      options.onBytes();
      failures = 0;
      options.onOpen(query, wasBroken);
      wasBroken = false;
      const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        expectBytes(controller);
        options.onBytes();
        parser.feed(part.value);
      }
      throw new Error('The stream ended.');
    } catch (error) {
      before?.abort();
      // Replaced or closed on purpose: nothing to retry.
      if (open !== controller) return;
      close();
      wasBroken = true;
      if (error instanceof ApiError && error.status === 401) return;
      if (hasCode(error, 'insufficient-scope')) {
        options.onState('forbidden');
        return;
      }
      failures += 1;
      options.onState(stateAfterFailures(failures));
      schedule(
        error instanceof ApiError && error.retryAfterMs !== null ? error.retryAfterMs : backoffMs(failures),
      );
    }
  };

  return {
    open: () => {
      if (open === undefined) void connect();
    },
    /** Reopens the stream if the subscriptions have changed. */
    refresh: () => {
      if (requested === undefined || JSON.stringify(options.subscriptions()) === JSON.stringify(requested))
        return;
      // Ten tabs send their subscriptions more often than every 250 ms, which must not postpone the new stream forever.
      outdatedSinceMs ??= performance.now();
      const latestMs = outdatedSinceMs + REOPEN_WITHIN_MS - performance.now();
      schedule(Math.max(0, Math.min(REOPEN_AFTER_MS, latestMs)));
    },
    retryNow: () => {
      failures = 0;
      void connect();
    },
    close,
  };
};
