import { startReceiver, type Receiver } from '../service/receiver.ts';
import { test as journey } from './journey.ts';
import { startRunningService, type RunningService } from './running-service.ts';

/** A journey with a receiver of requests, and its own service that is allowed to reach it. */
export const test = journey.extend<{ receiver: Receiver }, { service: RunningService }>({
  service: [
    // oxlint-disable-next-line no-empty-pattern
    async ({}, provide) => {
      const service = await startRunningService({ SEED: 'none', ALLOWED_NETWORKS: '127.0.0.0/8' });
      await provide(service);
      await service.remove();
    },
    { scope: 'worker' },
  ],
  // oxlint-disable-next-line no-empty-pattern
  receiver: async ({}, provide) => {
    const receiver = await startReceiver();
    await provide(receiver);
    await receiver.close();
  },
});
