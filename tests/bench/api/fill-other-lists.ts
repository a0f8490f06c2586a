import type { Call } from './client.ts';

/**
 * Creates data for the other lists: values of 200 devices, a hundred pipelines (one with rejections), keys and
 * destinations.
 */
export const fillOtherLists = async (call: Call): Promise<void> => {
  for (let device = 0; device < 200; device++) {
    const samples = Array.from({ length: 50 }, (_, index) => ({
      device: `device-${device}`,
      ts: Date.now() - index * 60_000,
      values: { temperature: index, pressure: index / 7, isOpen: index % 2 === 0 },
    }));
    await call('/v1/telemetry', 'POST', { samples });
  }
  for (let number = 0; number < 100; number++) {
    const body = { name: `Pipeline ${number}`, type: 'http', interval: 10, destination: 'telemetry' };
    const { id } = (await call('/v1/pipelines', 'POST', body)).json();
    await call('/v1/api-keys', 'POST', { name: `Key ${number}`, scopes: ['devices:read'] });
    await call('/v1/destinations', 'POST', { name: `Files ${number}`, type: 'file' });
    if (number > 0) continue;
    for (let message = 0; message < 300; message++)
      await call(`/v1/pipelines/${id}/messages`, 'POST', { device: 'device-1', values: { bad: {} } });
  }
};
