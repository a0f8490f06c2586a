import { TELEMETRY } from '#contract/pipelines.ts';
import { inWrite, type Db } from '../../platform/storage/database.ts';
import { findDestinationByName, insertDestination } from './destination-store.ts';
import { newDestinationRow } from './new-destination-row.ts';

/** Inserts the built-in store as a destination, if it is missing. */
export const seedDestinations = ({ db, now }: { db: Db; now: () => number }): Promise<void> =>
  inWrite(db, async (tx) => {
    if ((await findDestinationByName(tx, TELEMETRY)) !== undefined) return;
    const builtIn = { name: TELEMETRY, type: TELEMETRY, url: null, options: {}, secrets: {} };
    await insertDestination(tx, newDestinationRow(builtIn, now()));
  });
