import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { WebhookTest } from '#contract/webhooks.ts';
import type { Transact } from '../events/event-store.ts';
import type { LiveBus } from '../platform/live-bus.ts';
import type { Tracing } from '../platform/tracing.ts';
import type { Outbound } from '../platform/outbound/outbound.ts';
import { inWrite, type Db } from '../platform/storage/database.ts';
import { LeaseLost, type Lease } from '../platform/storage/lease.ts';
import { deliverToWebhook } from './deliver-to-webhook.ts';
import { settleWebhookDelivery } from './settle-webhook-delivery.ts';
import { findDueDelivery, listDueWebhooks } from './webhook-delivery-store.ts';
import { closeDigest, hasDueDigest } from './webhook-digest-store.ts';
import type { WebhookRow } from './webhook-store.ts';

/** The limit of concurrent deliveries. Each webhook has at most one. */
const MAX_DELIVERIES = 8;
/** The limit of concurrent deliveries to failing webhooks, so that slow ones leave room for others. */
const MAX_FAILING_DELIVERIES = 4;
/** The wait after a digest or an outcome could not be written. */
const WAIT_AFTER_ERROR_MS = 5_000;

export type WebhookSender = {
  /** Starts sending, including deliveries that are pending from before. */
  start(): void;
  /** Sends a test delivery, which is not counted. */
  test(webhook: WebhookRow, delivery: { id: string; body: string }): Promise<WebhookTest>;
  /** Aborts running deliveries, which stay pending. */
  close(): Promise<void>;
};

/**
 * Sends due deliveries, at least once: a delivery is deleted after the receiver has accepted it, and keeps its
 * `webhook-id` over all attempts. The deliveries of a webhook are sent one after another, in the order of their events.
 * A failed one is retried on its own schedule and does not delay later ones. After an outage, a receiver may therefore
 * get older events after newer ones, and should use their `timestamp`. Only the holder of the lease sends.
 */
export const createWebhookSender = (deps: {
  db: Db;
  transact: Transact;
  live: Pick<LiveBus, 'subscribe'>;
  log: Logger;
  tracing: Pick<Tracing, 'span'>;
  lease: Lease;
  now: () => number;
  outbound: Outbound;
  version: string;
  /** How often the sender checks for deliveries that are due. */
  checkEveryMs: number;
}): WebhookSender => {
  const { db, live, log, lease, now, tracing } = deps;
  const inFlight = new Map<string, { isFailing: boolean; done: Promise<void> }>();
  /** When webhooks with due deliveries were last served. The one that waits longest is next. */
  const servedAt = new Map<string, number>();
  const stopping = new AbortController();

  const serve = async (webhook: WebhookRow): Promise<void> => {
    if (await hasDueDigest(db, webhook.id, now()))
      await inWrite(db, async (tx) => {
        await lease.requireHeld(tx);
        await closeDigest(tx, webhook.id, now());
      });
    const delivery = await findDueDelivery(db, webhook.id, now());
    // This process may have been suspended meanwhile.
    if (delivery === undefined || !lease.isHeld()) return;
    const signal = AbortSignal.any([stopping.signal, lease.signal()]);
    const outcome = await deliverToWebhook(
      deps,
      webhook,
      { id: delivery.event_id, body: delivery.body },
      signal,
    );
    if (signal.aborted && !outcome.ok) return;
    if (!outcome.ok) log.info({ webhook: webhook.id, detail: outcome.detail }, 'a webhook delivery failed');
    await settleWebhookDelivery(deps, webhook, delivery, outcome);
  };

  const begin = (webhook: WebhookRow): void => {
    servedAt.set(webhook.id, performance.now());
    const done = tracing
      .span('notify webhook', { 'penstock.webhook': webhook.id }, () => serve(webhook), { isRoot: true })
      .catch(async (error: unknown) => {
        if (error instanceof LeaseLost) return;
        log.error({ err: error, webhook: webhook.id }, 'could not write a webhook delivery or its outcome');
        await delay(WAIT_AFTER_ERROR_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
      })
      .finally(() => {
        inFlight.delete(webhook.id);
        checkForDue();
      });
    inFlight.set(webhook.id, { isFailing: webhook.state === 'retrying', done });
  };

  const hasRoomFor = ({ state }: WebhookRow): boolean =>
    inFlight.size < MAX_DELIVERIES &&
    (state !== 'retrying' ||
      [...inFlight.values()].filter(({ isFailing }) => isFailing).length < MAX_FAILING_DELIVERIES);

  const startDue = async (): Promise<void> => {
    const due = await listDueWebhooks(db, now());
    const dueIds = new Set(due.map(({ id }) => id));
    for (const id of servedAt.keys()) if (!dueIds.has(id)) servedAt.delete(id);
    const waiting = due
      .filter(({ id }) => !inFlight.has(id))
      .toSorted((a, b) => (servedAt.get(a.id) ?? 0) - (servedAt.get(b.id) ?? 0));
    for (const webhook of waiting) if (hasRoomFor(webhook) && !stopping.signal.aborted) begin(webhook);
  };

  let isStarted = false;
  let checking: Promise<void> | undefined;
  let isCheckRequested = false;
  /** Checks for due deliveries. If called during a check, checks once more. */
  const checkForDue = (): void => {
    if (!isStarted || stopping.signal.aborted || !lease.isHeld()) return;
    isCheckRequested = true;
    checking ??= (async () => {
      try {
        while (isCheckRequested) {
          isCheckRequested = false;
          await startDue();
        }
      } catch (error) {
        log.error({ err: error }, 'could not look up due webhook deliveries');
      } finally {
        checking = undefined;
      }
    })();
  };

  const timer = setInterval(checkForDue, deps.checkEveryMs);
  const unsubscribe = live.subscribe('event', checkForDue);
  lease.onChange(checkForDue);

  return {
    start: () => {
      isStarted = true;
      checkForDue();
    },
    test: (webhook, delivery) => deliverToWebhook(deps, webhook, delivery, stopping.signal),
    close: async () => {
      clearInterval(timer);
      unsubscribe();
      stopping.abort();
      await checking;
      await Promise.all([...inFlight.values()].map(({ done }) => done));
    },
  };
};
