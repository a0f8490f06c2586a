import { TELEMETRY, type NewPipeline } from '#contract/pipelines.ts';
import type { Deps } from '../../deps.ts';
import { findDestinationByName } from '../definition/destination-store.ts';
import { transact } from '../../events/event-store.ts';
import { findFact, setFact } from '../../platform/storage/database.ts';
import { newPipelineRow } from '../definition/new-pipeline-row.ts';
import { pipelineEvent } from '../definition/pipeline-events.ts';
import { insertPipeline, listAllPipelines } from '../definition/pipeline-store.ts';

const SEEDED = 'seeded';

const seeds: readonly NewPipeline[] = [
  { name: 'This machine', type: 'host', interval: 5, destination: TELEMETRY },
  { name: 'MQTT devices', type: 'mqtt', interval: 5, destination: TELEMETRY },
];

/** On the very first start, and never again, makes the pipelines that show the service at work. */
export const seedPipelines = async (deps: Pick<Deps, 'config' | 'db' | 'live' | 'now'>): Promise<void> => {
  const { config, db, now } = deps;
  if ((await findFact(db, SEEDED)) !== undefined) return;
  await transact(deps, async (tx, tell) => {
    await setFact(tx, SEEDED, config.seed);
    if (config.seed === 'none' || (await listAllPipelines(tx)).length > 0) return;
    for (const seed of seeds) {
      const row = newPipelineRow(seed, now(), {
        environment: config.environment,
        destination: await findDestinationByName(tx, seed.destination),
      });
      await insertPipeline(tx, row);
      await tell(pipelineEvent('pipeline.created', row, { actor: null, at: now(), data: { seeded: true } }));
    }
  });
};
