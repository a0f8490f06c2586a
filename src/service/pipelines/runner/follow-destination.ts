import type { Party, RecordEvents } from '../../events/event-store.ts';
import type { Environment } from '../../platform/secrets/environment.ts';
import type { Db } from '../../platform/storage/database.ts';
import { pipelineEvent } from '../definition/pipeline-events.ts';
import { listPipelinesTo, updatePipeline } from '../definition/pipeline-store.ts';
import { reviewPipeline } from '../definition/review-pipeline.ts';

type Destination = { name: string; name_key: string };
type By = { environment: Environment; actor: Party; at: number };

/**
 * Updates pipelines after a destination was created or renamed, in the same transaction: pipelines with the former name
 * get the new one, and drafts that waited for this destination start.
 * Returns the IDs of the pipelines to apply.
 */
export const followDestination = async (
  tx: Db,
  recordEvents: RecordEvents,
  destination: Destination,
  { environment, actor, at }: By,
  formerKey?: string,
): Promise<string[]> => {
  const waiting = formerKey === destination.name_key ? [] : await listPipelinesTo(tx, destination.name_key);
  const followers = formerKey === undefined ? [] : await listPipelinesTo(tx, formerKey);
  const name = { destination: destination.name, destination_key: destination.name_key };
  for (const row of followers) {
    await updatePipeline(tx, row.id, { ...name, updated_at: at, revision: row.revision + 1 });
    await recordEvents(
      pipelineEvent('pipeline.updated', row, { actor, at, data: { fields: ['destination'] } }),
    );
  }
  for (const row of waiting) {
    // Adopts the spelling of the destination.
    await updatePipeline(tx, row.id, name);
    await reviewPipeline(tx, recordEvents, { ...row, ...name }, { environment, actor, at });
  }
  return [...followers, ...waiting].map(({ id }) => id);
};
