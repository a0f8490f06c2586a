import { hostname } from 'node:os';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { slugOf } from '#contract/slug-of.ts';
import { startTestService, type TestService } from './start-test-service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

type Metric = { metric: string; unit: string | null; value: number; firstTs: number; lastTs: number };

const create = async (name: string, config: Record<string, unknown>) =>
  service.request('POST', '/v1/pipelines', {
    body: { name, type: 'host', interval: 1, destination: 'telemetry', config },
  });
const deviceOf = async (externalId: string) => {
  const { body } = await service.request('GET', `/v1/devices?q=${externalId}`);
  return body.data.find((device: { externalId: string }) => device.externalId === externalId);
};
const metricsOf = async (id: string): Promise<Metric[]> =>
  (await service.request('GET', `/v1/devices/${id}/metrics`)).body.data;

test('this machine becomes a device with its host name, metrics and units', async () => {
  const { body } = await create('This machine', {});
  const externalId = slugOf(hostname());
  const device = await vi.waitFor(async () => {
    const found = await deviceOf(externalId);
    expect(found).toMatchObject({ name: hostname(), state: 'online', expectedInterval: 1 });
    return found;
  }, 20_000);
  const metrics = await vi.waitFor(async () => {
    const found = await metricsOf(device.id);
    expect(found.map(({ metric }) => metric)).toEqual(
      expect.arrayContaining(['cpu.usage', 'memory.usage', 'disk.usage', 'disk.data.usage', 'disk.read']),
    );
    expect(found.every(({ metric, unit }) => unit !== null || metric === 'cpu.load1')).toBe(true);
    return found;
  }, 20_000);
  expect(metrics.filter(({ value }) => value < 0)).toEqual([]);
  expect(metrics.filter(({ unit, value }) => unit === '%' && value > 100)).toEqual([]);
  const events = await service.request('GET', `/v1/events?subject=${device.id}&type=device.registered`);
  expect(events.body.data).toMatchObject([{ actor: { type: 'pipeline', id: body.id } }]);
  const { ledger } = (await service.request('GET', `/v1/pipelines/${body.id}`)).body;
  expect(ledger).toMatchObject({ pending: 0, rejected: 0 });
  expect(ledger.received).toBe(ledger.delivered);
});

test('a unit that was set stays', async () => {
  await create('Named', { device: 'plant-server' });
  const device = await vi.waitFor(async () => {
    const found = await deviceOf('plant-server');
    expect(found).toBeDefined();
    return found;
  }, 20_000);
  await vi.waitFor(
    async () =>
      expect(await metricsOf(device.id)).toContainEqual(
        expect.objectContaining({ metric: 'system.uptime', unit: 's' }),
      ),
    20_000,
  );
  await service.request('PATCH', `/v1/devices/${device.id}/metrics/memory.used`, { body: { unit: 'bytes' } });
  await service.restart();
  const before = (await metricsOf(device.id)).find(({ metric }) => metric === 'memory.used');
  await vi.waitFor(async () => {
    const after = (await metricsOf(device.id)).find(({ metric }) => metric === 'memory.used');
    expect(after?.lastTs).toBeGreaterThan(before?.lastTs ?? Number.POSITIVE_INFINITY);
    expect(after?.unit).toBe('bytes');
  }, 20_000);
});

test('a paused pipeline stops', async () => {
  const { body } = await create('Paused', { device: 'paused-server' });
  await vi.waitFor(async () => expect(await deviceOf('paused-server')).toBeDefined(), 20_000);
  await service.request('PATCH', `/v1/pipelines/${body.id}`, { body: { enabled: false } });
  const before = (await service.request('GET', `/v1/pipelines/${body.id}`)).body.ledger;
  const other = await deviceOf('plant-server');
  const { lastSeenAt } = other;
  await vi.waitFor(async () => {
    const seen = (await deviceOf('plant-server')).lastSeenAt;
    expect(Date.parse(seen)).toBeGreaterThan(Date.parse(lastSeenAt) + 2_000);
  }, 50_000);
  expect((await service.request('GET', `/v1/pipelines/${body.id}`)).body.ledger).toEqual(before);
});
