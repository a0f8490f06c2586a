import type { Deps } from '../../deps.ts';
import { transact } from '../../events/event-store.ts';
import { startMqttBroker } from '../../mqtt/mqtt-broker.ts';
import { ignoreUnwritable } from '../../platform/storage/disk-full.ts';
import { createRunner } from './pipeline-runner.ts';
import { listAllPipelines } from '../definition/pipeline-store.ts';
import type { Pipelines } from './pipelines.ts';
import { reviewPipeline } from '../definition/review-pipeline.ts';
import { seedPipelines } from './seed-pipelines.ts';

type RunnerDeps = Omit<Deps, 'pipelines'>;

/** Starts the broker and every pipeline that is enabled; on the very first start makes the seeded ones. */
export const startPipelines = async (deps: RunnerDeps): Promise<Pipelines> => {
  const { now } = deps;
  const { environment } = deps.config;
  await ignoreUnwritable(seedPipelines(deps));
  const broker = await startMqttBroker(deps);
  const pipelines = createRunner(deps, broker);
  try {
    for (const row of await listAllPipelines(deps.db)) {
      // Another version of the service may know other types, and variables come and go.
      await ignoreUnwritable(
        transact(deps, (tx, tell) => reviewPipeline(tx, tell, row, { environment, actor: null, at: now() })),
      );
      await pipelines.apply(row.id);
    }
    await broker.listen();
    return pipelines;
  } catch (error) {
    await pipelines.close();
    throw error;
  }
};
