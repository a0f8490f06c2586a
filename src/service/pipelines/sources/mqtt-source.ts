import type { PipelineConfig } from '#contract/pipeline-types.ts';
import { topicFilterOf } from '#contract/topic-filter.ts';
import { isLearnedFrom } from '../formats/read-message.ts';
import { openMqttSubscription } from './mqtt-subscription.ts';
import { source, type OpenSource, type SourceContext } from './source.ts';

/** Receives messages from the embedded broker. */
const openEmbedded = ({
  config,
  broker,
  submit,
  report,
  discoveredTopics,
  followSparkplug,
}: SourceContext<PipelineConfig<'mqtt'>>): OpenSource => {
  const routeTo = (filter: string) =>
    broker.route(filter, ({ topic, level, bytes, origin, receivedAtMs }) =>
      submit({ bytes, topic, device: level ?? config.device, receivedAtMs }, origin),
    );
  const stopRouting = routeTo(config.topic);
  const isRouted = topicFilterOf(config.topic);
  const discovered = new Map<string, () => void>();
  const follow = (topic: string, isKnown: boolean) => {
    discovered.get(topic)?.();
    discovered.delete(topic);
    if (isKnown && isRouted(topic) === undefined) discovered.set(topic, routeTo(topic));
  };
  for (const topic of discoveredTopics.list()) follow(topic, true);
  const stopFollowing = discoveredTopics.watch(follow);
  const stopSparkplug = followSparkplug(broker.publish);
  let isClosed = false;
  /** A new pipeline learns from messages that were retained before. Their values are old, so it leaves them out. */
  const learnRetained = async (): Promise<void> => {
    for (const { topic, bytes } of broker.retained(config.topic)) {
      if (isClosed) return;
      if (isLearnedFrom(topic)) await submit({ bytes, topic, device: config.device });
    }
  };
  // A message that cannot be stored degrades the pipeline.
  if (discoveredTopics.isEmpty) learnRetained().catch(() => undefined);
  const stopWatching = broker.watch(({ detail }) =>
    report(detail === undefined ? undefined : { detail, isFatal: true }),
  );
  return {
    close: () => {
      isClosed = true;
      stopSparkplug();
      stopFollowing();
      stopRouting();
      for (const stop of discovered.values()) stop();
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
