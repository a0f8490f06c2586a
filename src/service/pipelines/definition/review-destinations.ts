import type { Deps } from '../../deps.ts';
import { transact } from '../../events/event-store.ts';
import { destinationStateChanged } from './destination-events.ts';
import { isBuiltIn } from './destination-rules.ts';
import { connectionReferenceProblems, isConnectionReferenceFault, secretsOf } from './destination-secrets.ts';
import { listAllDestinations, optionsOf, stateOf, updateDestinationState } from './destination-store.ts';

/**
 * Checks at the start whether each destination can use the environment variables that it refers to. Marks it as failed if
 * a variable is missing or may not be sent to its host, and as ready again once such a problem is solved.
 */
export const reviewDestinations = async (
  deps: Pick<Deps, 'config' | 'db' | 'live' | 'now'>,
): Promise<void> => {
  const { db, now } = deps;
  const { environment } = deps.config;
  for (const row of await listAllDestinations(db)) {
    if (isBuiltIn(row)) continue;
    const kept = { url: row.url, options: optionsOf(row), secrets: secretsOf(row) };
    const detail = connectionReferenceProblems(row.type, kept, environment)[0]?.detail;
    const from = stateOf(row);
    const wasFaulty =
      from === 'failed' &&
      row.last_error !== null &&
      isConnectionReferenceFault(row.type, kept, row.last_error);
    const isKnown = from === 'failed' && row.last_error === detail;
    if (detail === undefined ? !wasFaulty : isKnown) continue;
    const [to, at, reason] = [detail === undefined ? 'ready' : 'failed', now(), detail ?? null] as const;
    await transact(deps, async (tx, tell) => {
      const lastError = reason === null ? {} : { last_error: reason, last_error_at: at };
      await updateDestinationState(tx, row.id, { state: to, ...lastError });
      if (from !== to) await tell(destinationStateChanged(row, { actor: null, at, from, to, reason }));
    });
  }
};
