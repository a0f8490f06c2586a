import { Pause, Play } from 'lucide-react';
import type { Pipeline } from '#contract/pipelines.ts';
import { useMay } from '../../api/session-queries.ts';
import { IconButton } from '../../ui/controls/icon-button.tsx';
import { usePause } from '../../resources/pipelines/use-pause.ts';

/** Pauses or resumes from the row. A draft does not run, so there is nothing to pause. */
export const PauseButton = ({ pipeline }: { pipeline: Pipeline }) => {
  const mayWrite = useMay('pipelines:write');
  const { setEnabled, isPending } = usePause();
  if (!mayWrite || pipeline.state === 'draft') return null;
  const { enabled, name } = pipeline;
  return (
    <IconButton
      label={enabled ? `Pause ${name}` : `Resume ${name}`}
      icon={enabled ? <Pause aria-hidden /> : <Play aria-hidden />}
      aria-disabled={isPending || undefined}
      onClick={() => {
        if (!isPending) void setEnabled(pipeline, !enabled);
      }}
    />
  );
};
