import type { Db } from '../platform/storage/database.ts';
import { nextIteration } from '../platform/event-loop.ts';

/** Devices that are read at a time. */
const ROWS_PER_WINDOW = 2_000;

/**
 * Divides all devices, deleted ones too, into windows in the order of their IDs. Each window is a table to select from.
 * Other work runs between two windows.
 */
export async function* deviceWindows(db: Db) {
  for (let after = ''; ;) {
    const end = await db
      .selectFrom('device')
      .select('id')
      .where('id', '>', after)
      .orderBy('id')
      .offset(ROWS_PER_WINDOW - 1)
      .limit(1)
      .executeTakeFirst();
    const rest = db.selectFrom('device').selectAll().where('id', '>', after);
    const window = end === undefined ? rest : rest.where('id', '<=', end.id);
    // The limit keeps the planner from reading all matches by another index for each window.
    yield window.orderBy('id').limit(ROWS_PER_WINDOW).as('device');
    if (end === undefined) return;
    after = end.id;
    await nextIteration();
  }
}
