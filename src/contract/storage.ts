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

export const fileProblemSchema = z
  .object({
    file: z
      .string()
      .describe('The file, in the data directory.')
      .meta({ examples: ['telemetry.db'] }),
    problem: z
      .enum(['missing', 'damaged', 'incomplete'])
      .describe(
        '`missing`: the file is not there. `damaged`: SQLite cannot read the file or a part of it. `incomplete`: the file holds fewer samples than Penstock has stored.',
      ),
    detail: z.string().describe('What is wrong, and what to do.'),
    expectedSamples: z.int().describe('How many samples the file held at least.'),
    samples: z.int().nullable().describe('How many samples it holds; null: unknown.'),
  })
  .meta({ id: 'FileProblem', description: 'A file that does not hold what was stored in it.' });
export type FileProblem = z.infer<typeof fileProblemSchema>;

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
    files: z
      .array(fileProblemSchema)
      .describe(
        'Files that are missing, damaged or incomplete; empty for a token that is limited to devices.',
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
      description:
        'Says whether the disk is full or read-only, and which files do not hold what was stored. The stream announces changes as `storage`.',
    },
  }),
  acceptLoss: endpoint({
    method: 'POST',
    path: '/v1/storage/accept-loss',
    scope: 'devices:write',
    body: z
      .strictObject({
        file: z.literal('telemetry.db').describe('The file whose lost samples are given up.'),
      })
      .meta({ id: 'LossAcceptance', description: 'Which loss is accepted.' }),
    status: 200,
    response: storageSchema,
    doc: {
      tag: 'Service',
      summary: 'Go on without lost samples',
      description:
        'Ends a problem of `telemetry.db`. Penstock keeps a damaged file as `telemetry.db.damaged-…` and continues with an empty one. Without a problem nothing happens.',
      errors: ['insufficient-scope'],
    },
  }),
};
