import { Copy, Pause, Pencil, Play, Trash2 } from 'lucide-react';
import { ellipsisIcon } from '../../ui/controls/ellipsis-icon.tsx';
import { Suspense } from 'react';
import { useNavigate } from 'react-router-dom';
import type { Pipeline } from '#contract/pipelines.ts';
import { useDialog } from '../../kit/confirm/use-dialog.ts';
import { useHasScope } from '../../api/session-queries.ts';
import { paths, withQuery } from '../../paths.ts';
import { Button } from '../../ui/controls/button.tsx';
import { LinkButton } from '../../ui/controls/link.tsx';
import { Menu } from '../../ui/overlays/menu.tsx';
import { useListPath } from '../../ui/table/use-list-path.ts';
import { usePause } from '../../resources/pipelines/use-pause.ts';
import { lazyDialog } from '../../ui/overlays/lazy-popup.tsx';

const DeletePipelineDialog = lazyDialog(
  async () => (await import('./delete-pipeline-dialog.tsx')).DeletePipelineDialog,
);

/** The actions on a pipeline. */
export const PipelineActions = ({ pipeline }: { pipeline: Pipeline }) => {
  const canWrite = useHasScope('pipelines:write');
  const { setEnabled, isPending } = usePause();
  const deletion = useDialog<Pipeline>();
  const navigate = useNavigate();
  const list = useListPath(paths.pipelines);
  const { id, enabled, state } = pipeline;
  if (!canWrite) return null;
  return (
    <>
      {state !== 'draft' && (
        <Button
          busy={isPending}
          icon={enabled ? <Pause aria-hidden className="size-4" /> : <Play aria-hidden className="size-4" />}
          onClick={() => void setEnabled(pipeline, !enabled)}
        >
          {enabled ? 'Pause' : 'Resume'}
        </Button>
      )}
      <LinkButton to={paths.editPipeline(id)} icon={<Pencil aria-hidden className="size-4" />}>
        Edit
      </LinkButton>
      <Menu
        label="More"
        appearance="icon"
        icon={ellipsisIcon}
        items={[
          {
            label: 'Duplicate',
            icon: <Copy aria-hidden />,
            to: withQuery(paths.newPipeline, { from: id }),
          },
          'separator',
          {
            label: 'Delete…',
            icon: <Trash2 aria-hidden />,
            isDanger: true,
            onSelect: () => deletion.open(pipeline),
          },
        ]}
      />
      {deletion.subject !== null && (
        <Suspense>
          <DeletePipelineDialog
            pipeline={pipeline}
            state={deletion.state}
            onDeleted={() => void navigate(list)}
          />
        </Suspense>
      )}
    </>
  );
};
