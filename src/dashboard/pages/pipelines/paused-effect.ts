import type { Pipeline } from '#contract/pipelines.ts';

/** A source on the embedded broker: its messages become unrouted while nothing takes them. */
export const isOnEmbeddedBroker = ({ type, config }: Pick<Pipeline, 'type' | 'config'>): boolean =>
  type.toLowerCase() === 'mqtt' && config['url'] === undefined;

/** What happens to messages while a pipeline is paused. */
export const pausedEffect = (pipeline: Pick<Pipeline, 'type' | 'config'>): string =>
  isOnEmbeddedBroker(pipeline)
    ? 'Messages are unrouted until you resume the pipeline: only the last one of each topic is kept.'
    : 'Messages are rejected until you resume the pipeline.';
