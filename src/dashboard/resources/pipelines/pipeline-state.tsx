import { type Pipeline } from '#contract/pipelines.ts';
import { stateReasonCodes, type PipelineState } from '#contract/pipeline-state.ts';
import { useClock } from '../../ui/browser/clock.ts';
import { cx } from '../../ui/browser/cx.ts';
import { formatLasting } from '../../ui/format/format-duration.ts';
import { Badge, StateDot, type Tone } from '../../ui/feedback/state-dot.tsx';

type Display = { word: string; tone: Tone };

export const pipelineStateDisplay: Record<PipelineState, Display> = {
  draft: { word: 'Draft', tone: 'attention' },
  running: { word: 'Running', tone: 'good' },
  degraded: { word: 'Degraded', tone: 'attention' },
  failed: { word: 'Failed', tone: 'bad' },
  paused: { word: 'Paused', tone: 'idle' },
};

type WithState = Pick<Pipeline, 'state' | 'stateReason'>;
type WithReason = WithState & Pick<Pipeline, 'problems'>;

/** No data arrives from a source without answer: worse than a degraded pipeline whose samples are stored or queued. */
export const displayOf = ({ state, stateReason }: WithState): Display =>
  state === 'degraded' && stateReason?.code === 'source'
    ? { word: 'No response', tone: 'bad' }
    : pipelineStateDisplay[state];

const statesBySeverity: readonly PipelineState[] = ['failed', 'degraded', 'draft', 'paused', 'running'];

/** Orders pipelines by severity, worst first; of equal ones, the longest first. */
export const bySeverity = (a: WithState, b: WithState): number =>
  statesBySeverity.indexOf(a.state) - statesBySeverity.indexOf(b.state) ||
  rankOfReason(a) - rankOfReason(b) ||
  sinceMs(a) - sinceMs(b);

const rankOfReason = ({ stateReason }: WithState): number =>
  stateReason === null ? stateReasonCodes.length : stateReasonCodes.indexOf(stateReason.code);
const sinceMs = ({ stateReason }: WithState): number =>
  stateReason === null ? 0 : Date.parse(stateReason.since);

/** What is wrong, without its duration. */
const summaryOf = ({ state, stateReason }: WithState): string => {
  const hasFailed = state === 'failed';
  switch (stateReason?.code) {
    case 'spool-full':
      return 'Spool full';
    case 'source':
      return hasFailed ? 'Source failed' : 'Source not responding';
    case 'processing':
      return 'Messages not processed';
    case 'destination':
      return hasFailed ? 'Destination blocked' : 'Destination retrying';
    case 'rejections':
      return 'Samples rejected';
    case 'recovering':
      return 'Recovering';
    default:
      return '';
  }
};

/** “Source not responding for 2 h 10 min”; empty if nothing is wrong. */
export const useReasonTitle = (pipeline: WithState): string => {
  const lasting = useClock((nowMs) =>
    // “For 0 s” would read as if nothing had happened.
    pipeline.stateReason === null ? '' : formatLasting(Math.max(1_000, nowMs - sinceMs(pipeline))),
  );
  const summary = summaryOf(pipeline);
  return summary === '' ? '' : `${summary} for ${lasting}`;
};

const reasonDetailOf = ({ state, stateReason, problems }: WithReason): string =>
  state === 'draft' ? (problems[0]?.detail ?? '') : (stateReason?.detail ?? '');

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
  const { word, tone } = displayOf(pipeline);
  return <StateDot tone={tone}>{word}</StateDot>;
};

export const PipelineStateBadge = ({ pipeline }: { pipeline: WithState }) => {
  const { word, tone } = displayOf(pipeline);
  return <Badge tone={tone}>{word}</Badge>;
};
