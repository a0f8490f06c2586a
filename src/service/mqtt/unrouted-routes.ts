import { unroutedApi } from '#contract/unrouted.ts';
import type { Deps } from '../deps.ts';
import { partyOf, transact } from '../events/event-store.ts';
import { route } from '../platform/http/route.ts';
import { deleteUnrouted, listUnrouted } from './unrouted-store.ts';

export const unroutedRoutes = (deps: Pick<Deps, 'db' | 'live' | 'now'>) => {
  const { db, now } = deps;
  return [
    route(unroutedApi.list, ({ query }) => listUnrouted(db, query)),

    route(unroutedApi.clear, ({ query: { topicFilter }, actor }) =>
      transact(deps, async (tx, tell) => {
        const deleted = await deleteUnrouted(tx, topicFilter);
        const subject = { type: 'unrouted', id: '', name: topicFilter ?? 'All topic filters' };
        if (deleted > 0)
          await tell({
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
