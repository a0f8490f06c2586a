import type { Deps } from '../deps.ts';
import { transact } from '../events/event-store.ts';
import { startMqttBroker } from '../mqtt/mqtt-broker.ts';
import { stateChanged } from './pipeline-events.ts';
import { problemsOf, restingState } from './pipeline-rules.ts';
import { createRunner } from './pipeline-runner.ts';
import {
  configOf,
  listAllPipelines,
  mappingOf,
  secretsOf,
  stateOf,
  updatePipeline,
  type PipelineRow,
} from './pipeline-store.ts';
import type { Pipelines } from './pipelines.ts';
import { seedPipelines } from './seed-pipelines.ts';

type RunnerDeps = Omit<Deps, 'pipelines'>;

/** Another version of the service may know other types: what a pipeline lacks is judged anew at each start. */
const reviewDraft = async (deps: RunnerDeps, row: PipelineRow): Promise<void> => {
  const { type, destination } = row;
  const wish = {
    type,
    destination,
    config: configOf(row),
    secrets: secretsOf(row),
    mapping: mappingOf(row),
  };
  const problems = problemsOf(wish, deps.config.environment);
  const before = stateOf(row);
  const state = restingState(problems, row.enabled === 1);
  if ((before === 'draft') === (state === 'draft') && row.problems === JSON.stringify(problems)) return;
  await transact(deps, async (tx, tell) => {
    await updatePipeline(tx, row.id, { state, problems: JSON.stringify(problems) });
    if (before !== state)
      await tell(stateChanged(row, { from: before, to: state, reason: null, actor: null, at: deps.now() }));
  });
};

/** Starts the broker and every pipeline that is enabled; on the very first start makes the seeded ones. */
export const startPipelines = async (deps: RunnerDeps): Promise<Pipelines> => {
  await seedPipelines(deps);
  const broker = await startMqttBroker(deps);
  const pipelines = createRunner(deps, broker);
  try {
    for (const row of await listAllPipelines(deps.db)) {
      await reviewDraft(deps, row);
      await pipelines.apply(row.id);
    }
    return pipelines;
  } catch (error) {
    await pipelines.close();
    throw error;
  }
};
