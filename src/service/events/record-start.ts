import { ignoreUnwritable } from '../platform/storage/disk-full.ts';
import { VERSION } from '../platform/version.ts';
import type { Transact } from './event-store.ts';

/** Records the start of the service, which explains gaps in the data. A disk that cannot be written does not stop it. */
export const recordStart = async ({
  transact,
  now,
}: {
  transact: Transact;
  now: () => number;
}): Promise<void> => {
  const event = {
    type: 'service.started',
    subject: { type: 'service', id: '', name: 'Penstock' },
    actor: null,
    data: { version: VERSION },
    at: now(),
  } as const;
  await ignoreUnwritable(transact((_, recordEvents) => recordEvents(event)));
};
