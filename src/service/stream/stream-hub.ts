import type { ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { Scope } from '#contract/scope.ts';
import type { Actor, Authenticator } from '../platform/http/auth.ts';
import { HttpProblem, overloaded } from '../platform/http/http-problem.ts';
import type { LiveBus, LiveTopics } from '../platform/live-bus.ts';
import type { DiskGuard } from '../platform/storage/disk-guard.ts';
import type { Db } from '../platform/storage/database.ts';
import { findByIds, deviceOf } from '../devices/device-store.ts';
import { findActiveActors } from './active-actors.ts';
import { createSampleGroups } from './sample-groups.ts';
import { createStreamClient, frameText, type StreamClient } from './stream-client.ts';

const TICK_MS = 250;
const TICKS_A_SWEEP = 2;
const TICKS_A_HEARTBEAT = 60;
/** How long a client may not read waiting bytes. */
const MAX_TICKS_BEHIND = 120;
/** Each stream uses memory, up to MAX_WAITING_BYTES if its client does not read. */
const MAX_STREAMS = 2_000;
/** A program that opens streams and never closes them must not block others. */
const MAX_STREAMS_OF_ONE = 1_000;
/** The limit of waiting bytes for all clients. Above it, the clients with the most waiting bytes are disconnected. */
const MAX_TOTAL_BYTES = 67_108_864;
const RETRY_AFTER_S = 5;

type Subscription = {
  /** The ID that the client chose, if any. */
  id: string | undefined;
  /** The ID of an earlier stream of the actor, if any. */
  replaces: string | undefined;
  actor: Actor;
  token: string;
  /** The IP address of the client. */
  from: string;
  /** IDs of the devices to send `lastSeenAt` of, including those to send samples of. */
  seen: ReadonlySet<string>;
  asked: ReadonlySet<string>;
  /** Undefined: all. */
  metrics: ReadonlySet<string> | undefined;
  /** Undefined: the actor may not read events. */
  events?: {
    /** `seq`: the position of the event in the log. */
    send: (seq: number, text: () => string) => void;
    /** `isContinued`: an earlier stream sends all events until now. */
    begin: (client: StreamClient, start: { isContinued: boolean }) => Promise<void>;
  };
};

type Open = Subscription & {
  client: StreamClient;
  mayDevices: boolean;
  mayPipelines: boolean;
  devices: ReadonlySet<string> | null;
  /** While the current state of `seen` is read: the devices of which a newer frame was sent. */
  newer: Set<string> | undefined;
  ticksBehind: number;
  close: () => void;
  /** Sends the frames that still wait for this stream, then closes it. */
  replace: () => void;
};

/** Creates the text of a frame at its first use. */
const once = (make: () => string): (() => string) => {
  let text: string | undefined;
  return () => (text ??= make());
};

export type StreamHub = {
  /** @throws HttpProblem `overloaded` if the stream limit is reached */
  requireRoom(actor: Actor): void;
  /**
   * Sends a client the frames that it follows and may read, until the client disconnects, its token ends, or another
   * stream replaces this one.
   */
  open(response: ServerResponse, subscription: Subscription): void;
  /** The number of open streams, and the waiting bytes in memory. */
  figures(): { open: number; waitingBytes: number };
  /** The devices that streams follow. */
  followed(): Iterable<string>;
  closeAll(): void;
  close(): Promise<void>;
};

/** All open streams. Receives each message once and sends it to the clients that follow it. */
export const createStreamHub = (deps: {
  db: Db;
  live: LiveBus;
  log: Logger;
  now: () => number;
  authenticator: Authenticator;
  disk: Pick<DiskGuard, 'state'>;
}): StreamHub => {
  const { db, disk, live, log, now, authenticator } = deps;
  const streams = new Set<Open>();
  /** Streams that were replaced, while they send their last frames. */
  const leaving = new Set<Open>();
  const all = (): Open[] => [...streams, ...leaving];
  const bySeen = new Map<string, Set<Open>>();
  const groups = createSampleGroups(live);

  const closeWhere = (isOver: (stream: Open) => boolean): void => {
    for (const stream of all()) if (isOver(stream)) stream.close();
  };

  const endReplaced = ({ actorId, streamId }: LiveTopics['replaced']): Open | undefined => {
    const earlier = [...streams].find(({ id, actor }) => id === streamId && actor.id === actorId);
    earlier?.replace();
    return earlier;
  };

  const subscriptions = [
    live.subscribe('device', ({ frame, hasChangedState }) => {
      const text = once(() => frameText('device', frame));
      for (const stream of (hasChangedState ? streams : bySeen.get(frame.id)) ?? []) {
        const { client, mayDevices, devices, newer } = stream;
        if (!mayDevices || (devices !== null && !devices.has(frame.id))) continue;
        newer?.add(frame.id);
        client.send(text());
      }
    }),
    live.subscribe('pipeline', (frame) => {
      const text = once(() => frameText('pipeline', frame));
      for (const { client, mayPipelines } of streams) if (mayPipelines) client.send(text());
    }),
    live.subscribe('event', ({ event, seq }) => {
      const text = once(() => frameText('event', event, event.id));
      for (const { events } of streams) events?.send(seq, text);
    }),
    live.subscribe('storage', (frame) => {
      const text = once(() => frameText('storage', frame));
      for (const { client } of streams) client.send(text());
    }),
    live.subscribe('replaced', (message) => void endReplaced(message)),
    live.subscribe('ended', ({ actorId }) =>
      closeWhere(({ actor }) => actor.id === actorId || actor.key?.id === actorId),
    ),
  ];

  /** Sends the state of the followed devices: a change since the client read it had no stream to be sent on. */
  const sendCurrent = async (stream: Open): Promise<void> => {
    const { client, seen, newer } = stream;
    for (const row of await findByIds(db, [...seen])) {
      if (row.deleted_at !== null || newer?.has(row.id) === true) continue;
      const { id, state, lastSeenAt } = deviceOf(row);
      client.send(frameText('device', { id, state, lastSeenAt }));
    }
    stream.newer = undefined;
  };

  /**
   * Checks the sessions and keys of open streams again: they may have expired, or ended while the stream was opened.
   */
  const sweep = async (): Promise<void> => {
    const before = all();
    const lives = await findActiveActors(
      db,
      before.map(({ actor }) => actor),
      now(),
    );
    for (const stream of before) if (!lives(stream.actor)) stream.close();
  };

  /** Records that the sessions and keys of open streams are in use. */
  const recordTokenUse = (): void => {
    const tokens = new Map([...streams].map(({ token, from }) => [token, from]));
    // The sweep finds tokens that have ended.
    for (const [token, from] of tokens)
      void authenticator(token, from).catch((error: unknown) => {
        if (!(error instanceof HttpProblem)) log.error({ err: error }, 'could not record the use of a token');
      });
  };

  const cutOff = (stream: Open): void => {
    log.info(
      { from: stream.from, actor: stream.actor.id },
      'disconnected a stream because its client does not read it',
    );
    stream.client.cutOff();
    stream.close();
  };

  const waitingBytes = (): number =>
    all().reduce((sum, { client }) => sum + client.waitingBytes(), groups.waitingBytes());

  const boundMemory = (): void => {
    let total = waitingBytes();
    if (total <= MAX_TOTAL_BYTES) return;
    const waiting = all().map((stream) => ({ stream, bytes: stream.client.waitingBytes() }));
    for (const { stream, bytes } of waiting.toSorted((a, b) => b.bytes - a.bytes)) {
      if (total <= MAX_TOTAL_BYTES) return;
      cutOff(stream);
      total -= bytes;
    }
  };

  let ticks = 0;
  let sweeping: Promise<void> | undefined;
  const timer = setInterval(() => {
    if (streams.size + leaving.size === 0) return;
    ticks += 1;
    groups.flush();
    for (const stream of streams) {
      stream.client.catchUp();
      stream.ticksBehind = stream.client.isBehind() ? stream.ticksBehind + 1 : 0;
      if (stream.ticksBehind > MAX_TICKS_BEHIND) cutOff(stream);
    }
    boundMemory();
    if (ticks % TICKS_A_HEARTBEAT === 0) {
      for (const { client } of streams) client.send(': \n\n');
      recordTokenUse();
    }
    if (ticks % TICKS_A_SWEEP === 0)
      sweeping ??= sweep()
        .catch((error: unknown) => log.error({ err: error }, 'could not read the tokens of open streams'))
        .finally(() => {
          sweeping = undefined;
        });
  }, TICK_MS);

  return {
    requireRoom: (actor) => {
      const open = all();
      const ofOne = open.filter((stream) => stream.actor.id === actor.id).length;
      if (open.length < MAX_STREAMS && ofOne < MAX_STREAMS_OF_ONE) return;
      throw overloaded(
        ofOne >= MAX_STREAMS_OF_ONE
          ? `This token has reached the limit of ${ofOne} open streams. Close unused streams.`
          : `Stream limit (${MAX_STREAMS}) reached. Try again later.`,
        RETRY_AFTER_S,
      );
    },

    open: (response, subscription) => {
      const { replaces, actor, seen, asked, metrics, events } = subscription;
      const may = (scope: Scope) => actor.scopes.includes(scope);
      const client = createStreamClient(response);
      const samples = groups.join(client, { devices: may('telemetry:read') ? asked : new Set(), metrics });
      const begun = Promise.withResolvers<void>();
      const leave = (): boolean => {
        if (!streams.delete(stream)) return false;
        samples.leave();
        for (const device of seen) {
          const ofDevice = bySeen.get(device);
          ofDevice?.delete(stream);
          if (ofDevice?.size === 0) bySeen.delete(device);
        }
        return true;
      };
      const stream: Open = {
        ...subscription,
        client,
        mayDevices: may('devices:read'),
        mayPipelines: may('pipelines:read'),
        devices: actor.devices === null ? null : new Set(actor.devices),
        newer: new Set(),
        ticksBehind: 0,
        close: () => {
          if (leave()) client.end();
          else if (leaving.delete(stream)) client.cutOff();
        },
        replace: () => {
          samples.sendWaiting();
          if (!leave()) return;
          leaving.add(stream);
          void begun.promise.then(() => client.end({ isReplaced: true }));
        },
      };
      const replaced = replaces === undefined ? undefined : { actorId: actor.id, streamId: replaces };
      const earlier = replaced === undefined ? undefined : endReplaced(replaced);
      streams.add(stream);
      // The client may have read the state before the disk became full.
      if (disk.state() !== 'writable') client.send(frameText('storage', { state: disk.state() }));
      for (const id of seen) bySeen.set(id, (bySeen.get(id) ?? new Set()).add(stream));
      // Another process may have the earlier stream.
      if (replaced !== undefined && earlier === undefined) live.publish('replaced', replaced);
      response.on('close', stream.close);
      response.on('error', stream.close);
      // The client may have gone while its devices were looked up.
      if (response.destroyed || response.closed) stream.close();
      // The client reads what it missed after it has opened the stream again.
      const cutOffAfter = (error: unknown, message: string): void => {
        client.cutOff();
        stream.close();
        log.error({ err: error }, message);
      };
      if (stream.mayDevices && seen.size > 0)
        sendCurrent(stream).catch((error: unknown) =>
          cutOffAfter(error, 'could not read the devices of a stream'),
        );
      else stream.newer = undefined;
      const beginning = events?.begin(client, { isContinued: earlier !== undefined });
      void Promise.resolve(beginning)
        .catch((error: unknown) => cutOffAfter(error, 'could not read the events of a stream'))
        .finally(begun.resolve);
    },

    figures: () => ({ open: streams.size + leaving.size, waitingBytes: waitingBytes() }),
    followed: () => bySeen.keys(),
    closeAll: () => closeWhere(() => true),

    close: async () => {
      clearInterval(timer);
      for (const unsubscribe of subscriptions) unsubscribe();
      closeWhere(() => true);
      await sweeping;
    },
  };
};
