import type { PipelineState } from '#contract/pipeline-state.ts';
import type { ReplayOutcome } from '#contract/rejections.ts';
import type { NewEvent, Party } from '../../events/event-store.ts';
import type { PipelineRow } from './pipeline-store.ts';

type Subject = Pick<PipelineRow, 'id' | 'name'>;

export const pipelineParty = ({ id, name }: Subject): Party => ({ type: 'pipeline', id, name });

export const pipelineEvent = (
  type: 'pipeline.created' | 'pipeline.updated' | 'pipeline.deleted',
  pipeline: Subject,
  { actor, at, data = {} }: { actor: Party | null; at: number; data?: Record<string, unknown> },
): NewEvent => ({ type, subject: pipelineParty(pipeline), actor, data, at });

/** The event for a replay, with the number of delivered and rejected samples. */
export const pipelineReplayed = (
  pipeline: Subject,
  { actor, at, data }: { actor: Party | null; at: number; data: ReplayOutcome },
): NewEvent => ({
  type: 'pipeline.replayed',
  subject: pipelineParty(pipeline),
  actor,
  data: { ...data },
  at,
});

/** `reason`: why the pipeline is degraded or failed. */
export const stateChanged = (
  pipeline: Subject,
  {
    from,
    to,
    reason,
    actor,
    at,
  }: {
    from: PipelineState;
    to: PipelineState;
    reason: string | null;
    actor: Party | null;
    at: number;
  },
): NewEvent => ({
  type: 'pipeline.state-changed',
  subject: pipelineParty(pipeline),
  actor,
  data: { from, to, reason },
  at,
});
