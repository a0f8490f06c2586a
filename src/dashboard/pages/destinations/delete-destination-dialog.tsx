import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Destination } from '#contract/destinations.ts';
import { describeError, hasCode } from '../../api/api-error.ts';
import { useDeleteDestination } from '../../resources/destinations/destination-queries.ts';
import { pipelineQueries } from '../../resources/pipelines/pipeline-queries.ts';
import { paths, withQuery } from '../../paths.ts';
import { Button } from '../../ui/controls/button.tsx';
import { ConfirmDialog } from '../../ui/overlays/confirm-dialog.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { plural } from '../../ui/format/format-number.ts';
import { Link, LinkButton } from '../../ui/controls/link.tsx';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';
import { showToast } from '../../ui/feedback/toast.ts';

type Props = {
  destination: Destination;
  isOpen: boolean;
  onClose: () => void;
  onClosed: () => void;
  onDeleted: () => void;
};

/** Deletes a destination after saying what goes and what stays; while pipelines send to it, says which. */
export const DeleteDestinationDialog = ({ destination, isOpen, onClose, onClosed, onDeleted }: Props) => {
  const { id, name, usedBy } = destination;
  const remove = useDeleteDestination();
  // A pipeline may have been given it since the list was read: the service tells.
  const [isUsed, setIsUsed] = useState(usedBy > 0);
  const confirm = () =>
    remove.mutate(id, {
      onSuccess: () => {
        onClose();
        onDeleted();
        showToast({ title: `Deleted ${name}` });
      },
      onError: (error) => setIsUsed(hasCode(error, 'conflict')),
    });
  if (isUsed) return <StillUsed name={name} isOpen={isOpen} onClose={onClose} onClosed={onClosed} />;
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      onClosed={onClosed}
      title={`Delete ${name}?`}
      confirmLabel="Delete"
      onConfirm={confirm}
      isBusy={remove.isPending}
      error={remove.isError ? describeError(remove.error).detail : undefined}
      typeName={name}
    >
      <p>
        Its address and its secrets go, and cannot be had again. The values that it holds stay where they are.
        No pipeline sends to it.
      </p>
    </ConfirmDialog>
  );
};

const SHOWN = 8;

type UsedProps = Pick<Props, 'isOpen' | 'onClose' | 'onClosed'> & { name: string };

const StillUsed = ({ name, ...dialog }: UsedProps) => {
  const { data } = useInfiniteQuery(pipelineQueries.list({ destination: name }));
  const pipelines = data?.pages[0]?.data;
  const rest = (data?.pages[0]?.total ?? 0) - SHOWN;
  return (
    <Dialog
      {...dialog}
      title={`${name} is in use`}
      size="small"
      footer={
        <>
          <Button onClick={dialog.onClose}>Close</Button>
          <LinkButton look="primary" to={withQuery(paths.pipelines, { destination: name })}>
            See its pipelines
          </LinkButton>
        </>
      }
    >
      <p className="text-muted">
        It cannot be deleted while pipelines send to it: give each another destination, or delete the
        pipeline.
      </p>
      {pipelines === undefined ? (
        <Skeleton className="mt-3 w-1/2" />
      ) : (
        <ul aria-label="Pipelines that send to it" className="mt-3 flex flex-col gap-1">
          {pipelines.slice(0, SHOWN).map((pipeline) => (
            <li key={pipeline.id} className="break-words">
              <Link to={withQuery(paths.editPipeline(pipeline.id), { field: '/destination' })}>
                {pipeline.name}
              </Link>
            </li>
          ))}
          {rest > 0 && <li className="text-muted">and {plural(rest, 'more', 'more')}</li>}
        </ul>
      )}
    </Dialog>
  );
};
