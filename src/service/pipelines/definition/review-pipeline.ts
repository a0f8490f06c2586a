import type { Party, Tell } from '../../events/event-store.ts';
import type { Environment } from '../../platform/secrets/environment.ts';
import type { Db } from '../../platform/storage/database.ts';
import { findSurroundings } from './find-validation-context.ts';
import { stateChanged } from './pipeline-events.ts';
import { findProblems, restingState } from './pipeline-rules.ts';
import {
  configOf,
  mappingOf,
  secretsOf,
  stateOf,
  updatePipeline,
  type PipelineRow,
} from './pipeline-store.ts';

/** Judges anew what a pipeline lacks: what is around it may have changed. It becomes a draft, or one no longer. */
export const reviewPipeline = async (
  tx: Db,
  tell: Tell,
  row: PipelineRow,
  { environment, actor, at }: { environment: Environment; actor: Party | null; at: number },
): Promise<void> => {
  const { type, destination } = row;
  const wish = {
    type,
    destination,
    config: configOf(row),
    secrets: secretsOf(row),
    mapping: mappingOf(row),
  };
  const problems = findProblems(wish, await findSurroundings(tx, { environment, destination }));
  const before = stateOf(row);
  const state = restingState(problems, row.enabled === 1);
  if ((before === 'draft') === (state === 'draft') && row.problems === JSON.stringify(problems)) return;
  await updatePipeline(tx, row.id, { state, problems: JSON.stringify(problems) });
  if (before !== state) await tell(stateChanged(row, { from: before, to: state, reason: null, actor, at }));
};
