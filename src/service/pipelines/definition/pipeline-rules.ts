import { fieldProblems } from '../../platform/http/parse-request.ts';
import { TELEMETRY, type Mapping, type Pipeline } from '#contract/pipelines.ts';
import { type PipelineState } from '#contract/pipeline-state.ts';
import { expressionProblem } from '../mapping/expression-problem.ts';
import { findSource } from '../sources/source-catalogue.ts';
import { HttpProblem } from '../../platform/http/http-problem.ts';
import type { Environment } from '../../platform/secrets/environment.ts';
import type { Secrets } from '../../platform/secrets/stored-secrets.ts';
import { restoreSecrets, referenceProblems } from './pipeline-secrets.ts';

type PipelineDefinition = {
  type: string;
  destination: string;
  config: Record<string, unknown>;
  secrets: Secrets;
  mapping: Mapping;
};

/** The canonical spelling of a type. Unknown types stay unchanged. */
export const canonicalType = (type: string): string => findSource(type)?.type ?? type;

/** What validation of a pipeline depends on besides the pipeline. */
export type ValidationContext = {
  environment: Environment;
  /** The destination that the pipeline names; undefined if it does not exist. */
  destination: { readonly name: string } | undefined;
};

/** Missing or invalid parts of a pipeline. With any of them, the pipeline is a draft. */
export const findProblems = (
  definition: PipelineDefinition,
  { environment, destination: known }: ValidationContext,
): Pipeline['problems'] => {
  const { type, destination, mapping } = definition;
  const problems: Pipeline['problems'] = [];
  const source = findSource(type);
  if (source === undefined)
    problems.push({
      pointer: '/type',
      detail: `Unknown type: ${type}. Edit the pipeline and choose a type.`,
    });
  if (known === undefined)
    problems.push({
      pointer: '/destination',
      detail: `There is no destination ${destination}. Create it, or choose another destination, for example ${TELEMETRY} (the built-in store).`,
    });
  const parsed = source?.config.safeParse(restoreSecrets(definition, environment));
  if (parsed?.error !== undefined)
    for (const { pointer, detail } of fieldProblems(parsed.error))
      problems.push({ pointer: `/config${pointer}`, detail });
  problems.push(
    ...referenceProblems(definition, environment).map(({ pointer, detail }) => ({ pointer, detail })),
  );
  const fault = mapping.format === 'expression' ? expressionProblem(mapping.expression) : undefined;
  if (fault !== undefined) problems.push({ pointer: '/mapping/expression', detail: fault });
  return problems;
};

/**
 * Rejects a configuration that would send an environment variable to a host that is not in its list.
 * @throws HttpProblem 422 at each such secret
 */
export const requireListedHosts = (
  config: { type: string; config: Record<string, unknown>; secrets: Secrets },
  environment: Environment,
): void => {
  const errors = referenceProblems(config, environment).flatMap(({ kind, pointer, detail }) =>
    kind === 'forbidden' ? [{ pointer, code: 'invalid-reference', detail }] : [],
  );
  if (errors[0] !== undefined) throw new HttpProblem('validation-failed', errors[0].detail, { errors });
};

/** The state of a pipeline before it starts. */
export const initialState = (problems: Pipeline['problems'], enabled: boolean): PipelineState => {
  if (problems.length > 0) return 'draft';
  return enabled ? 'running' : 'paused';
};
