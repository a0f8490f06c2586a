import type { Socket } from 'node:net';
import mqtt, { MqttClient, type IClientOptions } from 'mqtt';
import { portOf } from '../../platform/outbound/address-rules.ts';

/** A client over an open connection. The URL selects MQTT or MQTT over WebSocket. */
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
