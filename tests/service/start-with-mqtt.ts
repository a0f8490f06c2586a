import mqtt, { type MqttClient } from 'mqtt';
import { freePort } from './free-port.ts';
import { startTestService, type TestService } from './start-test-service.ts';

/** A test service, and a client of its embedded broker that may write telemetry. */
export type ServiceWithMqtt = { service: TestService; client: MqttClient; close: () => Promise<void> };

export const startWithMqtt = async (): Promise<ServiceWithMqtt> => {
  const port = await freePort();
  const service = await startTestService({ env: { MQTT_PORT: String(port) } });
  const { secret } = await service.mintKey(['telemetry:write']);
  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, {
    username: 'bridge',
    password: secret,
  });
  return {
    service,
    client,
    close: async () => {
      await client.endAsync(true);
      await service.close();
    },
  };
};
