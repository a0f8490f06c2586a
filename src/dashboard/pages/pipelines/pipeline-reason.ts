import type { Pipeline } from '#contract/pipelines.ts';

/** Why a pipeline is not simply running; null where there is nothing to say. */
export const reasonOf = ({ state, problems, lastError }: Pipeline): string | null => {
  if (state === 'draft') return problems[0]?.detail ?? null;
  return state === 'degraded' || state === 'failed' ? (lastError?.detail ?? null) : null;
};
