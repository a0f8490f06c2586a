import { createParser } from 'eventsource-parser';
import { streamApi } from '#contract/stream.ts';
import { ApiError, hasCode } from '../api-error.ts';
import { openStream } from '../client.ts';
import { stateAfterFailures, type LiveState } from './live-status.ts';
import type { Subscriptions } from './live-subscriptions.ts';
import { randomUuid } from '../random-uuid.ts';
import { backoffMs } from '../query-client.ts';
import { session } from '../session.ts';

/** The service sends a comment every 15 s. A stream without data for longer than this is dead. */
const SILENCE_MS = 40_000;
/** While rows scroll, the subscriptions change quickly: the stream is reopened after a pause. */
const REOPEN_AFTER_MS = 250;
/** The latest time to reopen the stream, if the subscriptions change without a pause. */
const REOPEN_WITHIN_MS = 1_000;
/** How long a stream that was replaced may take to deliver its last frames. */
const LAST_FRAMES_WITHIN_MS = 30_000;

type Options = {
  subscriptions: () => Subscriptions;
  lastEventId: () => string | undefined;
  /** The stream can be resumed after this event. */
  onEventId: (id: string) => void;
  /** `isAgain`: an earlier stream was open, and the frames in between are lost. */
  onOpen: (requested: Subscriptions, isAgain: boolean) => void;
  onFrame: (name: string, data: string, id: string | undefined) => void;
  onBytes: () => void;
  onState: (state: LiveState) => void;
};

type Stream = {
  id: string;
  controller: AbortController;
  /** Whether the stream has delivered all its frames. Resolves when it ends or breaks. */
  isComplete: Promise<boolean>;
};

/**
 * The stream of server-sent events: opened with the current subscriptions, and reopened when it breaks. When the subscriptions
 * change, another stream replaces it, whose frames are delivered after the last frame of the earlier stream.
 */
export const createConnection = (options: Options) => {
  let open: Stream | undefined;
  /** The stream that `open` replaces, until it has ended. */
  let replaced: Stream | undefined;
  /** Whether `open` waits for its response or for the end of the stream that it replaces. */
  let isReplacing = false;
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

  const expectBytes = (stream: Stream) => {
    // The silence timer belongs to the current stream, not to a stream that is being replaced.
    if (stream !== open) return;
    clearTimeout(silence);
    silence = setTimeout(() => stream.controller.abort(new Error('The stream is silent.')), SILENCE_MS);
  };

  const close = () => {
    clearTimeout(timer);
    clearTimeout(silence);
    open?.controller.abort();
    replaced?.controller.abort();
    open = undefined;
    replaced = undefined;
    requested = undefined;
    isReplacing = false;
  };

  /** Resolves when the earlier stream has delivered its last frame, with false if it did not. */
  const readToEnd = async (earlier: Stream): Promise<boolean> => {
    const timeout = setTimeout(() => earlier.controller.abort(), LAST_FRAMES_WITHIN_MS);
    const isComplete = await earlier.isComplete;
    clearTimeout(timeout);
    return isComplete;
  };

  const connect = async () => {
    clearTimeout(timer);
    outdatedSinceMs = undefined;
    if (session.get().status !== 'active') return;
    const ended = Promise.withResolvers<boolean>();
    let isComplete = false;
    const stream: Stream = {
      id: randomUuid(),
      controller: new AbortController(),
      isComplete: ended.promise,
    };
    // The earlier stream stays open until this one opens, so that a new choice of series loses no samples.
    const earlier = open;
    replaced = earlier;
    open = stream;
    isReplacing = true;
    expectBytes(stream);
    const query = options.subscriptions();
    requested = query;
    try {
      const lastId = options.lastEventId();
      const headers: Record<string, string> = lastId === undefined ? {} : { 'last-event-id': lastId };
      const { signal } = stream.controller;
      const body = await openStream(streamApi.open, {
        query: { ...query, id: stream.id, replaces: earlier?.id },
        headers,
        signal,
      });
      const isRead = earlier === undefined || (await readToEnd(earlier));
      signal.throwIfAborted();
      replaced = undefined;
      if (!isRead) wasBroken = true;
      const parser = createParser({
        onId: options.onEventId,
        onComment: (comment) => {
          if (comment.trim() === 'replaced') isComplete = true;
        },
        onEvent: ({ id, event, data }) => options.onFrame(event ?? 'message', data, id || undefined),
      });
      expectBytes(stream);
      options.onState('live');
      options.onBytes();
      failures = 0;
      options.onOpen(query, wasBroken);
      wasBroken = false;
      isReplacing = false;
      refresh();
      const reader = body.pipeThrough(new TextDecoderStream()).getReader();
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        signal.throwIfAborted();
        expectBytes(stream);
        options.onBytes();
        parser.feed(part.value);
      }
      if (open === stream) throw new Error('The stream ended.');
    } catch (error) {
      earlier?.controller.abort();
      // Replaced or closed on purpose: nothing to retry.
      if (open !== stream) return;
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
    } finally {
      ended.resolve(isComplete);
    }
  };

  /** Replaces the stream if the subscriptions have changed. */
  const refresh = () => {
    if (isReplacing || requested === undefined) return;
    if (JSON.stringify(options.subscriptions()) === JSON.stringify(requested)) return;
    // Ten tabs send their subscriptions more often than every 250 ms, which must not postpone the new stream forever.
    outdatedSinceMs ??= performance.now();
    const latestMs = outdatedSinceMs + REOPEN_WITHIN_MS - performance.now();
    schedule(Math.max(0, Math.min(REOPEN_AFTER_MS, latestMs)));
  };

  return {
    open: () => {
      if (open === undefined) void connect();
    },
    refresh,
    retryNow: () => {
      failures = 0;
      if (open !== undefined) wasBroken = true;
      close();
      void connect();
    },
    close,
  };
};
