import type { TopicFilter } from '#contract/topic-filter.ts';
import { configOf, type PipelineRow } from '../pipelines/definition/pipeline-store.ts';
import type { PausedMessages } from '../pipelines/runner/paused-messages.ts';
import { mqttSource } from '../pipelines/sources/mqtt-source.ts';
import { findSource } from '../pipelines/sources/source-catalogue.ts';
import { toIsoTime } from '../platform/iso-time.ts';
import type { listRecentUnrouted } from '../mqtt/unrouted-store.ts';
import { NO_DETAILS, partyOfPipeline, type KnownItem } from './attention-items.ts';

type UnroutedTopic = Awaited<ReturnType<typeof listRecentUnrouted>>[number];

/** Adds the messages of a topic. */
const withTopic = (
  { count, sinceMs, lastAtMs }: PausedMessages,
  { messages, first_at, last_at }: UnroutedTopic,
): PausedMessages => ({
  count: count + messages,
  sinceMs: Math.min(sinceMs, first_at),
  lastAtMs: Math.max(lastAtMs, last_at),
});

const NO_MESSAGES: PausedMessages = { count: 0, sinceMs: Infinity, lastAtMs: 0 };

/** The topic filter of a pipeline that reads from the embedded broker. */
const embeddedFilterOf = (row: PipelineRow): TopicFilter | undefined => {
  const [source, config] = [findSource(row.type), configOf(row)];
  return source === mqttSource && config['url'] === undefined ? source.topicFilter(config) : undefined;
};

/** Splits unrouted topics into those of paused pipelines, counted by pipeline, and the others. */
export const splitUnroutedTopics = (paused: readonly PipelineRow[], topics: readonly UnroutedTopic[]) => {
  const filters = paused.flatMap((row) => {
    const matches = embeddedFilterOf(row);
    return matches === undefined ? [] : [{ id: row.id, matches }];
  });
  const ofPaused = new Map<string, PausedMessages>();
  const others = topics.filter((topic) => {
    const matching = filters.filter(({ matches }) => matches(topic.topic) !== undefined);
    for (const { id } of matching) ofPaused.set(id, withTopic(ofPaused.get(id) ?? NO_MESSAGES, topic));
    return matching.length === 0;
  });
  return { ofPaused, others };
};

/** Paused pipelines that are sent messages, over HTTP or MQTT. */
export const pausedPipelineItems = (
  paused: readonly PipelineRow[],
  ...received: readonly ReadonlyMap<string, PausedMessages>[]
): KnownItem[] =>
  paused.flatMap((row) =>
    received.flatMap((byPipeline) => {
      const messages = byPipeline.get(row.id);
      if (messages === undefined) return [];
      return {
        ...NO_DETAILS,
        id: `paused ${row.id}`,
        kind: 'pipeline-paused' as const,
        severity: 'warning' as const,
        subject: partyOfPipeline(row),
        count: messages.count,
        since: toIsoTime(messages.sinceMs),
        lastAt: toIsoTime(messages.lastAtMs),
      };
    }),
  );
