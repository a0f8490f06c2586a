import { createParser } from 'eventsource-parser';
import type * as z from 'zod';
import { streamApi, streamFrames, type StreamFrame, type StreamKind } from '#contract/stream.ts';
import { ApiError } from './api-error.ts';
import { openStream } from './client.ts';
import { liveStatus } from './live-status.ts';
import { backOffMs } from './query-client.ts';
import { session } from './session.ts';

/** What a part of the page wants to follow: when devices were last seen, or the samples of some of their metrics. */
export type Watch = {
  devices: readonly string[];
  metrics?: readonly string[];
  /** Called once, as the stream that follows it opens: what came before that is to be read. */
  onOpen?: () => void;
};

export type LiveHandlers = {
  onFrame: <K extends StreamKind>(kind: K, frame: StreamFrame<K>) => void;
  /** Something was missed: read again what is on screen. */
  onGap: () => void;
};

/** The service writes a comment every 15 s; a stream that is silent for longer than this is dead. */
const SILENCE_MS = 40_000;
const CLOSE_HIDDEN_AFTER_MS = 10_000;
/** Rows scroll by quickly; the stream is opened anew once they rest. */
const REOPEN_AFTER_MS = 250;
const OFFLINE_AFTER_TRIES = 3;
const MAX_WATCHED = 200;

const isKind = (name: string): name is StreamKind => Object.hasOwn(streamFrames, name);

/** One server-sent-events stream for the visible tab, which follows what the parts of the page ask for. */
export const createLive = (handlers: LiveHandlers) => {
  const watches = new Set<Watch>();
  const opened = new WeakSet<Watch>();
  let lastEventId: string | undefined;
  let open: AbortController | undefined;
  let failures = 0;
  let hadGap = false;
  let openedQuery = '';
  let running = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let hiding: ReturnType<typeof setTimeout> | undefined;
  let silence: ReturnType<typeof setTimeout> | undefined;

  const wanted = () => {
    const seen = new Set<string>();
    const device = new Set<string>();
    const metric = new Set<string>();
    for (const watch of watches) {
      const devices = watch.metrics === undefined ? seen : device;
      for (const id of watch.devices) devices.add(id);
      for (const name of watch.metrics ?? []) metric.add(name);
    }
    for (const id of device) seen.delete(id);
    const listed = (names: Set<string>) => [...names].slice(0, MAX_WATCHED).toSorted();
    return { seen: listed(seen), device: listed(device), metric: listed(metric) };
  };

  const schedule = (delayMs: number) => {
    clearTimeout(timer);
    timer = setTimeout(() => void connect(), delayMs);
  };

  const stop = () => {
    clearTimeout(timer);
    clearTimeout(silence);
    open?.abort();
    open = undefined;
  };

  const deliver = (name: string, data: string) => {
    if (!isKind(name)) return;
    if (name === 'reset') {
      lastEventId = undefined;
      handlers.onGap();
      return;
    }
    const schema: z.ZodType = streamFrames[name];
    const frame = schema.safeParse(JSON.parse(data));
    // A frame of a newer service that is not understood: the next read tells.
    if (frame.success) handlers.onFrame(name, frame.data as StreamFrame<typeof name>);
  };

  const expectBytes = (controller: AbortController) => {
    clearTimeout(silence);
    silence = setTimeout(() => controller.abort(new Error('The stream is silent.')), SILENCE_MS);
  };

  const connect = async () => {
    clearTimeout(timer);
    if (!running || session.get().status !== 'active') return;
    const controller = new AbortController();
    // The stream before is heard until this one is open, so that a new choice of series loses nothing.
    const before = open;
    open = controller;
    expectBytes(controller);
    const query = wanted();
    openedQuery = JSON.stringify(query);
    const followed = [...watches];
    try {
      const headers: Record<string, string> =
        lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
      const stream = await openStream(streamApi.open, { query, headers, signal: controller.signal });
      before?.abort();
      for (const watch of followed) {
        if (!opened.has(watch)) watch.onOpen?.();
        opened.add(watch);
      }
      const parser = createParser({
        onEvent: ({ id, event, data }) => {
          if (id !== undefined && id !== '') lastEventId = id;
          deliver(event ?? 'message', data);
        },
      });
      liveStatus.set('live');
      liveStatus.heard();
      failures = 0;
      // States and ages are told only as they change: what passed while nobody listened must be read.
      if (hadGap) handlers.onGap();
      hadGap = false;
      const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        expectBytes(controller);
        liveStatus.heard();
        parser.feed(part.value);
      }
      throw new Error('The stream ended.');
    } catch (error) {
      before?.abort();
      // Replaced or stopped on purpose: nothing to mend.
      if (open !== controller) return;
      stop();
      hadGap = true;
      if (error instanceof ApiError && error.status === 401) return;
      failures += 1;
      liveStatus.set(failures >= OFFLINE_AFTER_TRIES ? 'offline' : 'reconnecting');
      schedule(
        error instanceof ApiError && error.retryAfterMs !== null ? error.retryAfterMs : backOffMs(failures),
      );
    }
  };

  const onVisibility = () => {
    if (!running) return;
    // Apart from the timer of the next opening: what is to be followed soon still is when the tab was hidden between.
    clearTimeout(hiding);
    if (document.hidden) {
      hiding = setTimeout(() => {
        stop();
        hadGap = true;
        liveStatus.set('paused');
      }, CLOSE_HIDDEN_AFTER_MS);
    } else if (open === undefined) void connect();
  };

  const onOnline = () => {
    if (running && open === undefined) void connect();
  };

  return {
    start: () => {
      running = true;
      document.addEventListener('visibilitychange', onVisibility);
      window.addEventListener('online', onOnline);
      const unsubscribe = session.subscribe(() => {
        if (session.get().status === 'active') void connect();
        else stop();
      });
      void connect();
      return () => {
        running = false;
        clearTimeout(hiding);
        stop();
        // What begins anew begins with this, so that those who wait for the stream see it come.
        liveStatus.set('connecting');
        unsubscribe();
        document.removeEventListener('visibilitychange', onVisibility);
        window.removeEventListener('online', onOnline);
      };
    },
    /** Follows what `watch` names until the function that it answers is called. */
    watch: (watch: Watch) => {
      watches.add(watch);
      const refresh = () => {
        if (running && open !== undefined && JSON.stringify(wanted()) !== openedQuery)
          schedule(REOPEN_AFTER_MS);
      };
      if (running && open !== undefined && JSON.stringify(wanted()) === openedQuery && !opened.has(watch)) {
        // The stream that is open follows it already.
        opened.add(watch);
        queueMicrotask(() => watch.onOpen?.());
      }
      refresh();
      return () => {
        watches.delete(watch);
        refresh();
      };
    },
    retryNow: () => {
      failures = 0;
      void connect();
    },
  };
};
