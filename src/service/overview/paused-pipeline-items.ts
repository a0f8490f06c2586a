import type { TopicFilter } from '#contract/topic-filter.ts';
import { configOf, type PipelineRow } from '../pipelines/definition/pipeline-store.ts';
import type { PausedMessages } from '../pipelines/runner/paused-messages.ts';
import { mqttSource } from '../pipelines/sources/mqtt-source.ts';
import { findSource } from '../pipelines/sources/source-catalogue.ts';
import { toIsoTime } from '../platform/iso-time.ts';
import type { listRecentUnrouted } from '../mqtt/unrouted-store.ts';
import { NO_DETAILS, partyOfPipeline, type KnownItem } from './attention-items.ts';

type UnroutedTopic = Awaited<ReturnType<typeof listRecentUnrouted>>[number];

const sumOf = (a: PausedMessages | undefined, b: PausedMessages): PausedMessages =>
  a === undefined
    ? b
    : {
        count: a.count + b.count,
        sinceMs: Math.min(a.sinceMs, b.sinceMs),
        lastAtMs: Math.max(a.lastAtMs, b.lastAtMs),
      };

const messagesOf = ({ messages, first_at, last_at }: UnroutedTopic): PausedMessages => ({
  count: messages,
  sinceMs: first_at,
  lastAtMs: last_at,
});

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
    for (const { id } of matching) ofPaused.set(id, sumOf(ofPaused.get(id), messagesOf(topic)));
    return matching.length === 0;
  });
  return { ofPaused, others };
};

/** Paused pipelines for which messages arrive, over HTTP or MQTT: one item for each. */
export const pausedPipelineItems = (
  paused: readonly PipelineRow[],
  ...received: readonly ReadonlyMap<string, PausedMessages>[]
): KnownItem[] =>
  paused.flatMap((row): KnownItem[] => {
    // Both if the type of the pipeline was changed.
    const [first, ...others] = received.flatMap((byPipeline) => byPipeline.get(row.id) ?? []);
    if (first === undefined) return [];
    const { count, sinceMs, lastAtMs } = others.reduce(sumOf, first);
    return [
      {
        ...NO_DETAILS,
        id: `paused ${row.id}`,
        kind: 'pipeline-paused',
        severity: 'warning',
        subject: partyOfPipeline(row),
        count,
        since: toIsoTime(sinceMs),
        lastAt: toIsoTime(lastAtMs),
      },
    ];
  });
