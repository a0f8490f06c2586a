import type { Logger } from 'pino';
import { VERSION } from '../platform/version.ts';
import type { Transact } from './event-store.ts';

type Dependencies = { transact: Transact; now: () => number; log: Logger };

/** Records the start of the service, which explains gaps in the data. The service starts even if this fails. */
export const recordStart = async ({ transact, now, log }: Dependencies): Promise<void> => {
  const event = {
    type: 'service.started',
    subject: { type: 'service', id: '', name: 'Penstock' },
    actor: null,
    data: { version: VERSION },
    at: now(),
  } as const;
  try {
    await transact((_, recordEvents) => recordEvents(event));
  } catch (error) {
    log.warn({ err: error }, 'the start of the service is not in Activity');
  }
};
