import { unroutedApi } from '#contract/unrouted.ts';
import { partyOf, type Transact } from '../events/event-store.ts';
import { route } from '../platform/http/route.ts';
import type { Db } from '../platform/storage/database.ts';
import { deleteAllUnrouted, deleteMatching, listUnrouted } from './unrouted-store.ts';

type Dependencies = { db: Db; transact: Transact; now: () => number };

export const unroutedRoutes = ({ db, transact, now }: Dependencies) => {
  return [
    route(unroutedApi.list, ({ query }) => listUnrouted(db, query)),

    route(unroutedApi.clear, ({ query: { topicFilter }, actor }) =>
      transact(async (tx, recordEvents) => {
        const deleted = await (topicFilter === undefined
          ? deleteAllUnrouted(tx)
          : deleteMatching(tx, [topicFilter]));
        const subject = { type: 'unrouted', id: '', name: topicFilter ?? 'All topic filters' };
        if (deleted > 0)
          await recordEvents({
            type: 'unrouted.deleted',
            subject,
            actor: partyOf(actor),
            data: { topicFilters: deleted },
            at: now(),
          });
        return { deleted };
      }),
    ),
  ];
};
