import type { TestService } from './start-test-service.ts';

/** Writes a sample whose value follows from its time. */
export const writeSample = ({ request }: TestService, ts: number) =>
  request('POST', '/v1/telemetry', {
    body: { samples: [{ device: 'boiler', ts, values: { temp: ts / 10 } }] },
  });
