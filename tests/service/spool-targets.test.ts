import { expect, test } from 'vitest';
import { findDestinationByName, updateDestination } from '#service/destinations/destination-store.ts';
import { DeliveryFailure } from '#service/ingest/destination.ts';
import { createTargets } from '#service/ingest/spool-targets.ts';
import { startTestService } from './start-test-service.ts';

test('what is found out of a destination is not held against what it was changed to meanwhile', async () => {
  const service = await startTestService();
  try {
    const body = { name: 'Files', type: 'file' };
    const { body: destination } = await service.request('POST', '/v1/destinations', { body });
    const { deps } = service.service;
    const targets = createTargets(deps);
    const target = await targets.find('files');
    const stateNow = async () => (await findDestinationByName(deps.db, 'files'))?.state;
    const failure = new DeliveryFailure('refused', 'There is no such folder.');
    await targets.settle(target!, failure);
    expect(await stateNow()).toBe('failed');
    await updateDestination(deps.db, destination.id, { state: 'ready', revision: 2 });
    await targets.settle(target!, new DeliveryFailure('refused', 'There is still no such folder.'));
    expect(await stateNow()).toBe('ready');
    await targets.close();
  } finally {
    await service.close();
  }
});
