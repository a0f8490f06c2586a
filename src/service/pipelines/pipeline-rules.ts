import type * as z from 'zod';
import { pointerOf } from '#contract/problem.ts';
import { TELEMETRY, type Mapping, type Pipeline, type PipelineState } from '#contract/pipelines.ts';
import { expressionProblem } from '../ingest/expression-problem.ts';
import { findSource } from '../ingest/sources/source-catalogue.ts';
import { joinSecrets, referenceProblems, type Environment, type Secrets } from './pipeline-secrets.ts';

type Wish = {
  type: string;
  destination: string;
  config: Record<string, unknown>;
  secrets: Secrets;
  mapping: Mapping;
};

/** A type as it is known here, however it was written; one that is not known stays as it is. */
export const knownType = (type: string): string => findSource(type)?.type ?? type;

/** A destination as it is known here, however it was written; one that is not known stays as it is. */
export const knownDestination = (destination: string): string =>
  destination.toLowerCase() === TELEMETRY ? TELEMETRY : destination;

const fieldProblems = ({ issues }: z.ZodError): Pipeline['problems'] =>
  issues.flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys')
      return [{ pointer: pointerOf(['config', ...issue.path]), detail: issue.message }];
    return issue.keys.map((key) => ({
      pointer: pointerOf(['config', ...issue.path, key]),
      detail: 'There is no such field. Leave it out.',
    }));
  });

/** What a pipeline needs and lacks: with any of these it is a draft. */
export const problemsOf = (wish: Wish, environment: Environment): Pipeline['problems'] => {
  const { type, destination, mapping } = wish;
  const problems: Pipeline['problems'] = [];
  const source = findSource(type);
  if (source === undefined)
    problems.push({
      pointer: '/type',
      detail: `There is no type ${type}. Choose one of GET /v1/pipeline-types.`,
    });
  if (knownDestination(destination) !== TELEMETRY)
    problems.push({
      pointer: '/destination',
      detail: `There is no destination ${destination}. The built-in store is called ${TELEMETRY}.`,
    });
  const parsed = source?.config.safeParse(joinSecrets(wish, environment));
  if (parsed?.error !== undefined) problems.push(...fieldProblems(parsed.error));
  problems.push(...referenceProblems(wish, environment));
  const fault = mapping.format === 'expression' ? expressionProblem(mapping.expression) : undefined;
  if (fault !== undefined) problems.push({ pointer: '/mapping/expression', detail: fault });
  return problems;
};

/** The state of a pipeline that has not begun to work yet. */
export const restingState = (problems: Pipeline['problems'], enabled: boolean): PipelineState => {
  if (problems.length > 0) return 'draft';
  return enabled ? 'running' : 'paused';
};

/** A merge patch (RFC 7396): null takes a field away, an object is merged, anything else replaces. */
export const mergePatch = (target: unknown, patch: unknown): unknown => {
  if (!isRecord(patch)) return patch;
  const merged = new Map(isRecord(target) ? Object.entries(target) : []);
  for (const [key, value] of Object.entries(patch))
    if (value === null) merged.delete(key);
    else merged.set(key, mergePatch(merged.get(key), value));
  return Object.fromEntries(merged);
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
