import fc from 'fast-check';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { TIMEOUTS } from '#service/platform/timeouts.ts';
import { sized } from './sized.ts';
import { startTestService, type TestService } from './start-test-service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ timeouts: { pipelineTickMs: TIMEOUTS.pipelineTickMs } });
});
afterAll(() => service.close());

type Ledger = {
  received: number;
  delivered: number;
  pending: number;
  rejected: number;
  skipped: number;
  overwritten: number;
};

let number = 0;
const createPipeline = async (config = {}): Promise<string> =>
  (
    await service.request('POST', '/v1/pipelines', {
      body: { name: `Ledger ${++number}`, type: 'http', interval: 10, destination: 'telemetry', config },
    })
  ).body.id;
const ledgerOf = async (id: string): Promise<Ledger> =>
  (await service.request('GET', `/v1/pipelines/${id}`)).body.ledger;
const send = (id: string, body: string) =>
  service.request('POST', `/v1/pipelines/${id}/messages`, {
    body,
    headers: { 'content-type': 'text/plain' },
  });
const isBalanced = ({ received, delivered, pending, rejected, skipped, overwritten }: Ledger) =>
  received === delivered + pending + rejected + skipped && overwritten <= delivered;

const name = fc.constantFrom('a', 'b', 'no spaces', '', 'long'.repeat(40), 'temp');
const value = fc.oneof(
  fc.integer(),
  fc.boolean(),
  fc.string({ maxLength: 5 }),
  fc.constantFrom(null, [], {}, 'x'.repeat(1_100)),
);
const sample = fc.record(
  {
    device: fc.oneof(fc.constantFrom('d-1', 'd-2', 'not one'), fc.integer()),
    ts: fc.oneof(
      fc.integer({ min: 1_700_000_000_000, max: 1_700_000_000_020 }),
      fc.constantFrom('never', 9e15),
    ),
    values: fc.dictionary(name, value, { maxKeys: 4 }),
  },
  { requiredKeys: ['values'] },
);
const message = fc.oneof(
  fc
    .record({ samples: fc.array(fc.oneof(sample, fc.jsonValue()), { maxLength: 5 }) })
    .map((body) => JSON.stringify(body)),
  sample.map((one) => JSON.stringify(one)),
  fc.dictionary(name, value).map((flat) => JSON.stringify(flat)),
  fc.json(),
  fc.string(),
);

test('every ledger always balances and matches the responses, whatever is sent', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ to: fc.integer({ min: 0, max: 1 }), message }), { minLength: 1, maxLength: 12 }),
      async (messages) => {
        const ids = [await createPipeline({ device: 'd-1' }), await createPipeline()];
        const expected = [
          { received: 0, rejected: 0 },
          { received: 0, rejected: 0 },
        ];
        await Promise.all(
          messages.map(async ({ to, message }) => {
            const { status, body } = await send(ids[to]!, message);
            expect(status).toBe(202);
            expect(body.received).toBeGreaterThan(0);
            expected[to]!.received += body.received;
            expected[to]!.rejected += body.rejected;
            for (const id of ids) expect(await ledgerOf(id)).toSatisfy(isBalanced);
          }),
        );
        for (const [index, id] of ids.entries()) {
          const ledger = await ledgerOf(id);
          expect(ledger).toSatisfy(isBalanced);
          expect(ledger).toMatchObject(expected[index]!);
          const { body } = await service.request('GET', `/v1/pipelines/${id}/rejections?groupBy=reason`);
          const kept = body.data.reduce((sum: number, { count }: { count: number }) => sum + count, 0);
          expect(kept).toBe(ledger.rejected);
        }
      },
    ),
    { numRuns: sized(12, 40) },
  );
});

test('the ledger matches the responses after a stop under load', async () => {
  const id = await createPipeline({ device: 'steady' });
  const answered: number[] = [];
  const stopping = new AbortController();
  const sender = async (start: number) => {
    for (let index = start; !stopping.signal.aborted; index += 8) {
      const body = JSON.stringify({ ts: 1_700_000_000_000 + index, values: { n: index } });
      const answer = await send(id, body).catch(() => undefined);
      if (answer?.status === 202) answered.push(index);
    }
  };
  const senders = Array.from({ length: 8 }, (_, start) => sender(start));
  await vi.waitFor(() => expect(answered.length).toBeGreaterThan(100), 20_000);
  await service.restart(() => stopping.abort());
  await Promise.all(senders);
  const ledger = await ledgerOf(id);
  expect(ledger).toSatisfy(isBalanced);
  expect(ledger.delivered).toBeGreaterThanOrEqual(answered.length);
  const { body } = await service.request(
    'GET',
    '/v1/telemetry?device=steady&metric=n&from=1700000000000&to=1700000100000&points=5000',
  );
  const stored = new Set(body.series[0].value);
  expect(answered.filter((index) => !stored.has(index))).toEqual([]);
});

test('the stream sends the ledger of a pipeline at most twice a second', async () => {
  const id = await createPipeline({ device: 'framed' });
  const frames: { at: number; ledger: Ledger }[] = [];
  const end = service.service.parts.live.subscribe('pipeline', (frame) => {
    if (frame.id === id) frames.push({ at: performance.now(), ledger: frame.ledger });
  });
  let sent = 0;
  while (frames.length < 10) {
    await send(id, `{"n": ${sent}}`);
    sent += 1;
  }
  await vi.waitFor(() => expect(frames.at(-1)?.ledger.received).toBe(sent), 20_000);
  end();
  for (const { ledger } of frames) expect(ledger).toSatisfy(isBalanced);
  // A frame may be late, and the next one on time.
  const elapsedMs = (frames.at(-1)?.at ?? 0) - (frames[0]?.at ?? 0);
  expect(frames.length).toBeLessThanOrEqual(elapsedMs / 500 + 2);
});
