import { capitalize } from '#contract/capitalize.ts';
import { isFirstSight } from '#contract/event-runs.ts';
import type { Event, EventType } from '#contract/events.ts';
import type { Tone } from '../../ui/feedback/state-dot.tsx';
import { plural } from '../../ui/format/format-number.ts';
import type { Run } from './event-run.ts';

/** The words of one type of event. */
export type EventKind = {
  /** The heading that the type is listed under: “Devices”. */
  group: string;
  /** Its name within the group: “Went offline”. */
  label: string;
  /** Stands between actor and subject: “Ada” “registered” “Boiler 7”. */
  verb: string;
  /** Follows the subject: “Boiler 7” “was registered”. */
  phrase: string;
  tone: Tone;
};

const kind = (
  group: string,
  label: string,
  verb: string,
  phrase: string,
  tone: Tone = 'idle',
): EventKind => ({ group, label, verb, phrase, tone });

const eventKinds: Record<EventType, EventKind> = {
  'device.registered': kind('Devices', 'Registered', 'registered', 'was registered'),
  'device.updated': kind('Devices', 'Updated', 'updated', 'was updated'),
  'device.deleted': kind('Devices', 'Deleted', 'deleted', 'was deleted'),
  'device.restored': kind('Devices', 'Restored', 'restored', 'was restored', 'good'),
  'device.online': kind('Devices', 'Came online', 'brought online', 'came online', 'good'),
  'device.late': kind('Devices', 'Became late', 'made late', 'became late', 'attention'),
  'device.offline': kind('Devices', 'Went offline', 'took offline', 'went offline', 'bad'),
  'device-type.updated': kind('Devices', 'Device type updated', 'updated the device type', 'was updated'),
  'telemetry.deleted': kind('Devices', 'Telemetry deleted', 'deleted telemetry of', 'had telemetry deleted'),
  'telemetry.loss-accepted': kind(
    'Devices',
    'Lost samples accepted',
    'continued without the samples of',
    'continues without its lost samples',
  ),
  'mqtt.refused': kind(
    'Devices',
    'Rejected over MQTT',
    'was rejected over MQTT as',
    'was rejected over MQTT',
    'attention',
  ),
  'http.refused': kind(
    'Devices',
    'Rejected over HTTP',
    'was rejected over HTTP as',
    'was rejected over HTTP',
    'attention',
  ),
  'pipeline.created': kind('Pipelines', 'Created', 'created the pipeline', 'was created'),
  'pipeline.updated': kind('Pipelines', 'Updated', 'updated the pipeline', 'was updated'),
  'pipeline.deleted': kind('Pipelines', 'Deleted', 'deleted the pipeline', 'was deleted'),
  'pipeline.state-changed': kind('Pipelines', 'State changed', 'changed the state of', 'changed state'),
  'pipeline.replayed': kind('Pipelines', 'Replayed', 'replayed rejections of', 'had rejections replayed'),
  'unrouted.deleted': kind(
    'Pipelines',
    'Unrouted messages deleted',
    'deleted unrouted messages of',
    'had unrouted messages deleted',
  ),
  'destination.created': kind('Destinations', 'Created', 'created the destination', 'was created'),
  'destination.updated': kind('Destinations', 'Updated', 'updated the destination', 'was updated'),
  'destination.deleted': kind('Destinations', 'Deleted', 'deleted the destination', 'was deleted'),
  'destination.state-changed': kind(
    'Destinations',
    'State changed',
    'changed the state of the destination',
    'changed state',
  ),
  'api-key.created': kind('API keys', 'Created', 'created the API key', 'was created'),
  'api-key.updated': kind('API keys', 'Renamed', 'renamed the API key', 'was renamed'),
  'api-key.rotated': kind('API keys', 'Rotated', 'rotated the API key', 'was rotated'),
  'api-key.revoked': kind('API keys', 'Revoked', 'revoked the API key', 'was revoked'),
  'api-key.expiring': kind('API keys', 'About to expire', 'expired the API key', 'expires', 'attention'),
  'network.created': kind('Network', 'Allowed', 'allowed the network', 'was allowed'),
  'network.deleted': kind('Network', 'Removed', 'removed the network', 'was removed'),
  'webhook.created': kind('Webhooks', 'Created', 'created the webhook', 'was created'),
  'webhook.updated': kind('Webhooks', 'Updated', 'updated the webhook', 'was updated'),
  'webhook.deleted': kind('Webhooks', 'Deleted', 'deleted the webhook', 'was deleted'),
  'webhook.rotated': kind(
    'Webhooks',
    'Secret rotated',
    'rotated the secret of the webhook',
    'had its secret rotated',
  ),
  'webhook.retried': kind(
    'Webhooks',
    'Deliveries retried',
    'retried the deliveries of the webhook',
    'had its deliveries retried',
  ),
  'webhook.state-changed': kind(
    'Webhooks',
    'State changed',
    'changed the state of the webhook',
    'changed state',
  ),
  'session.opened': kind('Sessions', 'Signed in', 'signed in', 'signed in'),
  'session.closed': kind('Sessions', 'Signed out', 'signed out', 'signed out'),
  'session.refused': kind('Sessions', 'Sign-in rejected', 'was rejected', 'could not sign in', 'attention'),
  'service.started': kind('Service', 'Started', 'started', 'started'),
  'service.clock-jumped': kind('Service', 'Clock jumped', 'set', 'jumped', 'attention'),
  'service.storage-low': kind('Service', 'Low disk space', 'filled', 'is low on space', 'attention'),
  'service.storage-recovered': kind('Service', 'Disk space recovered', 'freed', 'recovered space', 'good'),
};

const isKnown = (type: string): type is EventType => Object.hasOwn(eventKinds, type);

/** The types of events by group, in the order of the pages. */
export const eventGroups = [
  ...Map.groupBy(Object.keys(eventKinds).filter(isKnown), (type) => eventKinds[type].group),
].map(([group, types]) => ({ group, kinds: types.map((type) => ({ type, ...eventKinds[type] })) }));

/** The words of a type. A type that only a newer service has is described by its name. */
export const eventKindOf = (type: string): EventKind => {
  if (isKnown(type)) return eventKinds[type];
  const [subject = type, change = 'updated'] = type.split('.');
  const words = change.replaceAll('-', ' ');
  return kind(subject.replaceAll('-', ' '), words, words, `was ${words}`);
};

const stateTones: Record<string, Tone> = {
  running: 'good',
  degraded: 'attention',
  failed: 'bad',
  healthy: 'good',
  active: 'good',
  retrying: 'attention',
  blocked: 'bad',
};

/** The field of an event's data, if it is a text that is not empty. */
export const textOf = (event: Event, name: string): string | null => {
  const value = event.data[name];
  return typeof value === 'string' && value !== '' ? value : null;
};

const nouns: Record<string, string> = {
  'api-key': 'API key',
  destination: 'Destination',
  webhook: 'Webhook',
};

/** Stands before a subject whose name alone does not say what it is, at the start of a sentence: “API key ”. */
export const subjectNoun = ({ subject }: Event): string => {
  const noun = nouns[subject.type];
  return noun === undefined ? '' : `${noun} `;
};

const pauseWord = (enabled: unknown): string =>
  typeof enabled !== 'boolean' ? 'paused or resumed' : enabled ? 'resumed' : 'paused';

/**
 * The verb and the phrase of an event. A pause says so. The phrase of any other update names its fields; after the verb
 * and the subject, `fields` does.
 */
export const eventWords = (event: Event): Pick<EventKind, 'verb' | 'phrase'> & { fields: string } => {
  const { type, data } = event;
  const { verb, phrase } = eventKindOf(type);
  // The only change of a key is its name.
  if (!type.endsWith('.updated') || type === 'api-key.updated') return { verb, phrase, fields: '' };
  const only = Array.isArray(data['fields']) && data['fields'].length === 1 ? String(data['fields'][0]) : '';
  const noun = type.replace('.updated', '');
  if (only === 'enabled') {
    const word = pauseWord(data['enabled']);
    return { verb: `${word} the ${noun}`, phrase: `was ${word}`, fields: '' };
  }
  const fields = updatedFields(event);
  return only === 'config'
    ? { verb: `updated the configuration of the ${noun}`, phrase: `${phrase}${fields}`, fields: '' }
    : { verb, phrase: `${phrase}${fields}`, fields };
};

/** Whether a rejected MQTT client has no known actor: any client can send its user name. */
export const isKnownByUserName = (event: Event): boolean =>
  event.type === 'mqtt.refused' && event.actor === null && textOf(event, 'username') !== null;

/** An event as a phrase that follows its subject, and its tone. */
export const describeEvent = (event: Event): { phrase: string; tone: Tone } => {
  const { tone } = eventKindOf(event.type);
  const { phrase } = eventWords(event);
  const state = textOf(event, 'to') ?? textOf(event, 'state');
  if (event.type.endsWith('.state-changed') && state !== null)
    return { phrase: `is now ${state}`, tone: stateTones[state] ?? 'idle' };
  if (isKnownByUserName(event)) return { phrase: 'was used as a user name by a rejected MQTT client', tone };
  // A key with the scope was accepted, and so may be other samples of the write.
  if (
    event.type === 'http.refused' &&
    event.actor !== null &&
    textOf(event, 'reason') !== 'insufficient-scope'
  )
    return { phrase: 'had samples rejected over HTTP', tone };
  return { phrase: phrase + detailOf(event), tone };
};

/** The words of a run: “667 devices became late”; after its actor “updated 500 devices (tags)”. */
export const describeRun = (entry: Run, { hasActor = false } = {}): string => {
  const { verb, phrase } = eventKindOf(entry.type);
  const { count, mayContinue } = entry.run;
  const devices = mayContinue === true ? `at least ${plural(count, 'device')}` : plural(count, 'device');
  const words = hasActor
    ? `${verb} ${devices}`
    : capitalize(`${devices} ${phrase.replace(/^was /, 'were ')}`);
  return words + (isFirstSight(entry) ? ' on their first message' : updatedFields(entry));
};

/** Why a device was registered, after its name. */
export const firstSightText = (event: Event): string => (isFirstSight(event) ? ' on its first message' : '');

const detailOf = (event: Event): string => {
  if (event.type === 'device.registered') return firstSightText(event);
  if (event.type === 'api-key.expiring') return ' soon';
  return '';
};

/** The name of a field in words: “external ID”. */
const fieldWords = (field: string): string =>
  field
    .replace(/^config$/, 'configuration')
    .replaceAll(/([a-z])([A-Z])/g, (_, end: string, start: string) => `${end} ${start.toLowerCase()}`)
    .replace(/ id$/, ' ID');

/** The fields that an update changed, in brackets. Those of a metric name it: “unit of flow”. */
export const updatedFields = (event: Event): string => {
  const { fields } = event.data;
  if (!Array.isArray(fields) || fields.length === 0) return '';
  const metric = textOf(event, 'metric');
  const words = fields.map((field) => fieldWords(String(field)));
  return ` (${words.map((word) => (metric === null ? word : `${word} of ${metric}`)).join(', ')})`;
};
