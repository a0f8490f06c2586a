import type { PipelineState } from '#contract/pipelines.ts';
import { Badge, StateDot, type Tone } from '../../ui/feedback/state-dot.tsx';

export const pipelineStateDisplay: Record<PipelineState, { word: string; tone: Tone }> = {
  draft: { word: 'Draft', tone: 'attention' },
  running: { word: 'Running', tone: 'good' },
  degraded: { word: 'Degraded', tone: 'attention' },
  failed: { word: 'Failed', tone: 'bad' },
  paused: { word: 'Paused', tone: 'idle' },
};

export const PipelineStateDot = ({ state }: { state: PipelineState }) => {
  const { word, tone } = pipelineStateDisplay[state];
  return <StateDot tone={tone}>{word}</StateDot>;
};

export const PipelineStateBadge = ({ state }: { state: PipelineState }) => {
  const { word, tone } = pipelineStateDisplay[state];
  return <Badge tone={tone}>{word}</Badge>;
};
