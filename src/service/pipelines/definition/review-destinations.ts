import type { Transact } from '../../events/event-store.ts';
import type { Environment } from '../../platform/secrets/environment.ts';
import type { Db } from '../../platform/storage/database.ts';
import { destinationStateChanged } from './destination-events.ts';
import { isBuiltIn } from './destination-rules.ts';
import { connectionReferenceProblems, isConnectionReferenceFault, secretsOf } from './destination-secrets.ts';
import { listAllDestinations, optionsOf, stateOf, updateDestinationState } from './destination-store.ts';

/**
 * Checks at the start whether each destination can use the environment variables that it refers to. Marks it as blocked
 * if a variable is missing or may not be sent to its host, and as healthy again once such a problem is solved.
 */
export const reviewDestinations = async ({
  db,
  transact,
  now,
  environment,
}: {
  db: Db;
  transact: Transact;
  now: () => number;
  environment: Environment;
}): Promise<void> => {
  for (const row of await listAllDestinations(db)) {
    if (isBuiltIn(row)) continue;
    const kept = { url: row.url, options: optionsOf(row), secrets: secretsOf(row) };
    const detail = connectionReferenceProblems(row.type, kept, environment)[0]?.detail;
    const from = stateOf(row);
    const wasFaulty =
      from === 'blocked' &&
      row.last_error !== null &&
      isConnectionReferenceFault(row.type, kept, row.last_error);
    const isKnown = from === 'blocked' && row.last_error === detail;
    if (detail === undefined ? !wasFaulty : isKnown) continue;
    const [to, at, reason] = [detail === undefined ? 'healthy' : 'blocked', now(), detail ?? null] as const;
    await transact(async (tx, recordEvents) => {
      const lastError = reason === null ? {} : { last_error: reason, last_error_at: at };
      await updateDestinationState(tx, row.id, { state: to, ...lastError });
      if (from !== to)
        await recordEvents(destinationStateChanged(row, { actor: null, at, from, to, reason }));
    });
  }
};
