import type { Event, ListedEvent } from '#contract/events.ts';
import {
  describeEvent,
  describeRun,
  eventWords,
  firstSightText,
  isKnownByUserName,
  subjectNoun,
  textOf,
} from '../../resources/events/event-words.ts';
import { isRun } from '../../resources/events/event-run.ts';
import { formatDuration } from '../../ui/format/format-duration.ts';
import { plural } from '../../ui/format/format-number.ts';
import type { Tone } from '../../ui/feedback/state-dot.tsx';

/** A part of a sentence: text, or the actor or subject, which may be a link. */
export type Piece = string | { party: 'actor' | 'subject' };

const ACTOR: Piece = { party: 'actor' };
const SUBJECT: Piece = { party: 'subject' };

const signInRejections: Record<string, string> = {
  'token-invalid': 'unknown API key',
  'token-expired': 'expired key or sign-in link',
  'token-revoked': 'revoked key',
  'quota-exceeded': 'too many unknown API keys from this address',
};

const listIn = ({ data }: Event, name: string): string[] => {
  const value = data[name];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
};

/** The text after the subject. */
const tailOf = (event: Event): string => {
  switch (event.type) {
    case 'device.registered':
      return firstSightText(event);
    case 'pipeline.state-changed':
    case 'destination.state-changed':
    case 'webhook.state-changed': {
      const [to, reason] = [textOf(event, 'to'), textOf(event, 'reason')];
      return `${to === null ? '' : ` to ${to}`}${reason === null ? '' : `: ${reason}`}`;
    }
    case 'telemetry.deleted': {
      const [metrics, samples] = [listIn(event, 'metrics'), event.data['samples']];
      const count = typeof samples === 'number' ? `: ${plural(samples, 'sample')}` : '';
      return metrics.length === 0 ? count : ` (${metrics.join(', ')})${count}`;
    }
    case 'api-key.revoked': {
      const ended = event.data['endedSessions'];
      return typeof ended === 'number' && ended > 0 ? `, ending ${plural(ended, 'session')}` : '';
    }
    case 'api-key.expiring': {
      const leftMs = Date.parse(textOf(event, 'expiresAt') ?? '') - Date.parse(event.at);
      return leftMs > 0 ? ` in ${formatDuration(leftMs)}` : ' soon';
    }
    case 'session.opened': {
      const from = textOf(event, 'from');
      return from === null ? '' : ` from ${from}`;
    }
    case 'http.refused':
    case 'mqtt.refused': {
      const place = ['device', 'metric'].flatMap((name) => textOf(event, name) ?? []).join(', ');
      return [place, textOf(event, 'detail')].map((part) => (part ? `: ${part}` : '')).join('');
    }
    case 'service.started': {
      const version = textOf(event, 'version');
      return version === null ? '' : `, version ${version}`;
    }
    case 'service.clock-jumped': {
      const seconds = event.data['jumpSeconds'];
      if (typeof seconds !== 'number') return '';
      return ` ${seconds > 0 ? 'ahead' : 'back'} by ${formatDuration(Math.abs(seconds) * 1_000)}`;
    }
    default:
      return '';
  }
};

const sentenceParts = (event: ListedEvent): Piece[] => {
  const { actor, subject, type } = event;
  if (isRun(event))
    return actor === null ? [describeRun(event)] : [ACTOR, ` ${describeRun(event, { hasActor: true })}`];
  const { verb, phrase, fields } = eventWords(event);
  const named = [subjectNoun(event), SUBJECT].filter((piece) => piece !== '');
  if (type === 'session.refused') {
    const reason = signInRejections[textOf(event, 'code') ?? ''];
    return ['A sign-in from ', SUBJECT, ` was rejected${reason === undefined ? '' : `: ${reason}`}`];
  }
  // The rejected client did nothing to the device: it only used the device's name.
  if (type === 'http.refused') return [...named, ` ${describeEvent(event).phrase}${tailOf(event)}`];
  if (isKnownByUserName(event)) {
    const client = `A client with the user name ${subject.type === 'device' ? 'of ' : ''}`;
    return [client, SUBJECT, ` ${phrase}${tailOf(event)}`];
  }
  if (actor === null || type === 'mqtt.refused') return [...named, ` ${phrase}${tailOf(event)}`];
  // A session that signs in or out is actor and subject.
  if (actor.id === subject.id && actor.type === subject.type) return [ACTOR, ` ${verb}${tailOf(event)}`];
  return [ACTOR, ` ${verb} `, SUBJECT, fields + tailOf(event)].filter((piece) => piece !== '');
};

/** What happened, as a sentence. */
export const eventSentence = (event: ListedEvent): { pieces: Piece[]; tone: Tone } => ({
  pieces: sentenceParts(event),
  tone: describeEvent(event).tone,
});

/** The sentence as plain text. */
export const eventText = (event: ListedEvent): string =>
  sentenceParts(event)
    .map((piece) => (typeof piece === 'string' ? piece : (event[piece.party]?.name ?? '')))
    .join('');
