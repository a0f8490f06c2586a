import type { Socket } from 'node:net';
import mqtt, { MqttClient, type IClientOptions } from 'mqtt';
import { portOf } from '../../platform/outbound/address-rules.ts';

/** Reasons of CONNACK for which another try is of no use; MQTT 3.1.1 (3.2.2.3) and MQTT 5 (3.2.2.2). */
export const fatalReasons: Record<number, string> = {
  1: 'does not speak this version of MQTT: choose the other one',
  2: 'does not take the client id',
  4: 'refused the user name or password',
  5: 'refused the credentials, or does not let this user in',
  132: 'does not speak this version of MQTT: choose the other one',
  133: 'does not take the client id',
  134: 'refused the user name or password',
  135: 'refused the credentials, or does not let this user in',
  138: 'has banned this client',
  140: 'takes another way to sign in than a user name and a password',
};
/** Reasons that pass by themselves. */
export const passingReasons: Record<number, string> = {
  3: 'is not available just now',
  136: 'is not available just now',
  137: 'is too busy just now',
  139: 'is shutting down',
  141: 'heard nothing of this service for too long',
  142: 'let another client in under the same id',
  149: 'met a packet that is too large',
  151: 'says that a quota is used up',
  159: 'is connected to too often just now',
};

/** The reason code of what a broker refused. */
export const codeOf = (error: unknown): number | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'number' ? error.code : undefined;

/** A client over a connection that is open, for MQTT or MQTT over WebSocket as the address says. */
export const clientOver = (socket: Socket, url: URL, options: IClientOptions): MqttClient => {
  if (url.protocol === 'mqtt:' || url.protocol === 'mqtts:') return new MqttClient(() => socket, options);
  return mqtt.connect({
    ...options,
    protocol: url.protocol === 'wss:' ? 'wss' : 'ws',
    hostname: url.hostname,
    port: portOf(url),
    path: `${url.pathname}${url.search}`,
    wsOptions: { createConnection: () => socket },
  });
};
