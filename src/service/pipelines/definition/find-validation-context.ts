import { findDestinationByName } from './destination-store.ts';
import type { Environment } from '../../platform/secrets/environment.ts';
import type { Db } from '../../platform/storage/database.ts';
import type { ValidationContext } from './pipeline-rules.ts';

/** The current context for validating a pipeline that names this destination. */
export const findValidationContext = async (
  db: Db,
  { environment, destination }: { environment: Environment; destination: string },
): Promise<ValidationContext> => ({ environment, destination: await findDestinationByName(db, destination) });
