import { storageApi } from '#contract/storage.ts';
import type { Deps } from '../deps.ts';
import { route } from '../http/route.ts';

export const storageRoutes = ({ disk }: Pick<Deps, 'disk'>) => [
  route(storageApi.get, async ({ actor }) => {
    const sinceMs = disk.sinceMs();
    // A key that is limited to devices learns nothing of the machine.
    const isLimited = actor.devices !== null;
    return {
      state: disk.state(),
      since: sinceMs === undefined ? null : new Date(sinceMs).toISOString(),
      freeBytes: isLimited ? null : disk.freeBytes(),
      reserveBytes: isLimited ? null : disk.reserveBytes(),
    };
  }),
];
