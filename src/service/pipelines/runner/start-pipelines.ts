import { ignoreUnwritable } from '../../platform/storage/disk-full.ts';
import { createRunner, type RunnerDependencies } from './pipeline-runner.ts';
import { listAllPipelines } from '../definition/pipeline-store.ts';
import type { Pipelines } from './pipelines.ts';
import { reviewPipeline } from '../definition/review-pipeline.ts';

/** Starts all enabled pipelines, then lets the broker listen. Closes the broker if the start fails. */
export const startPipelines = async (deps: RunnerDependencies): Promise<Pipelines> => {
  const { db, transact, now, environment, broker } = deps;
  const pipelines = createRunner(deps);
  try {
    for (const row of await listAllPipelines(db)) {
      // Types depend on the version of the service, and environment variables may have changed.
      await ignoreUnwritable(
        transact((tx, recordEvents) =>
          reviewPipeline(tx, recordEvents, row, { environment, actor: null, at: now() }),
        ),
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
