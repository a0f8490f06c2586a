import type { Pipeline } from '#contract/pipelines.ts';

/** The messages of these pipelines become unrouted while the pipeline is paused. */
export const usesEmbeddedBroker = ({ type, config }: Pick<Pipeline, 'type' | 'config'>): boolean =>
  type.toLowerCase() === 'mqtt' && config['url'] === undefined;

/** Says what happens to messages while a pipeline is paused. */
export const describePause = (pipeline: Pick<Pipeline, 'type' | 'config'>): string =>
  usesEmbeddedBroker(pipeline)
    ? 'Messages are unrouted until you resume the pipeline: only the last one of each topic is kept.'
    : 'Messages are rejected until you resume the pipeline.';
