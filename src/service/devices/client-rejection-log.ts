import type { Logger } from 'pino';
import { externalIdSchema } from '#contract/devices.ts';
import { findByExternalIds } from './device-store.ts';
import type { Party, Transact } from '../events/event-store.ts';
import type { Clock } from '../platform/clock.ts';
import { withoutSecrets } from '../platform/log.ts';
import type { Db } from '../platform/storage/database.ts';

export type ClientRejection = {
  reason: string;
  detail: string;
  /** The device and the metric of the first rejected sample, as the client names them, if they are known. */
  device?: string | undefined;
  metric?: string | undefined;
  /** The user name of an MQTT client; empty: it has none. */
  username: string;
  address: string;
  topic?: string;
  actor: Party | null;
  /** Actors of a group share the limit of events. Default: the actor alone. */
  group?: string | undefined;
};

const WINDOW_MS = 60_000;
const EVENTS_PER_WINDOW = 60;
const MAX_NAME = 128;
const MAX_TEXT = 1_024;

/** Text of a client for the log: cut, without control characters and without misplaced tokens. */
const loggable = (text: string, maxLength: number): string =>
  withoutSecrets(text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, ''))
    .slice(0, maxLength)
    .toWellFormed();

/**
 * Records an event for each refusal of a client, by the broker or over HTTP: one per minute for each reason, client and
 * address, and a limited number in total, so that a client that keeps retrying does not flood the log. The next event
 * counts omitted ones.
 */
export const createClientRejectionLog = (deps: {
  type: 'mqtt.refused' | 'http.refused';
  db: Db;
  transact: Transact;
  log: Logger;
  now: () => number;
  clock: Pick<Clock, 'elapsed'>;
}): ((rejection: ClientRejection) => void) => {
  const { type, db, transact, log, now, clock } = deps;
  let recordedAtMs = new Map<string, number>();
  let omitted = 0;

  const subjectOf = async ({ username, address, actor }: ClientRejection): Promise<Party> => {
    if (type === 'http.refused') return actor ?? { type: 'http-client', id: '', name: address };
    const [device] = externalIdSchema.safeParse(username).success
      ? await findByExternalIds(db, [username])
      : [];
    return device === undefined
      ? { type: 'mqtt-client', id: '', name: loggable(username, MAX_NAME) || address }
      : { type: 'device', id: device.id, name: loggable(device.name, MAX_TEXT) };
  };

  const recordEvent = async (rejection: ClientRejection) => {
    const { reason, detail, username, address, topic, device, metric, actor } = rejection;
    const subject = await subjectOf(rejection);
    const data = {
      reason,
      detail: loggable(detail, MAX_TEXT),
      ...(type === 'mqtt.refused' && { username: loggable(username, MAX_NAME) }),
      from: address,
      ...(device === undefined ? {} : { device: loggable(device, MAX_TEXT) }),
      ...(metric === undefined ? {} : { metric: loggable(metric, MAX_TEXT) }),
      ...(topic === undefined ? {} : { topic: loggable(topic, MAX_TEXT) }),
      ...(omitted === 0 ? {} : { omitted }),
    };
    omitted = 0;
    await transact((_, recordEvents) => recordEvents({ type, subject, actor, data, at: now() }));
  };

  return (rejection) => {
    const { reason, username, address, actor, group = actor?.id } = rejection;
    const key = JSON.stringify([reason, username, address, group]);
    const elapsedMs = clock.elapsed();
    recordedAtMs = new Map([...recordedAtMs].filter(([, at]) => elapsedMs - at < WINDOW_MS));
    if (recordedAtMs.has(key) || recordedAtMs.size >= EVENTS_PER_WINDOW) {
      omitted += 1;
      return;
    }
    recordedAtMs.set(key, elapsedMs);
    recordEvent(rejection).catch((error: unknown) =>
      log.error({ err: error }, 'could not record the rejection of a client'),
    );
  };
};
