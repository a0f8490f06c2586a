import type { Pipeline, PipelineType } from '#contract/pipelines.ts';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import { intervalInWords } from '../../resources/pipelines/interval-in-words.ts';
import { useLastMessageMs } from '../../resources/pipelines/throughput.ts';

type Props = { pipeline: Pipeline; type: PipelineType | undefined };

/** What a pipeline does, and the evidence that it does it. */
export const PipelineEvidence = ({ pipeline, type }: Props) => {
  const lastMs = useLastMessageMs(pipeline);
  return (
    <p>
      {type?.label ?? pipeline.type} into {pipeline.destination},{' '}
      {intervalInWords(pipeline.interval, type?.kind)}
      {'; '}
      {lastMs === null ? (
        'no message yet'
      ) : (
        <>
          last message <RelativeTime at={lastMs} />
        </>
      )}
    </p>
  );
};
