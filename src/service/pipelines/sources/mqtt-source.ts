import type { PipelineConfig } from '#contract/pipeline-types.ts';
import { topicFilterOf } from '#contract/topic-filter.ts';
import { openMqttSubscription } from './mqtt-subscription.ts';
import { source, type OpenSource, type SourceContext } from './source.ts';

/** Receives messages from the embedded broker. */
const openEmbedded = ({
  config,
  broker,
  submit,
  report,
}: SourceContext<PipelineConfig<'mqtt'>>): OpenSource => {
  const stopRouting = broker.route(config.topic, ({ topic, level, bytes, origin, receivedAtMs }) =>
    submit({ bytes, topic, device: level ?? config.device, receivedAtMs }, origin),
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
};

export const mqttSource = source({
  type: 'mqtt',
  kind: 'pushed',
  label: 'MQTT',
  description: 'Receives messages over MQTT.',
  topics: { field: 'topic', filter: topicFilterOf },
  isLocal: ({ url }) => url === undefined,
  open: (context) => {
    const { url } = context.config;
    return url === undefined ? openEmbedded(context) : openMqttSubscription(context, url);
  },
});
