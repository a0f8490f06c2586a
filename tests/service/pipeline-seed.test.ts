import { expect, test } from 'vitest';
import { startTestService } from './start-test-service.ts';

const namesOf = ({ body }: { body: { data: { name: string }[] } }) => body.data.map(({ name }) => name);

test('only the first start creates two pipelines', async () => {
  const service = await startTestService({ env: { SEED: 'default' } });
  try {
    const { body } = await service.request('GET', '/v1/pipelines');
    expect(body.data).toMatchObject([
      { name: 'MQTT devices', type: 'mqtt', interval: 5, destination: 'telemetry' },
      { name: 'This machine', type: 'host', interval: 5, destination: 'telemetry' },
    ]);
    for (const { id } of body.data) await service.request('DELETE', `/v1/pipelines/${id}`);
    await service.restart();
    expect(namesOf(await service.request('GET', '/v1/pipelines'))).toEqual([]);
  } finally {
    await service.close();
  }
});

test('SEED=none creates no pipelines', async () => {
  const service = await startTestService({ env: { SEED: 'none' } });
  try {
    expect(namesOf(await service.request('GET', '/v1/pipelines'))).toEqual([]);
  } finally {
    await service.close();
  }
});
