import { findDestinationByName } from './destination-store.ts';
import type { Environment } from '../../platform/secrets/environment.ts';
import type { Db } from '../../platform/storage/database.ts';
import type { Surroundings } from './pipeline-rules.ts';

/** What a pipeline that names this destination is judged by beside itself, as it is now. */
export const findSurroundings = async (
  db: Db,
  { environment, destination }: { environment: Environment; destination: string },
): Promise<Surroundings> => ({ environment, destination: await findDestinationByName(db, destination) });
