import type { EventType } from '#contract/events.ts';
import type { QueryKeyName } from '../query-keys.ts';

const device = ['devices', 'overview'] as const;
const pipeline = ['pipelines', 'overview'] as const;

/**
 * What each event makes stale, apart from the latest events. The stream sends when a device comes online, is late or
 * goes offline in frames of their own. A frame of a pipeline's state lacks the reason, so the pipeline is read again.
 */
const staleByType: Record<EventType, readonly QueryKeyName[] | 'everything'> = {
  'device.registered': device,
  'device.updated': device,
  'device.deleted': device,
  'device.restored': device,
  'device.online': ['overview'],
  'device.late': ['overview'],
  'device.offline': ['overview'],
  'pipeline.created': pipeline,
  'pipeline.updated': pipeline,
  'pipeline.deleted': pipeline,
  'pipeline.state-changed': pipeline,
  'pipeline.replayed': pipeline,
  'unrouted.deleted': ['unrouted'],
  'destination.created': ['destinations'],
  'destination.updated': ['destinations'],
  'destination.deleted': ['destinations'],
  'destination.state-changed': ['destinations'],
  'api-key.created': ['apiKeys'],
  'api-key.updated': ['apiKeys'],
  'api-key.rotated': ['apiKeys'],
  'api-key.revoked': ['apiKeys'],
  'api-key.expiring': ['apiKeys'],
  'session.opened': [],
  'session.closed': [],
  'session.refused': [],
  'telemetry.deleted': ['telemetry'],
  'telemetry.loss-accepted': ['telemetry', 'storage'],
  'webhook.created': ['webhooks'],
  'webhook.updated': ['webhooks'],
  'webhook.deleted': ['webhooks'],
  'webhook.rotated': ['webhooks'],
  'webhook.state-changed': ['webhooks'],
  'mqtt.refused': [],
  // The service corrects times of every resource after a jump.
  'service.clock-jumped': 'everything',
};

const isKnown = (type: string): type is EventType => Object.hasOwn(staleByType, type);

/** What an event makes stale. A type that only a newer service knows counts as any other event of its subject. */
export const staleAfterEvent = (type: string): readonly QueryKeyName[] | 'everything' => {
  if (isKnown(type)) return staleByType[type];
  const subject = `${type.split('.')[0]}.`;
  return Object.entries(staleByType).flatMap(([known, stale]) =>
    known.startsWith(subject) && stale !== 'everything' ? stale : [],
  );
};
