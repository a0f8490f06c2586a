import type { Device } from './devices.ts';
import { eventTypes, type Event } from './events.ts';

/** State changes of pipelines by their outcome: what a webhook can choose besides the types of events. */
export const pipelineOutcomes = ['pipeline.degraded', 'pipeline.failed', 'pipeline.recovered'] as const;

/** What a webhook can choose. */
export const webhookEventTypes = [...eventTypes, ...pipelineOutcomes] as const;
export type WebhookEventType = (typeof webhookEventTypes)[number];

type TypedEvent = Pick<Event, 'type' | 'data'>;

/** A pipeline recovers from a problem. One that is resumed or completed only begins to run. */
const outcomeOf = ({ type, data: { from, to } }: TypedEvent): string | undefined => {
  if (type !== 'pipeline.state-changed') return undefined;
  if (to === 'degraded' || to === 'failed') return `pipeline.${to}`;
  return to === 'running' && (from === 'degraded' || from === 'failed') ? 'pipeline.recovered' : undefined;
};

/**
 * The `type` of the delivery of an event; undefined if it was not chosen. Every change of state that
 * `pipeline.state-changed` chooses keeps this type, so that receivers which know no outcomes understand it.
 */
export const deliveryTypeOf = (chosen: ReadonlySet<string>, event: TypedEvent): string | undefined => {
  if (chosen.has(event.type)) return event.type;
  const outcome = outcomeOf(event);
  return outcome !== undefined && chosen.has(outcome) ? outcome : undefined;
};

/** What the delivery of an event says about its device, as it is after the event. Receivers route by it. */
export type EventDevice = Pick<Device, 'externalId' | 'type' | 'tags' | 'lastSeenAt'>;

/** The body of a delivery of one event. `device`: only if the subject is a device. */
export type WebhookDelivery = { type: string; timestamp: string; data: Event & { device?: EventDevice } };

/** The number of events that a digest lists. It counts the others. */
export const DIGEST_EVENTS = 100;

/** The body of a delivery with the events of a minute. */
export type WebhookDigest = {
  type: 'webhook.digest';
  timestamp: string;
  data: {
    /** Number of events. */
    total: number;
    byType: Record<string, number>;
    /** The range of the events as `GET /v1/events` takes it: `to` is exclusive. */
    from: string;
    to: string;
    /** The first events, oldest first. */
    events: WebhookDelivery[];
  };
};
