import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { WebhookTest } from '#contract/webhooks.ts';
import type { Transact } from '../events/event-store.ts';
import type { Live } from '../platform/live.ts';
import type { Outbound } from '../platform/outbound/outbound.ts';
import type { Db } from '../platform/storage/database.ts';
import { callWebhook } from './call-webhook.ts';
import { settleCall } from './settle-call.ts';
import { findDueCall, listDueWebhooks } from './webhook-call-store.ts';
import { withClaim } from './webhook-claim.ts';
import type { WebhookRow } from './webhook-store.ts';

/** Calls in flight at a time; of one webhook only one. */
const MAX_CALLS = 8;
/** Of these so many to webhooks whose last call failed: those that hang leave room for the others. */
const MAX_FAILING_CALLS = 4;
/** A call whose outcome could not be written down is not repeated at once. */
const PAUSE_AFTER_FAULT_MS = 5_000;

export type WebhookSender = {
  /** Begins to call; what is pending from before is taken up. */
  start(): void;
  /** Calls a webhook now, with something that is no event; counts nowhere. */
  test(webhook: WebhookRow, call: { id: string; body: string }): Promise<WebhookTest>;
  /** Ends the calls in flight, which stay pending. */
  close(): Promise<void>;
};

/**
 * Makes the calls that are due. At least once: a call goes only when the receiver has taken it, and keeps its
 * `webhook-id` over all tries. The calls of one webhook are made one after another, in the order of their events; one
 * that fails is tried again by a schedule of its own, and holds up none that come after it. So a receiver that was
 * away sees older events after newer ones, and goes by their `timestamp`.
 */
export const createWebhookSender = (deps: {
  db: Db;
  transact: Transact;
  live: Pick<Live, 'subscribe'>;
  log: Logger;
  now: () => number;
  outbound: Outbound;
  version: string;
  /** How often the sender checks for deliveries that are due. */
  checkEveryMs: number;
}): WebhookSender => {
  const { db, live, log, now } = deps;
  const inFlight = new Map<string, { isFailing: boolean; done: Promise<void> }>();
  /** When those that still have something due were last served: who waits longest is next. */
  const servedAt = new Map<string, number>();
  const stopping = new AbortController();

  const serve = async (webhook: WebhookRow): Promise<void> => {
    const call = await findDueCall(db, webhook.id, now());
    if (call === undefined) return;
    const { signal } = stopping;
    const outcome = await callWebhook(deps, webhook, { id: call.event_id, body: call.body }, signal);
    if (signal.aborted && !outcome.ok) return;
    if (!outcome.ok) log.info({ webhook: webhook.id, detail: outcome.detail }, 'a webhook call failed');
    await settleCall(deps, webhook, call, outcome);
  };

  const begin = (webhook: WebhookRow): void => {
    servedAt.set(webhook.id, performance.now());
    const done = withClaim(db, webhook.id, now(), () => serve(webhook))
      .catch(async (error: unknown) => {
        log.error({ err: error, webhook: webhook.id }, 'a webhook call could not be settled');
        await delay(PAUSE_AFTER_FAULT_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
      })
      .finally(() => {
        inFlight.delete(webhook.id);
        look();
      });
    inFlight.set(webhook.id, { isFailing: webhook.state === 'failing', done });
  };

  const hasRoomFor = ({ state }: WebhookRow): boolean =>
    inFlight.size < MAX_CALLS &&
    (state !== 'failing' ||
      [...inFlight.values()].filter(({ isFailing }) => isFailing).length < MAX_FAILING_CALLS);

  const fill = async (): Promise<void> => {
    const due = await listDueWebhooks(db, now());
    const dueIds = new Set(due.map(({ id }) => id));
    for (const id of servedAt.keys()) if (!dueIds.has(id)) servedAt.delete(id);
    const waiting = due
      .filter(({ id }) => !inFlight.has(id))
      .toSorted((a, b) => (servedAt.get(a.id) ?? 0) - (servedAt.get(b.id) ?? 0));
    for (const webhook of waiting) if (hasRoomFor(webhook) && !stopping.signal.aborted) begin(webhook);
  };

  let isStarted = false;
  let filling: Promise<void> | undefined;
  let isAskedAgain = false;
  /** Looks for due calls; asked while it looks, it looks once more. */
  const look = (): void => {
    if (!isStarted || stopping.signal.aborted) return;
    isAskedAgain = true;
    filling ??= (async () => {
      try {
        while (isAskedAgain) {
          isAskedAgain = false;
          await fill();
        }
      } catch (error) {
        log.error({ err: error }, 'due webhook calls could not be looked up');
      } finally {
        filling = undefined;
      }
    })();
  };

  const timer = setInterval(look, deps.checkEveryMs);
  const unsubscribe = live.subscribe('event', look);

  return {
    start: () => {
      isStarted = true;
      look();
    },
    test: (webhook, call) => callWebhook(deps, webhook, call, stopping.signal),
    close: async () => {
      clearInterval(timer);
      unsubscribe();
      stopping.abort();
      await filling;
      await Promise.all([...inFlight.values()].map(({ done }) => done));
    },
  };
};
