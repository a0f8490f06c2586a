import { expect } from 'vitest';
import type { Receiver } from './receiver.ts';
import type { TestService } from './start-test-service.ts';

type Request = (method: string, path: string, body?: unknown) => ReturnType<TestService['request']>;

let count = 0;

/** Requests about webhooks that send to a receiver. Each test has another receiver. */
export const webhookHelpers = (request: Request, receiver: () => Receiver) => {
  const read = async (id: string) => (await request('GET', `/v1/webhooks/${id}`)).body;
  return {
    read,
    create: async (more: Record<string, unknown> = {}) =>
      (
        await request('POST', '/v1/webhooks', {
          name: `On-call ${++count}`,
          url: receiver().url,
          events: ['device.registered'],
          ...more,
        })
      ).body,
    change: (id: string, body: unknown) => request('PATCH', `/v1/webhooks/${id}`, body),
    deleteAll: async () => {
      for (const { id } of (await request('GET', '/v1/webhooks')).body.data)
        await request('DELETE', `/v1/webhooks/${id}`);
    },
    /** The names of the subjects of the received events. */
    names: () => receiver().received.map(({ body }) => (body.data['subject'] as { name: string }).name),
    /** Waits for the counts of a webhook. Counts that are not given are 0. */
    expectCalls: (webhook: { id: string }, calls: Record<string, number>) =>
      expect
        .poll(async () => (await read(webhook.id)).calls)
        .toEqual({ delivered: 0, pending: 0, failed: 0, ...calls }),
  };
};
