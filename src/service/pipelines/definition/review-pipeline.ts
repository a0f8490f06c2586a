import type { Party, RecordEvents } from '../../events/event-store.ts';
import type { Environment } from '../../platform/secrets/environment.ts';
import type { Db } from '../../platform/storage/database.ts';
import { findValidationContext } from './find-validation-context.ts';
import { stateChanged } from './pipeline-events.ts';
import { findProblems, initialState } from './pipeline-rules.ts';
import {
  configOf,
  mappingOf,
  secretsOf,
  stateOf,
  updatePipeline,
  type PipelineRow,
} from './pipeline-store.ts';

/** Validates a pipeline again after a change of its environment. It may become a draft, or stop being one. */
export const reviewPipeline = async (
  tx: Db,
  recordEvents: RecordEvents,
  row: PipelineRow,
  { environment, actor, at }: { environment: Environment; actor: Party | null; at: number },
): Promise<void> => {
  const { type, destination } = row;
  const input = {
    type,
    destination,
    config: configOf(row),
    secrets: secretsOf(row),
    mapping: mappingOf(row),
  };
  const problems = findProblems(input, await findValidationContext(tx, { environment, destination }));
  const before = stateOf(row);
  const state = initialState(problems, row.enabled === 1);
  if ((before === 'draft') === (state === 'draft') && row.problems === JSON.stringify(problems)) return;
  await updatePipeline(tx, row.id, { state, problems: JSON.stringify(problems) });
  if (before !== state)
    await recordEvents(stateChanged(row, { from: before, to: state, reason: null, actor, at }));
};
