import * as z from 'zod';
import { endpoint } from './endpoint.ts';
import { timeSchema } from './paging.ts';

export const storageStates = ['writable', 'full', 'read-only'] as const;
export type StorageState = (typeof storageStates)[number];

export const storageStateSchema = z
  .enum(storageStates)
  .describe(
    'Whether the disk accepts writes. `full`: writes fail with `storage-full`, except those that sign in, revoke access or delete data (see `canDelete`). `read-only`: all writes fail with `storage-read-only`, and sessions are kept in memory.',
  );

export const fileProblemSchema = z
  .object({
    file: z
      .string()
      .describe('The file, in the data directory.')
      .meta({ examples: ['telemetry.db'] }),
    problem: z
      .enum(['missing', 'damaged', 'unreadable', 'incomplete', 'unconverted'])
      .describe(
        '`missing`: the file does not exist. `damaged`: SQLite cannot read the file or part of it. `unreadable`: the file cannot be opened, for example because it is a directory or its permissions deny access. `incomplete`: the file holds fewer samples than Penstock has stored. `unconverted`: an earlier version of Penstock wrote the file, and the disk has no room to convert it or is read-only.',
      ),
    detail: z.string().describe('What is wrong, and what to do.'),
    expectedSamples: z.int().describe('The lowest number of samples that the file should hold.'),
    samples: z.int().nullable().describe('The number of samples that the file holds. `null` if unknown.'),
  })
  .meta({ id: 'FileProblem', description: 'A file that Penstock cannot use, or can use only in part.' });
export type FileProblem = z.infer<typeof fileProblemSchema>;

export const storageSchema = z
  .object({
    state: storageStateSchema,
    canDelete: z
      .boolean()
      .describe(
        'Whether deleting data and revoking access work. `false` if the disk is read-only, or was full without a reserve when Penstock started: sessions are then kept in memory.',
      ),
    detail: z
      .string()
      .nullable()
      .meta({
        description:
          'What the disk accepts, and what to do. `null` if it accepts writes, and for a token that is limited to devices.',
        examples: [null],
      }),
    since: timeSchema.nullable().describe('When this state began. `null` if the disk accepts writes.'),
    freeBytes: z
      .int()
      .nullable()
      .describe(
        'Free space on the disk of the data directory. `null` for a token that is limited to devices.',
      ),
    low: z
      .boolean()
      .describe(
        'Whether the disk is low on space: less than 1 GB, or less than a tenth of a disk below 10 GB. Stays `true` until a quarter more is free.',
      ),
    reserveBytes: z
      .int()
      .nullable()
      .describe(
        'Space reserved for signing in, revoking access and deleting data on a full disk. `null` for a token that is limited to devices.',
      ),
    files: z
      .array(fileProblemSchema)
      .describe(
        'Files that Penstock cannot use, or can use only in part. Empty for a token that is limited to devices.',
      ),
  })
  .meta({ id: 'Storage', description: 'Whether the service can write to its disk.' });
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
      summary: 'Read the state of the storage',
      description:
        'Returns whether the disk is full, nearly full or read-only, and which files are missing, damaged or incomplete. The stream announces changes in `storage` frames.',
    },
  }),
  acceptLoss: endpoint({
    method: 'POST',
    path: '/v1/storage/accept-loss',
    scope: 'devices:write',
    body: z
      .strictObject({
        file: z.literal('telemetry.db').describe('The file whose lost samples you accept.'),
      })
      .meta({ id: 'LossAcceptance', description: 'The loss to accept.' }),
    status: 200,
    response: storageSchema,
    doc: {
      tag: 'Service',
      summary: 'Accept the loss of samples',
      description:
        'Clears the problem of `telemetry.db`. Penstock renames a damaged file to `telemetry.db.damaged-…` and continues with an empty one. Has no effect if the file has no problem.',
      errors: ['insufficient-scope'],
    },
  }),
};
