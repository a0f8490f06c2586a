import { useNavigate } from 'react-router-dom';
import type { Pipeline, PipelineType } from '#contract/pipelines.ts';
import type { FieldProblem } from '#contract/problem.ts';
import type { ReplayRequest } from '#contract/rejections.ts';
import { hasCode } from '../../api/api-error.ts';
import { describeFailedChange } from '../../api/describe-failed-change.ts';
import type { useEditedForm } from '../../kit/forms/use-edited-form.ts';
import { paths } from '../../paths.ts';
import { useChangePipeline, useCreatePipeline } from '../../resources/pipelines/pipeline-queries.ts';
import { useReplay } from '../../resources/pipelines/use-replay.ts';
import { showToast } from '../../ui/feedback/toast.ts';
import { changeOf, newPipelineOf, type PipelineFormValues } from './pipeline-form-values.ts';

type Options = {
  edited: ReturnType<typeof useEditedForm<Pipeline, PipelineFormValues>>;
  types: readonly PipelineType[];
  /** Called with the fields that the service rejects. */
  onProblems: (problems: readonly FieldProblem[]) => void;
  onFailed: (text: string) => void;
};

/** Creates or changes the pipeline of a form, then opens its page. */
export const useSavePipeline = ({ edited, types, onProblems, onFailed }: Options) => {
  const create = useCreatePipeline();
  const change = useChangePipeline();
  const { base } = edited;
  const replaying = useReplay(base.item?.id ?? '');
  const navigate = useNavigate();
  const isBusy = create.isPending || change.isPending;

  /** `then`: the rejections to replay after the change. */
  const save = async (values: PipelineFormValues, then: ReplayRequest | null) => {
    if (isBusy) return;
    let saved = base.item?.id;
    try {
      const isSaved = await edited.save(async ({ item, etag }) => {
        if (item === undefined) {
          const made = await create.mutateAsync(newPipelineOf(values, types));
          saved = made.id;
          showToast({ title: `Created ${made.name}` });
          return;
        }
        const changes = changeOf(item, values, types);
        if (Object.keys(changes).length > 0)
          await change.mutateAsync({ id: item.id, change: changes, ifMatch: etag });
      });
      if (!isSaved || saved === undefined) return;
      if (then !== null) void replaying.replay(then);
      void navigate(paths.pipeline(saved));
    } catch (error) {
      const problems = hasCode(error, 'validation-failed', 'conflict', 'destination-forbidden')
        ? error.fields
        : [];
      if (problems.length > 0) onProblems(problems);
      else onFailed(describeFailedChange(error));
    }
  };

  return { save, isBusy };
};
