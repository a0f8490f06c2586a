import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startFaultyReceiver, type Misbehaviour } from './faulty-receiver.ts';
import { startTestService, type TestService } from './start-test-service.ts';

const PATIENT = { timeout: 25_000, interval: 50 };
const MESSAGES = 30;

let service: TestService;
beforeAll(async () => {
  service = await startTestService({
    env: { ALLOWED_NETWORKS: '127.0.0.0/8' },
    // Longer than a delivery takes on a busy machine.
    timeouts: { deliverMs: 1_500, sameErrorMs: 0 },
  });
});
afterAll(() => service.close());

const post = async (path: string, body: unknown) => (await service.request('POST', path, { body })).body;
const read = async (path: string) => (await service.request('GET', path)).body;

const misbehaviours: Misbehaviour[] = ['refuses', 'hangs', 'resets', 'errs', 'drips', 'sips'];
test.concurrent.each(misbehaviours)(
  'a destination that %s loses nothing, and harms no other pipeline',
  async (how) => {
    const receiver = await startFaultyReceiver();
    const device = `boiler-${how}`;
    const destination = await post('/v1/destinations', { name: how, type: 'webhook', url: receiver.url });
    const pipeline = { type: 'http', interval: 1 };
    const { id } = await post('/v1/pipelines', { ...pipeline, name: `It ${how}`, destination: how });
    const other = await post('/v1/pipelines', {
      ...pipeline,
      name: `Beside ${how}`,
      destination: 'telemetry',
    });
    const send = (to: string, from: string, n: number) =>
      service.request('POST', `/v1/pipelines/${to}/messages`, {
        body: { samples: [{ device: from, ts: 1_700_000_000_000 + n * 1_000, values: { n } }] },
      });
    const ledgerOf = async (of: string) => {
      const { ledger } = await read(`/v1/pipelines/${of}`);
      expect(ledger.received).toBe(ledger.delivered + ledger.pending + ledger.rejected);
      return ledger;
    };
    const arrived = () => receiver.samples.map(({ values }) => values['n']);
    const sent = Array.from({ length: MESSAGES }, (_, n) => n);

    await send(id, device, 0);
    await vi.waitFor(() => expect(arrived()).toEqual([0]), PATIENT);
    receiver.how = how;
    for (const n of sent.slice(1)) {
      expect((await send(id, device, n)).status).toBe(202);
      expect((await send(other.id, `beside-${how}`, n)).body).toMatchObject({ received: 1, rejected: 0 });
      await ledgerOf(id);
    }
    await vi.waitFor(async () => {
      expect(await read(`/v1/pipelines/${id}`)).toMatchObject({
        state: 'degraded',
        lastError: { detail: expect.any(String) },
      });
      expect(await read(`/v1/destinations/${destination.id}`)).toMatchObject({ state: 'retrying' });
    }, PATIENT);
    const { lastError: earlier } = await read(`/v1/destinations/${destination.id}`);
    await vi.waitFor(async () => {
      const { lastError } = await read(`/v1/destinations/${destination.id}`);
      expect(Date.parse(lastError.at)).toBeGreaterThan(Date.parse(earlier.at));
    }, PATIENT);
    expect(await ledgerOf(other.id)).toMatchObject({ delivered: MESSAGES - 1, pending: 0, rejected: 0 });
    receiver.how = 'fine';
    await vi.waitFor(() => expect(arrived()).toEqual(sent), PATIENT);
    await vi.waitFor(
      async () => expect(await ledgerOf(id)).toMatchObject({ delivered: MESSAGES, pending: 0 }),
      PATIENT,
    );
    expect(await read(`/v1/destinations/${destination.id}`)).toMatchObject({ state: 'healthy' });
    const events = await read(`/v1/events?subject=${destination.id}&type=destination.state-changed`);
    expect(events.data.map(({ data }: { data: { to: string } }) => data.to)).toEqual(['healthy', 'retrying']);
    await receiver.close();
  },
  60_000,
);
