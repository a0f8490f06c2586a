import { DEVICE_PLACE } from '#contract/destination-types.ts';
import { destinationKind, type SpooledSamples } from './destination.ts';
import { createConnectionPool } from './connection-pool.ts';
import { destinationAddress } from './destination-address.ts';
import type { MqttMessage } from './mqtt-publisher.ts';

/** Samples as a message in the Penstock format. The message names the device unless the topic does. */
const messageOf = (template: string): ((group: SpooledSamples) => MqttMessage) => {
  const isNamedInTopic = template.includes(DEVICE_PLACE);
  return ({ device, ts, values }) => ({
    topic: template.replaceAll(DEVICE_PLACE, () => device),
    payload: JSON.stringify(isNamedInTopic ? { ts, values } : { device, ts, values }),
  });
};

export const mqttDestination = destinationKind({
  type: 'mqtt',
  label: 'MQTT',
  description: 'Publishes messages to a broker.',
  open: ({ url, options, outbound }) => {
    const address = destinationAddress(url, options);
    const pool = createConnectionPool({ host: address.host }, async (signal) => {
      const { openMqttPublisher } = await import('./mqtt-publisher.ts');
      return openMqttPublisher(outbound, address, options, signal);
    });
    const toMessage = messageOf(options.topic);
    return {
      deliver: ({ samples }, signal) =>
        pool.use(signal, (publisher) => publisher.publish(samples.map(toMessage), signal)),
      probe: async (signal) => {
        const publisher = await pool.connect(signal);
        await publisher.end();
        return `Connected to ${address.host} with MQTT ${options.protocol} and QoS ${options.qos}.`;
      },
      close: pool.close,
    };
  },
});
