import { useInfiniteQuery } from '@tanstack/react-query';
import { Failure } from '../../kit/failure.tsx';
import { paths, withQuery } from '../../paths.ts';
import { pipelineQueries } from '../../resources/pipelines/pipeline-queries.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Link, LinkButton } from '../../ui/controls/link.tsx';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';
import { formatCount } from '../../ui/format/format-number.ts';
import { Dialog, type DialogState } from '../../ui/overlays/dialog.tsx';

const SHOWN = 8;

/** Explains why a destination cannot be deleted, and lists its pipelines. */
export const DestinationInUseDialog = ({ name, state }: { name: string; state: DialogState }) => {
  const { data, error, refetch } = useInfiniteQuery(pipelineQueries.list({ destination: name }));
  const pipelines = data?.pages[0]?.data;
  const rest = (data?.pages[0]?.total ?? 0) - SHOWN;
  return (
    <Dialog
      state={state}
      title={`${name} is in use`}
      size="small"
      footer={
        <>
          <Button onClick={state.onClose}>Close</Button>
          <LinkButton variant="primary" to={withQuery(paths.pipelines, { destination: name })}>
            Show pipelines
          </LinkButton>
        </>
      }
    >
      <p className="text-muted">
        You cannot delete a destination that pipelines use. Choose another destination for each pipeline, or
        delete the pipeline.
      </p>
      {error !== null && pipelines === undefined ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : pipelines === undefined ? (
        <Skeleton className="mt-3 w-1/2" />
      ) : (
        <ul aria-label="Pipelines that use this destination" className="mt-3 flex flex-col gap-1">
          {pipelines.slice(0, SHOWN).map((pipeline) => (
            <li key={pipeline.id} className="break-words">
              <Link to={withQuery(paths.editPipeline(pipeline.id), { field: '/destination' })}>
                {pipeline.name}
              </Link>
            </li>
          ))}
          {rest > 0 && <li className="text-muted">and {formatCount(rest)} more</li>}
        </ul>
      )}
    </Dialog>
  );
};
