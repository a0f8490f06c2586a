import type { Mapping, NewPipeline, Pipeline } from '#contract/pipelines.ts';
import { foldCase } from '#contract/fold-case.ts';
import type { Secrets } from '../../platform/secrets/stored-secrets.ts';
import { newId } from '../../platform/storage/new-id.ts';
import { canonicalType, findProblems, initialState, type ValidationContext } from './pipeline-rules.ts';
import { extractSecrets } from './pipeline-secrets.ts';
import type { PipelineRow } from './pipeline-store.ts';

export type PipelineInput = Pick<Pipeline, Exclude<keyof NewPipeline, 'mapping'>> & { mapping: Mapping };

/** The previous configuration. A mask keeps its secrets. */
type Old = { type: string; config: Record<string, unknown>; secrets: Secrets };

/** The columns for the input of a pipeline. */
export const toRow = (input: PipelineInput, context: ValidationContext, old?: Old) => {
  const type = canonicalType(input.type);
  const destination = context.destination?.name ?? input.destination;
  const { config, secrets } = extractSecrets(type, input.config, old);
  const problems = findProblems({ type, destination, config, secrets, mapping: input.mapping }, context);
  return {
    name: input.name,
    name_key: foldCase(input.name),
    type,
    interval: input.interval,
    destination,
    destination_key: foldCase(destination),
    enabled: input.enabled ? 1 : 0,
    config: JSON.stringify(config),
    secrets: JSON.stringify(secrets),
    mapping: JSON.stringify(input.mapping),
    problems: JSON.stringify(problems),
    state: initialState(problems, input.enabled),
  };
};

/** The row of a new pipeline, with an empty ledger. */
export const newPipelineRow = (
  { enabled = true, config = {}, mapping = { format: 'auto' }, ...needed }: NewPipeline,
  nowMs: number,
  context: ValidationContext,
): PipelineRow => ({
  id: newId('pip'),
  ...toRow({ ...needed, enabled, config, mapping }, context),
  received: 0,
  delivered: 0,
  pending: 0,
  rejected: 0,
  skipped: 0,
  overwritten: 0,
  spool_bytes: 0,
  last_message_at: 0,
  state_reason: null,
  state_reason_since: null,
  last_error_at: null,
  last_error: null,
  created_at: nowMs,
  updated_at: nowMs,
  revision: 1,
});
