import { setTimeout as delay } from 'node:timers/promises';
import { DatabaseUnavailable } from '../../../platform/storage/dialects/database-unavailable.ts';
import type { ClickHouse } from './clickhouse-client.ts';
import { explainClickHouse } from './clickhouse-failure.ts';
import { quoteText } from './clickhouse-literals.ts';

const FIRST_CHECK_MS = 2;
const LAST_CHECK_MS = 1_000;

/** `failure`: why the last attempt failed. Empty if no attempt failed, or if the server does not report failures. */
type Mutation = { readonly id: string; readonly isDone: boolean; readonly failure: string };

/** Whether the server reports why a mutation fails: ClickHouse 19.8 and later. */
const reportsFailures = async (server: ClickHouse): Promise<boolean> =>
  (
    await server.select(
      `select 1 from system.columns where database = 'system' and table = 'mutations' and name = 'latest_fail_reason'`,
    )
  ).hasMore;

/** The mutations of a table that the server lists, including some that are done. */
const listMutations = async (
  server: ClickHouse,
  table: string,
  failure: 'latest_fail_reason' | `''` = `''`,
): Promise<Mutation[]> => {
  // A mutation of a replicated table may be listed as running long after the last part was done.
  const rows = await server.select(
    `select mutation_id, is_done = 1 or parts_to_do = 0, ${failure} from system.mutations
     where database = currentDatabase() and table = ${quoteText(table)}`,
  );
  const found: Mutation[] = [];
  while (rows.hasMore) found.push({ id: rows.text(), isDone: rows.uint8() === 1, failure: rows.text() });
  return found;
};

/** A removal that a server has begun. */
export type RunningMutation = {
  readonly server: ClickHouse;
  readonly table: string;
  /** The mutations before it. */
  readonly earlier: ReadonlySet<string>;
};

/** Begins to delete the rows of a table that are stored now. */
export const startMutation = async (
  server: ClickHouse,
  table: string,
  conditions: readonly string[],
): Promise<RunningMutation> => {
  const earlier = new Set((await listMutations(server, table)).map(({ id }) => id));
  for (const condition of conditions) await server.run(`alter table ${table} delete where ${condition}`);
  return { server, table, earlier };
};

/**
 * Waits until the rows are deleted.
 * @throws the error of a mutation that fails; DatabaseUnavailable if `closing` is aborted before
 */
export const waitForMutation = async (
  { server, table, earlier }: RunningMutation,
  closing: AbortSignal,
): Promise<void> => {
  const failure = (await reportsFailures(server)) ? 'latest_fail_reason' : `''`;
  let awaited: ReadonlySet<string> = new Set();
  for (let waitMs = FIRST_CHECK_MS; ; waitMs = Math.min(2 * waitMs, LAST_CHECK_MS)) {
    const listed = await listMutations(server, table, failure);
    // A replica lists a mutation a moment after it has accepted it. Mutations that appear later belong to other
    // removals.
    if (awaited.size === 0) awaited = new Set(listed.map(({ id }) => id).filter((id) => !earlier.has(id)));
    const running = listed.filter(({ id, isDone }) => awaited.has(id) && !isDone);
    if (awaited.size > 0 && running.length === 0) return;
    const failing = running.find((mutation) => mutation.failure !== '');
    if (failing !== undefined)
      throw explainClickHouse(
        new Error(`The mutation ${failing.id} of ${table} fails: ${failing.failure}`),
        server.place,
      );
    await delay(waitMs, undefined, { signal: closing }).catch((cause: unknown) => {
      throw new DatabaseUnavailable(server.place, 'Penstock stopped before the deletion was complete', {
        product: 'ClickHouse',
        cause,
      });
    });
  }
};
