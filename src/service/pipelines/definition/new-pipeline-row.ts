import type { Mapping, NewPipeline, Pipeline } from '#contract/pipelines.ts';
import { foldCase } from '#contract/text.ts';
import type { Secrets } from '../../platform/secrets/stored-secrets.ts';
import { newId } from '../../platform/storage/new-id.ts';
import { knownType, findProblems, restingState, type Surroundings } from './pipeline-rules.ts';
import { partSecrets } from './pipeline-secrets.ts';
import type { PipelineRow } from './pipeline-store.ts';

export type PipelineWish = Pick<Pipeline, Exclude<keyof NewPipeline, 'mapping'>> & { mapping: Mapping };

/** What was there before, whose secrets a mask keeps. */
type Old = { type: string; config: Record<string, unknown>; secrets: Secrets };

/** The columns that follow from what somebody wants of a pipeline. */
export const wishColumns = (wish: PipelineWish, surroundings: Surroundings, old?: Old) => {
  const type = knownType(wish.type);
  const destination = surroundings.destination?.name ?? wish.destination;
  const { config, secrets } = partSecrets(type, wish.config, old);
  const problems = findProblems({ type, destination, config, secrets, mapping: wish.mapping }, surroundings);
  return {
    name: wish.name,
    name_key: foldCase(wish.name),
    type,
    interval: wish.interval,
    destination,
    destination_key: foldCase(destination),
    enabled: wish.enabled ? 1 : 0,
    config: JSON.stringify(config),
    secrets: JSON.stringify(secrets),
    mapping: JSON.stringify(wish.mapping),
    problems: JSON.stringify(problems),
    state: restingState(problems, wish.enabled),
  };
};

/** A pipeline that has taken nothing yet. */
export const newPipelineRow = (
  { enabled = true, config = {}, mapping = { format: 'auto' }, ...needed }: NewPipeline,
  nowMs: number,
  surroundings: Surroundings,
): PipelineRow => ({
  id: newId('pip'),
  ...wishColumns({ ...needed, enabled, config, mapping }, surroundings),
  received: 0,
  delivered: 0,
  pending: 0,
  rejected: 0,
  skipped: 0,
  overwritten: 0,
  spool_bytes: 0,
  last_message_at: 0,
  last_error_at: null,
  last_error: null,
  created_at: nowMs,
  updated_at: nowMs,
  revision: 1,
});
