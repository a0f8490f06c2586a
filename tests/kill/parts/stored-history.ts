import type { KillableService } from './killable-service.ts';

/** Samples that are stored before the load, so that copies take a while. */
export const HISTORY_SAMPLES = 2_000_000;
const DEVICE = 'history';
const METRIC = 'x';
const PER_WRITE = 20_000;
const FROM_MS = 1_600_000_000_000;
const EVERY_MS = 100;
const VALUES = 977;

export const storeHistory = async (service: KillableService): Promise<void> => {
  for (let first = 0; first < HISTORY_SAMPLES; first += PER_WRITE) {
    const numbers = Array.from({ length: PER_WRITE }, (_, index) => first + index);
    const ts = numbers.map((n) => FROM_MS + n * EVERY_MS);
    const series = [{ device: DEVICE, metric: METRIC, ts, values: numbers.map((n) => n % VALUES) }];
    const { status, body } = await service.call('POST', '/v1/telemetry', { series });
    if (status !== 200) throw new Error(`/v1/telemetry is answered with ${status}: ${JSON.stringify(body)}`);
  }
};

/** How many of these samples a service has. */
export const countHistory = async (service: KillableService): Promise<number> => {
  const { status, body } = await service.call('POST', '/v1/telemetry/query', {
    devices: [DEVICE],
    metrics: [METRIC],
    from: FROM_MS,
    to: FROM_MS + HISTORY_SAMPLES * EVERY_MS,
    points: 1,
    agg: ['count'],
  });
  if (status !== 200)
    throw new Error(`/v1/telemetry/query is answered with ${status}: ${JSON.stringify(body)}`);
  const { series } = body as { series: { count: number[] }[] };
  return series.flatMap(({ count }) => count).reduce((sum, count) => sum + count, 0);
};
