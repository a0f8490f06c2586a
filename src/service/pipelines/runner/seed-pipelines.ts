import { TELEMETRY, type NewPipeline } from '#contract/pipelines.ts';
import { findDestinationByName } from '../definition/destination-store.ts';
import type { Transact } from '../../events/event-store.ts';
import type { Environment } from '../../platform/secrets/environment.ts';
import { findFact, setFact, type Db } from '../../platform/storage/database.ts';
import { newPipelineRow } from '../definition/new-pipeline-row.ts';
import { pipelineEvent } from '../definition/pipeline-events.ts';
import { insertPipeline, listAllPipelines } from '../definition/pipeline-store.ts';

const SEEDED = 'seeded';

const seeds: readonly NewPipeline[] = [
  { name: 'This machine', type: 'host', interval: 5, destination: TELEMETRY },
  { name: 'MQTT devices', type: 'mqtt', interval: 5, destination: TELEMETRY },
];

/** Creates example pipelines at the first start, and never again. */
export const seedPipelines = async ({
  db,
  transact,
  now,
  environment,
  seed: choice,
}: {
  db: Db;
  transact: Transact;
  now: () => number;
  environment: Environment;
  seed: 'default' | 'none';
}): Promise<void> => {
  if ((await findFact(db, SEEDED)) !== undefined) return;
  await transact(async (tx, recordEvents) => {
    // Another process may have started at the same time.
    if ((await findFact(tx, SEEDED)) !== undefined) return;
    await setFact(tx, SEEDED, choice);
    if (choice === 'none' || (await listAllPipelines(tx)).length > 0) return;
    for (const seed of seeds) {
      const row = newPipelineRow(seed, now(), {
        environment,
        destination: await findDestinationByName(tx, seed.destination),
      });
      await insertPipeline(tx, row);
      await recordEvents(
        pipelineEvent('pipeline.created', row, { actor: null, at: now(), data: { seeded: true } }),
      );
    }
  });
};
