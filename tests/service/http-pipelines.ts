import type { TestService } from './start-test-service.ts';

/** Creates pipelines of type `http`, each with a name of its own, and sends them messages. */
export const httpPipelinesOf = (service: () => TestService) => {
  const request: TestService['request'] = (...call) => service().request(...call);
  let number = 0;
  return {
    /** @returns the ID of the pipeline */
    create: async (more: Record<string, unknown> = {}): Promise<string> => {
      const body = {
        name: `Pipeline ${++number}`,
        type: 'http',
        interval: 10,
        destination: 'telemetry',
        ...more,
      };
      return (await request('POST', '/v1/pipelines', { body })).body.id;
    },
    send: async (id: string, body: unknown) =>
      (await request('POST', `/v1/pipelines/${id}/messages`, { body })).body,
    read: async (id: string) => (await request('GET', `/v1/pipelines/${id}`)).body,
    rejections: async (id: string) => (await request('GET', `/v1/pipelines/${id}/rejections`)).body.data,
  };
};
