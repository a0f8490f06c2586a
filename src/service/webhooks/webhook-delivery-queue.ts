import type { Event } from '#contract/events.ts';
import { hasTag } from '#contract/tag.ts';
import { deliveryTypeOf, type EventDevice, type WebhookDelivery } from '#contract/webhook-events.ts';
import type { EventHook } from '../events/event-store.ts';
import type { Db } from '../platform/storage/database.ts';
import {
  countPending,
  insertDeliveries,
  listListeners,
  type WebhookDeliveryRow,
} from './webhook-delivery-store.ts';
import { addToDigest } from './webhook-digest-store.ts';
import { eventsOf } from './webhook-store.ts';

type Listener = { id: string; types: ReadonlySet<string>; tag: string | null; isDigest: boolean };

/** The devices with these IDs, as they are after the events. */
type FindDevices = (tx: Db, ids: readonly string[]) => Promise<ReadonlyMap<string, EventDevice>>;

const readListeners = async (tx: Db): Promise<Listener[]> =>
  (await listListeners(tx)).map((row) => ({
    id: row.id,
    types: new Set(eventsOf(row)),
    tag: row.tag,
    isDigest: row.digest === 1,
  }));

/** The deliveries of the events that a webhook chooses, whatever their devices. */
const chosenDeliveries = ({ id, types }: Listener, events: readonly Event[]): WebhookDelivery[] =>
  events.flatMap((event) => {
    const type = deliveryTypeOf(types, event);
    // A webhook does not get events about its own state, which would cause an endless loop.
    const isOwnState = event.type === 'webhook.state-changed' && event.subject.id === id;
    return type === undefined || isOwnState ? [] : [{ type, timestamp: event.at, data: event }];
  });

const deviceIdOf = ({ subject }: Event): string | undefined =>
  subject.type === 'device' ? subject.id : undefined;

/** The deliveries with their devices, without those whose device lacks the tag. */
const withDevices = (
  deliveries: readonly WebhookDelivery[],
  devices: ReadonlyMap<string, EventDevice>,
  tag: string | null,
): WebhookDelivery[] =>
  deliveries.flatMap((delivery) => {
    const deviceId = deviceIdOf(delivery.data);
    if (deviceId === undefined) return [delivery];
    const device = devices.get(deviceId);
    if (tag !== null && !hasTag(device?.tags ?? {}, tag)) return [];
    return device === undefined ? [delivery] : [{ ...delivery, data: { ...delivery.data, device } }];
  });

const rowOf =
  (webhookId: string) =>
  (delivery: WebhookDelivery): WebhookDeliveryRow => ({
    webhook_id: webhookId,
    event_id: delivery.data.id,
    body: JSON.stringify(delivery),
    events: 1,
    attempts: 0,
    due_at: Date.parse(delivery.timestamp),
  });

/**
 * Queues webhook deliveries in the transaction of their events, so that neither is stored without the other. Reads the
 * webhooks once per transaction, and again after an event about a change of a webhook.
 */
export const createWebhookDeliveryQueue =
  (findDevices: FindDevices): EventHook =>
  (tx) => {
    let listeners: Listener[] | undefined;

    return async (events) => {
      if (events.length === 0) return;
      if (listeners === undefined || events.some(({ subject }) => subject.type === 'webhook'))
        listeners = await readListeners(tx);
      const chosen = listeners.map((listener) => ({
        ...listener,
        deliveries: chosenDeliveries(listener, events),
      }));
      const ids = chosen.flatMap(({ deliveries }) =>
        deliveries.flatMap(({ data }) => deviceIdOf(data) ?? []),
      );
      const devices = await findDevices(tx, [...new Set(ids)]);
      for (const { id, tag, isDigest, deliveries } of chosen) {
        const wanted = withDevices(deliveries, devices, tag);
        const last = wanted.at(-1);
        if (last === undefined) continue;
        const nowMs = Date.parse(last.timestamp);
        await countPending(tx, id, wanted.length);
        if (isDigest) await addToDigest(tx, id, wanted, nowMs);
        else await insertDeliveries(tx, id, wanted.map(rowOf(id)), nowMs);
      }
    };
  };
