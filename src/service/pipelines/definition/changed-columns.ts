import * as z from 'zod';
import { mappingSchema, type PipelineChange } from '#contract/pipelines.ts';
import { mergePatch } from '../../platform/http/merge-patch.ts';
import { toRow } from './new-pipeline-row.ts';
import { canonicalType, type ValidationContext } from './pipeline-rules.ts';
import { NO_THROUGHPUT, pipelineOf, secretsOf, type PipelineRow } from './pipeline-store.ts';
import { targetOf } from './pipeline-target.ts';

const fieldsOf = (row: PipelineRow) => {
  const { name, type, interval, destination, enabled, config, mapping } = pipelineOf(row, NO_THROUGHPUT);
  return { name, type, interval, destination, enabled, config, mapping };
};

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

const withoutUndefined = <T extends object>(object: T): Given<T> =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as Given<T>;

/**
 * The columns after a change. `isMoved`: the pipeline would read from another address. Writes nothing.
 * @throws HttpProblem 422 at the pointer of a secret that was stored for another address
 */
export const changedColumns = (old: PipelineRow, change: PipelineChange, context: ValidationContext) => {
  const fields = fieldsOf(old);
  const config = z.record(z.string(), z.unknown()).parse(mergePatch(fields.config, change.config ?? {}));
  const mapping = mappingSchema.parse(mergePatch(fields.mapping, change.mapping ?? {}));
  const type = canonicalType(change.type ?? old.type);
  const before = { type: old.type, config: fields.config, secrets: secretsOf(old) };
  const isMoved = targetOf(type, config)?.key !== targetOf(before.type, before.config)?.key;
  const input = { ...fields, ...withoutUndefined(change), config, mapping };
  return { columns: toRow(input, context, before), type, config, isMoved };
};
