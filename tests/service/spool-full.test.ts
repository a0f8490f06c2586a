import { expect, test, vi } from 'vitest';
import { startFaultyReceiver } from './faulty-receiver.ts';
import { startTestService } from './start-test-service.ts';

const PATIENT = { timeout: 20_000, interval: 50 };
/** Large samples, so that few fill the spool. */
const texts = Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`text-${n}`, 'x'.repeat(1_000)]));
const VALUES = 1 + Object.keys(texts).length;

test('a full spool rejects messages, keeps its samples, and accepts messages when there is room', async () => {
  const receiver = await startFaultyReceiver();
  const service = await startTestService({
    env: { ALLOWED_NETWORKS: '127.0.0.0/8', SPOOL_LIMIT_MB: '1' },
    timeouts: { deliverMs: 500 },
  });
  try {
    const { body: destination } = await service.request('POST', '/v1/destinations', {
      body: { name: 'Receiver', type: 'webhook', url: receiver.url },
    });
    const { body: pipeline } = await service.request('POST', '/v1/pipelines', {
      body: { name: 'To a receiver', type: 'http', interval: 1, destination: destination.name },
    });
    const send = (n: number) =>
      service.request('POST', `/v1/pipelines/${pipeline.id}/messages`, {
        body: {
          samples: [{ device: 'boiler', ts: 1_700_000_000_000 + n, values: { n, ...texts } }],
        },
      });
    const read = async () => (await service.request('GET', `/v1/pipelines/${pipeline.id}`)).body;
    receiver.how = 'refuses';
    let taken = 0;
    let answer = await send(taken);
    while (answer.status === 202) {
      taken += 1;
      answer = await send(taken);
    }
    expect(answer).toMatchObject({
      status: 503,
      body: { code: 'overloaded', detail: expect.stringMatching(/full/) },
    });
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(taken).toBeGreaterThan(90);
    const full = await read();
    expect(full.ledger).toMatchObject({
      received: taken * VALUES,
      delivered: 0,
      pending: taken * VALUES,
      rejected: 0,
    });
    expect(full.spool).toMatchObject({ limitBytes: 1_048_576 });
    expect(full.spool.bytes).toBeLessThanOrEqual(1_048_576);
    expect(full.spool.bytes).toBeGreaterThan(1_000_000);
    await vi.waitFor(
      async () =>
        expect(await read()).toMatchObject({
          state: 'failed',
          lastError: { detail: expect.stringMatching(/full/) },
        }),
      PATIENT,
    );
    receiver.how = 'fine';
    // What waits is tried at once.
    await service.request('POST', `/v1/destinations/${destination.id}/test`);
    await vi.waitFor(async () => expect((await read()).ledger.pending).toBe(0), PATIENT);
    expect(receiver.samples.map(({ values }) => values['n'])).toEqual(
      Array.from({ length: taken }, (_, n) => n),
    );
    expect((await send(taken)).status).toBe(202);
    await vi.waitFor(async () => expect((await read()).state).not.toBe('failed'), PATIENT);
  } finally {
    await service.close();
    await receiver.close();
  }
});
