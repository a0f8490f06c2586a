import type { Pipeline } from '#contract/pipelines.ts';
import { pauseOrResume } from '../../kit/pause-or-resume.ts';
import { useChangePipeline } from './pipeline-queries.ts';

/** The messages of these pipelines become unrouted while the pipeline is paused. */
export const usesEmbeddedBroker = ({ type, config }: Pick<Pipeline, 'type' | 'config'>): boolean =>
  type.toLowerCase() === 'mqtt' && config['url'] === undefined;

/** Says what happens to messages while a pipeline is paused. */
export const describePause = (pipeline: Pick<Pipeline, 'type' | 'config'>): string => {
  if (usesEmbeddedBroker(pipeline))
    return 'Until you resume the pipeline, messages that no other pipeline reads are unrouted. Penstock keeps only the last message of each topic.';
  // Penstock polls the sources of all other types, or subscribes to them.
  return pipeline.type.toLowerCase() === 'http'
    ? 'Messages are rejected until you resume the pipeline.'
    : 'Penstock does not read the source until you resume the pipeline.';
};

/** Pauses or resumes a pipeline at once; the toast undoes it. */
export const usePause = () => {
  const { mutateAsync, isPending } = useChangePipeline();
  const setEnabled = (pipeline: Pick<Pipeline, 'id' | 'name' | 'type' | 'config'>, enabled: boolean) =>
    pauseOrResume(pipeline, enabled, {
      // Whatever else was changed since it was read, the pipeline is paused or resumed.
      setEnabled: ({ id }, next) => mutateAsync({ id, change: { enabled: next }, ifMatch: null }),
      pausedDetail: describePause,
    });
  return { setEnabled, isPending };
};
