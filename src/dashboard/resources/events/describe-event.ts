import type { Event } from '#contract/events.ts';
import type { Tone } from '../../ui/feedback/state-dot.tsx';
import { paths, withQuery } from '../../paths.ts';

/** What happened to the subject, to be read after its name: “Boiler 7” “went offline”. */
const phrases: Record<string, string> = {
  'device.registered': 'was registered',
  'device.updated': 'was updated',
  'device.deleted': 'was deleted',
  'device.restored': 'was restored',
  'device.online': 'came online',
  'device.late': 'is late',
  'device.offline': 'went offline',
  'pipeline.created': 'was created',
  'pipeline.updated': 'was updated',
  'pipeline.deleted': 'was deleted',
  'pipeline.state-changed': 'changed state',
  'pipeline.replayed': 'had rejections replayed',
  'destination.created': 'was created',
  'destination.updated': 'was updated',
  'destination.deleted': 'was deleted',
  'destination.state-changed': 'changed state',
  'api-key.created': 'was created',
  'api-key.updated': 'was renamed',
  'api-key.rotated': 'was rotated',
  'api-key.revoked': 'was revoked',
  'api-key.expiring': 'is about to expire',
  'webhook.created': 'was created',
  'webhook.updated': 'was updated',
  'webhook.deleted': 'was deleted',
  'webhook.rotated': 'had its secret rotated',
  'webhook.state-changed': 'changed state',
  'session.opened': 'signed in',
  'session.closed': 'signed out',
  'session.refused': 'could not sign in',
  'unrouted.deleted': 'had unrouted messages deleted',
  'telemetry.deleted': 'had samples deleted',
  'telemetry.loss-accepted': 'was accepted as lost',
  'mqtt.refused': 'was rejected over MQTT',
  'service.clock-jumped': 'jumped',
};

const tones: Record<string, Tone> = {
  'device.online': 'good',
  'device.restored': 'good',
  'device.late': 'attention',
  'device.offline': 'bad',
  'api-key.expiring': 'attention',
  'session.refused': 'attention',
  'mqtt.refused': 'attention',
  'service.clock-jumped': 'attention',
};

const stateTones: Record<string, Tone> = {
  running: 'good',
  degraded: 'attention',
  failed: 'bad',
  ready: 'good',
  active: 'good',
  failing: 'attention',
};

/** The states of a destination as its page names them. */
const destinationStates: Record<string, string> = {
  ready: 'healthy',
  failing: 'retrying',
  failed: 'blocked',
};

/** The new state of a state-changed event, in the words of the pages. */
export const stateInWords = (type: string, state: string): string =>
  (type.startsWith('destination.') ? destinationStates[state] : undefined) ?? state;

/** The field of an event's data, where it is text. */
const textOf = (event: Event, name: string): string | null => {
  const value = event.data[name];
  return typeof value === 'string' ? value : null;
};

export const describeEvent = (event: Event): { phrase: string; tone: Tone } => {
  // A newer service may tell of things that this page has no words for.
  let phrase = phrases[event.type] ?? event.type.replace('.', ' ').replaceAll('-', ' ');
  if (event.type === 'device.registered' && event.data['firstSight'] === true)
    phrase = 'was registered on its first message';
  const fields = event.data['fields'];
  if (event.type.endsWith('.updated') && Array.isArray(fields) && fields.length > 0)
    phrase += ` (${fields.join(', ')})`;
  const state = textOf(event, 'to') ?? textOf(event, 'state');
  if (event.type.endsWith('.state-changed') && state !== null) {
    return { phrase: `is now ${stateInWords(event.type, state)}`, tone: stateTones[state] ?? 'idle' };
  }
  return { phrase, tone: tones[event.type] ?? 'idle' };
};

/** The page of the subject of an event. Null if it has none. */
export const subjectPath = (subject: { type: string; id: string }): string | null => {
  if (subject.type === 'device') return paths.device(subject.id);
  if (subject.type === 'api-key') return withQuery(paths.apiKeys, { key: subject.id });
  if (subject.type === 'webhook') return withQuery(paths.notifications, { webhook: subject.id });
  if (subject.type === 'destination') return withQuery(paths.destinations, { destination: subject.id });
  if (subject.type === 'pipeline') return paths.pipeline(subject.id);
  return null;
};
