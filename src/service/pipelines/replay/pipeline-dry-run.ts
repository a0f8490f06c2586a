import type { PipelineChange } from '#contract/pipelines.ts';
import { resolveDryRun } from '../../devices/device-registry.ts';
import { HttpProblem } from '../../platform/http/http-problem.ts';
import type { Environment } from '../../platform/secrets/environment.ts';
import type { Db } from '../../platform/storage/database.ts';
import type { Timeouts } from '../../platform/timeouts.ts';
import type { TelemetryStore } from '../../telemetry/store/telemetry-store.ts';
import { createDryRunIngest } from '../../telemetry/write/dry-run-ingest.ts';
import { changedColumns } from '../definition/changed-columns.ts';
import { findValidationContext } from '../definition/find-validation-context.ts';
import { describeProblems, problemsOf, type PipelineRow } from '../definition/pipeline-store.ts';
import type { ReadLargeMessage } from '../formats/read-message.ts';
import type { LearnedRegistry } from '../ingest/learned-registry.ts';
import type { ExpressionEvaluator } from '../mapping/expression-evaluator.ts';

/** What processing messages without effects needs. */
export type DryRunDependencies = {
  db: Db;
  environment: Environment;
  expressions: Pick<ExpressionEvaluator, 'tryOut'>;
  now: () => number;
  telemetry: TelemetryStore;
  readLargeMessage: ReadLargeMessage;
  learned: Pick<LearnedRegistry, 'findForPreview'>;
  /** Older samples are rejected; undefined: no limit. */
  retentionMs: number | undefined;
  metricsPerDevice: number;
  timeouts: Pick<Timeouts, 'previewMs'>;
};

/** An ingest that stores nothing and registers no devices. `omitsStored`: leaves out samples that are stored already. */
export const dryRunIngest = (
  { db, now, telemetry, retentionMs, metricsPerDevice }: DryRunDependencies,
  { omitsStored }: { omitsStored: boolean },
) =>
  createDryRunIngest({
    store: telemetry,
    resolveDryRun: (names, sender) => resolveDryRun(db, names, sender),
    clock: now,
    retentionMs,
    metricsPerDevice,
    omitsStored,
  });

/** The pipeline after a change. @throws HttpProblem `invalid-state` for a draft, which processes no messages */
export const pipelineAfter = async (
  { db, environment }: Pick<DryRunDependencies, 'db' | 'environment'>,
  old: PipelineRow,
  change: PipelineChange = {},
): Promise<PipelineRow> => {
  const destination = change.destination ?? old.destination;
  const context = await findValidationContext(db, { environment, destination });
  const row = { ...old, ...changedColumns(old, change, context).columns };
  if (row.state !== 'draft') return row;
  const words = old.state === 'draft' ? 'is a draft' : 'would become a draft with this change';
  throw new HttpProblem(
    'invalid-state',
    `The pipeline “${row.name}” ${words}: ${describeProblems(row)} Fix this first.`,
    {
      errors: problemsOf(row).map(({ pointer, detail }) => ({
        pointer: `/change${pointer}`,
        code: 'invalid',
        detail,
      })),
    },
  );
};

/** Whether the time for a preview is over, or the client has disconnected. */
export const createPreviewLimit = (
  { timeouts }: Pick<DryRunDependencies, 'timeouts'>,
  isAwaited: () => boolean,
): (() => boolean) => {
  let startedAt: number | undefined;
  // First asked after the first message, whose expression may have to wait until its process has started.
  return () => !isAwaited() || performance.now() - (startedAt ??= performance.now()) >= timeouts.previewMs;
};
