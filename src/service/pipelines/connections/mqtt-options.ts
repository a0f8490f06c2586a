import type { IClientOptions } from 'mqtt';

/** Reasons of CONNACK that retries do not fix: MQTT 3.1.1 (3.2.2.3) and MQTT 5 (3.2.2.2). */
export const fatalReasons: Record<number, string> = {
  1: 'does not support this version of MQTT: choose the other version',
  2: 'rejected the client ID',
  4: 'rejected the user name or password',
  5: 'rejected the credentials or does not authorize this user',
  132: 'does not support this version of MQTT: choose the other version',
  133: 'rejected the client ID',
  134: 'rejected the user name or password',
  135: 'rejected the credentials or does not authorize this user',
  138: 'has banned this client',
  140: 'requires an authentication method other than user name and password',
};
/** The fatal reasons that concern the user name and password. */
export const accessReasons: readonly number[] = [4, 5, 134, 135];
/** Temporary reasons. */
export const passingReasons: Record<number, string> = {
  3: 'is temporarily unavailable',
  136: 'is temporarily unavailable',
  137: 'is too busy',
  139: 'is shutting down',
  141: 'closed the connection because it received nothing for too long',
  142: 'closed the connection because another client uses the same client ID',
  149: 'received a packet that is too large',
  151: 'reports an exceeded quota',
  159: 'limits the rate of connections',
};

/** The reason code of an error reported by the broker. */
export const codeOf = (error: unknown): number | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'number' ? error.code : undefined;

const CONNECT_WITHIN_MS = 15_000;
const KEEP_ALIVE_S = 30;

/** The options of every connection to a broker. The client does not reconnect: its user does, after a backoff. */
export const mqttOptions = ({
  protocol,
  username,
  password,
}: {
  protocol: '3.1.1' | '5';
  username: string | undefined;
  password: string | undefined;
}): IClientOptions => ({
  protocolVersion: protocol === '5' ? 5 : 4,
  ...(username === undefined ? {} : { username }),
  ...(password === undefined ? {} : { password }),
  keepalive: KEEP_ALIVE_S,
  connectTimeout: CONNECT_WITHIN_MS,
  reconnectPeriod: 0,
  resubscribe: false,
  manualConnect: true,
});
