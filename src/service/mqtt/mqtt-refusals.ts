import type { Logger } from 'pino';
import { findByExternalIds } from '../devices/device-store.ts';
import { transact, type Party } from '../events/event-store.ts';
import type { Live } from '../live.ts';
import type { Db } from '../storage/database.ts';

export type MqttRefusal = {
  reason: string;
  detail: string;
  /** The username that it came under. */
  username: string;
  address: string;
  topic?: string;
  actor: Party | null;
};

const WINDOW_MS = 60_000;
const EVENTS_PER_WINDOW = 60;

/**
 * Leaves an event for what the broker refuses: one a minute for each cause, client and address, and few in all, so
 * that a client that tries again and again does not flood the log. The next event counts what was left out.
 */
export const createMqttRefusals = (deps: {
  db: Db;
  live: Live;
  log: Logger;
  now: () => number;
}): ((refusal: MqttRefusal) => void) => {
  const { db, log, now } = deps;
  let toldAt = new Map<string, number>();
  let omitted = 0;

  const subjectOf = async ({ username, address }: MqttRefusal): Promise<Party> => {
    const [device] = username === '' ? [] : await findByExternalIds(db, [username]);
    return device === undefined
      ? { type: 'mqtt-client', id: '', name: username || address }
      : { type: 'device', id: device.id, name: device.name };
  };

  const tellOf = async (refusal: MqttRefusal) => {
    const { reason, detail, username, address, topic, actor } = refusal;
    const subject = await subjectOf(refusal);
    const data = {
      reason,
      detail,
      username: username.slice(0, 128),
      from: address,
      ...(topic === undefined ? {} : { topic: topic.slice(0, 1_024) }),
      ...(omitted === 0 ? {} : { omitted }),
    };
    omitted = 0;
    await transact(deps, (_, tell) => tell({ type: 'mqtt.refused', subject, actor, data, at: now() }));
  };

  return (refusal) => {
    const key = JSON.stringify([refusal.reason, refusal.username, refusal.address]);
    toldAt = new Map([...toldAt].filter(([, at]) => now() - at < WINDOW_MS));
    if (toldAt.has(key) || toldAt.size >= EVENTS_PER_WINDOW) {
      omitted += 1;
      return;
    }
    toldAt.set(key, now());
    tellOf(refusal).catch((error: unknown) => log.error({ err: error }, 'an MQTT refusal left no event'));
  };
};
