import type { Pipeline } from '#contract/pipelines.ts';
import { describeError } from '../../api/api-error.ts';
import { useChangePipeline } from '../../api/pipeline-queries.ts';
import { showToast } from '../../ui/toast.ts';

/** Pauses or resumes a pipeline at once; the toast undoes it. */
export const usePause = () => {
  const { mutateAsync, isPending } = useChangePipeline();

  const setEnabled = async (
    { id, name }: Pick<Pipeline, 'id' | 'name'>,
    enabled: boolean,
    isUndo = false,
  ) => {
    try {
      // A wish of its own, whatever else was changed meanwhile: no revision has to match.
      await mutateAsync({ id, change: { enabled }, ifMatch: null });
      showToast({
        title: enabled ? `Resumed ${name}` : `Paused ${name}`,
        ...(!isUndo && {
          ...(!enabled && { detail: 'What is sent to it is refused until it is resumed.' }),
          action: { label: 'Undo', onAct: () => void setEnabled({ id, name }, !enabled, true) },
        }),
      });
    } catch (error) {
      showToast({
        title: `${name} was not ${enabled ? 'resumed' : 'paused'}`,
        detail: describeError(error).detail,
        tone: 'bad',
      });
    }
  };
  return { setEnabled, isPending };
};
