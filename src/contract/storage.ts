import * as z from 'zod';
import { endpoint } from './endpoint.ts';
import { timeSchema } from './paging.ts';

export const storageStates = ['writable', 'full', 'read-only'] as const;
export type StorageState = (typeof storageStates)[number];

export const storageStateSchema = z
  .enum(storageStates)
  .describe(
    'Whether the disk accepts writes. `full`: writes are refused with `storage-full`, except those that sign in, revoke and delete. `read-only`: all writes are refused with `storage-read-only`, and sign-ins are kept in memory.',
  );

export const storageSchema = z
  .object({
    state: storageStateSchema,
    since: timeSchema.nullable().describe('When that state began; null: the disk accepts writes.'),
    freeBytes: z
      .int()
      .nullable()
      .describe('Free space on the disk of the data directory; null for a token that is limited to devices.'),
    reserveBytes: z
      .int()
      .nullable()
      .describe(
        'Space that is reserved for signing in, revoking and deleting on a full disk; null for a token that is limited to devices.',
      ),
  })
  .meta({ id: 'Storage', description: 'Whether the service can write.' });
export type Storage = z.infer<typeof storageSchema>;

export const storageApi = {
  get: endpoint({
    method: 'GET',
    path: '/v1/storage',
    scope: 'any',
    status: 200,
    response: storageSchema,
    doc: {
      tag: 'Service',
      summary: 'Whether the service can write',
      description: 'Says whether the disk is full or read-only. The stream announces changes as `storage`.',
    },
  }),
};
