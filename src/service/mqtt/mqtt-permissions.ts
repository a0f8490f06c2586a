import type { Scope } from '#contract/scope.ts';
import { tokenPattern } from '#contract/sessions.ts';
import { findByIds } from '../devices/device-store.ts';
import { ConnectRefused } from './protocol/client-grant.ts';
import { requireScope, type Actor, type Authenticator } from '../platform/http/auth.ts';
import type { FailureLimit } from '../platform/http/failure-limit.ts';
import { HttpProblem } from '../platform/http/http-problem.ts';
import type { Db } from '../platform/storage/database.ts';

/** Who is connected over MQTT, determined when it connects. */
export type MqttIdentity = {
  readonly actor: Actor;
  /** The device that `me` stands for in topics; '' if none. */
  readonly name: string;
  /** External IDs of the devices that the key is limited to; null: all. */
  readonly devices: ReadonlySet<string> | null;
};

const NEEDED: Scope = 'telemetry:write';

const NOT_A_SESSION = 'Connect with an API key as the password, not a session.';

/** Why a password is refused. The details over HTTP also address people in a browser. */
const refusalDetail = ({ code, message }: HttpProblem, password: string): string => {
  if (!code.startsWith('token-')) return message;
  if (tokenPattern.exec(password)?.[1] === 'session') return NOT_A_SESSION;
  if (code === 'token-invalid')
    return 'Unknown API key. Check that the client sends all of it as the password.';
  return message;
};

/** Authenticates a user name and password. @throws ConnectRefused */
export const authenticateMqtt = async (
  deps: { db: Db; authenticator: Authenticator; failureLimit: FailureLimit },
  { username, password, address }: { username: string; password: string; address: string },
): Promise<MqttIdentity> => {
  if (password === '')
    throw new ConnectRefused(4, 'token-missing', 'Connect with an API key as the password.');
  const actor = await deps
    .failureLimit(address, () => deps.authenticator(password, address))
    .catch((error: unknown) => {
      if (error instanceof HttpProblem)
        throw new ConnectRefused(4, error.code, refusalDetail(error, password));
      throw error;
    });
  if (actor.kind !== 'key') throw new ConnectRefused(4, 'token-invalid', NOT_A_SESSION);
  try {
    requireScope(actor, NEEDED);
  } catch {
    throw new ConnectRefused(5, 'insufficient-scope', `The key needs the scope ${NEEDED}.`);
  }
  if (actor.devices === null) return { actor, name: username, devices: null };
  const rows = (await findByIds(deps.db, actor.devices)).filter((row) => row.deleted_at === null);
  const own = rows.find((row) => row.external_id === username || row.id === username);
  if (own === undefined)
    throw new ConnectRefused(
      5,
      'foreign-device',
      'The key is limited to devices. Use the external ID of one of them as the user name.',
    );
  return { actor, name: own.external_id, devices: new Set(rows.map((row) => row.external_id)) };
};

const DEVICES = 'v1/devices/';
const ME = `${DEVICES}me/`;

/** Replaces `me` in a topic by the device of the connection; undefined if there is none. */
export const fullTopic = ({ name }: MqttIdentity, topic: string): string | undefined => {
  if (!topic.startsWith(ME)) return topic;
  return name === '' ? undefined : `${DEVICES}${name}/${topic.slice(ME.length)}`;
};

const isOfOwnDevice = (devices: ReadonlySet<string>, topic: string): boolean => {
  const [device, ...below] = topic.startsWith(DEVICES) ? topic.slice(DEVICES.length).split('/') : [];
  return device !== undefined && devices.has(device) && below.length > 0;
};

/**
 * Who receives a published message. `allow`: pipelines (or the list of unrouted messages) and subscribers; it may be
 * retained. `ingest-only`: pipelines, or the list of unrouted messages. `deny`: nobody.
 */
export type PublishPermission = 'allow' | 'ingest-only' | 'deny';

/**
 * `topic`: the full topic. `levels`: its levels at the first `+` of each matching pipeline. For a key limited to
 * devices, messages below `v1/devices/{device}/` and messages with one of its devices at such a level are allowed. Its
 * other messages do not reach subscribers, who might attribute them to another device. Each sample is authorised
 * separately.
 */
export const permitPublish = (
  { devices }: MqttIdentity,
  topic: string,
  levels: readonly (string | undefined)[],
): PublishPermission => {
  if (topic.startsWith('$')) return 'deny';
  if (devices === null || isOfOwnDevice(devices, topic)) return 'allow';
  if (topic.startsWith(DEVICES)) return 'deny';
  if (levels.some((level) => level !== undefined && devices.has(level))) return 'allow';
  return levels.length === 0 || levels.includes(undefined) ? 'ingest-only' : 'deny';
};

/** Whether a user name is one level of a topic. Wildcards would match the topics of other devices. */
const isOneLevel = (name: string): boolean => name !== '' && !/[+#/]/.test(name);

/**
 * Whether the connection can receive messages of this topic or topic filter. A key with `telemetry:read` that is not
 * limited to devices receives all topics. Other connections receive the topics of their own device below `v1/devices/`.
 */
export const canReceive = ({ actor, name, devices }: MqttIdentity, filter: string): boolean => {
  if (filter.startsWith('$')) return false;
  if (devices !== null) return isOfOwnDevice(devices, filter);
  if (actor.scopes.includes('telemetry:read')) return true;
  return isOneLevel(name) && isOfOwnDevice(new Set([name]), filter);
};
