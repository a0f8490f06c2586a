import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

const renamed = {
  destination: { ready: 'healthy', failing: 'retrying', failed: 'blocked' },
  webhook: { failing: 'retrying' },
};

/** The states of destinations and webhooks get the words of the pages, in events too. */
export const deliveryStates: Migration = {
  up: async (db: Kysely<unknown>) => {
    for (const [table, states] of Object.entries(renamed)) {
      let data = sql`data`;
      for (const [before, after] of Object.entries(states)) {
        await sql`update ${sql.table(table)} set state = ${after} where state = ${before}`.execute(db);
        for (const field of ['from', 'to'])
          data = sql`replace(${data}, ${`"${field}":"${before}"`}, ${`"${field}":"${after}"`})`;
      }
      await sql`update event set data = ${data} where type = ${`${table}.state-changed`}`.execute(db);
    }
  },
};
