import type { Pipeline } from '#contract/pipelines.ts';
import { describeError } from '../../api/api-error.ts';
import { useChangePipeline } from './pipeline-queries.ts';
import { showToast } from '../../ui/feedback/toast.ts';

/** The messages of these pipelines become unrouted while the pipeline is paused. */
export const usesEmbeddedBroker = ({ type, config }: Pick<Pipeline, 'type' | 'config'>): boolean =>
  type.toLowerCase() === 'mqtt' && config['url'] === undefined;

/** Says what happens to messages while a pipeline is paused. */
export const describePause = (pipeline: Pick<Pipeline, 'type' | 'config'>): string =>
  usesEmbeddedBroker(pipeline)
    ? 'Messages are unrouted until you resume the pipeline: only the last one of each topic is kept.'
    : 'Messages are rejected until you resume the pipeline.';

/** Pauses or resumes a pipeline at once; the toast undoes it. */
export const usePause = () => {
  const { mutateAsync, isPending } = useChangePipeline();

  const setEnabled = async (
    pipeline: Pick<Pipeline, 'id' | 'name' | 'type' | 'config'>,
    enabled: boolean,
    isUndo = false,
  ) => {
    const { id, name } = pipeline;
    try {
      // A wish of its own, whatever else was changed meanwhile: no revision has to match.
      await mutateAsync({ id, change: { enabled }, ifMatch: null });
      showToast({
        title: enabled ? `Resumed ${name}` : `Paused ${name}`,
        ...(!isUndo && {
          ...(!enabled && { detail: describePause(pipeline) }),
          action: { label: 'Undo', onAct: () => void setEnabled(pipeline, !enabled, true) },
        }),
      });
    } catch (error) {
      showToast({
        title: `Could not ${enabled ? 'resume' : 'pause'} ${name}`,
        detail: describeError(error).detail,
        tone: 'bad',
      });
    }
  };
  return { setEnabled, isPending };
};
