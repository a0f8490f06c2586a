import { findDestinationByName } from './destination-store.ts';
import type { Environment } from '../../platform/secrets/environment.ts';
import type { Db } from '../../platform/storage/database.ts';
import type { ValidationContext } from './pipeline-rules.ts';

/** What a pipeline that names this destination is judged by beside itself, as it is now. */
export const findValidationContext = async (
  db: Db,
  { environment, destination }: { environment: Environment; destination: string },
): Promise<ValidationContext> => ({ environment, destination: await findDestinationByName(db, destination) });
