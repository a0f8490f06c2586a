import { type Pipeline } from '#contract/pipelines.ts';
import { describeProblem } from '#contract/problem.ts';
import type { PipelineState } from '#contract/pipeline-state.ts';
import { useClock } from '../../ui/browser/clock.ts';
import { cx } from '../../ui/browser/cx.ts';
import { durationSince } from '../../ui/format/format-duration.ts';
import { Badge, StateDot, type Tone } from '../../ui/feedback/state-dot.tsx';

type Display = { word: string; tone: Tone };

export const pipelineStateDisplay: Record<PipelineState, Display> = {
  draft: { word: 'Draft', tone: 'idle' },
  running: { word: 'Running', tone: 'good' },
  degraded: { word: 'Degraded', tone: 'attention' },
  failed: { word: 'Failed', tone: 'bad' },
  paused: { word: 'Paused', tone: 'idle' },
};

type WithState = Pick<Pipeline, 'state' | 'stateReason'>;
type WithReason = WithState & Pick<Pipeline, 'problems'>;

/** What is wrong, without its duration. */
export const summaryOf = ({ state, stateReason }: WithState): string => {
  switch (stateReason?.code) {
    case 'spool-full':
      return 'Spool full';
    case 'source':
      return 'Source failing';
    case 'processing':
      return 'Messages not processed';
    case 'destination':
      return state === 'failed' ? 'Destination blocked' : 'Destination retrying';
    case 'rejections':
      return 'Samples rejected';
    case 'recovering':
      return 'Recovering';
    default:
      return '';
  }
};

/** “Source failing for 2 h 10 min”; empty if nothing is wrong. */
export const useReasonTitle = (pipeline: WithState): string => {
  const since = pipeline.stateReason?.since;
  const duration = useClock((nowMs) => (since === undefined ? '' : durationSince(since, nowMs)));
  const summary = summaryOf(pipeline);
  return summary === '' ? '' : `${summary} for ${duration}`;
};

const reasonDetailOf = ({ state, stateReason, problems }: WithReason): string =>
  (state === 'draft' ? problems[0] && describeProblem(problems[0]) : stateReason?.detail) ?? '';

/** What is wrong and for how long, then the detail in one line or several. */
export const PipelineReason = ({ pipeline, className }: { pipeline: WithReason; className?: string }) => {
  const title = useReasonTitle(pipeline);
  const detail = reasonDetailOf(pipeline);
  if (title === '' && detail === '') return null;
  const text = [title, detail].filter(Boolean).join(': ');
  return (
    <span data-hint={text} className={className}>
      <span className={cx(title !== '' && 'font-medium text-ink')}>{title}</span>
      {title !== '' && detail !== '' && ': '}
      {detail}
    </span>
  );
};

export const PipelineStateDot = ({ pipeline }: { pipeline: WithState }) => {
  const { word, tone } = pipelineStateDisplay[pipeline.state];
  return <StateDot tone={tone}>{word}</StateDot>;
};

export const PipelineStateBadge = ({ pipeline }: { pipeline: WithState }) => {
  const { word, tone } = pipelineStateDisplay[pipeline.state];
  return <Badge tone={tone}>{word}</Badge>;
};
