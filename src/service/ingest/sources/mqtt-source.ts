import { source } from '../source.ts';

export const mqttSource = source({
  type: 'mqtt',
  kind: 'pushed',
  label: 'MQTT',
  description: 'Messages that devices publish to the MQTT broker built in.',
  open: ({ config, broker, take, report }) => {
    const stopRouting = broker.route(config.topic, ({ topic, level, bytes, origin }) =>
      take({ bytes, topic, device: level ?? config.device }, origin),
    );
    const stopWatching = broker.watch(({ detail }) =>
      report(detail === undefined ? undefined : { detail, isFatal: true }),
    );
    return {
      close: () => {
        stopRouting();
        stopWatching();
      },
    };
  },
});
