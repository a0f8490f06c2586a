import * as z from 'zod';
import { endpoint } from './endpoint.ts';
import { idSchema, isId } from './id.ts';
import { listQuery, pageOf, searchSchema, timeSchema } from './paging.ts';
import { problemSchema } from './problem.ts';
import { line, paragraph } from './text.ts';

/** Computed from the time of receipt, never from a device's clock. */
export const deviceStates = ['online', 'late', 'offline', 'never-seen'] as const;
export const deviceStateSchema = z.enum(deviceStates);
export type DeviceState = z.infer<typeof deviceStateSchema>;

/** What the device calls itself in topics and payloads. */
export const externalIdSchema = z
  .string()
  .min(1, 'Must not be empty.')
  .max(128, 'Must be at most 128 characters.')
  .regex(/^[A-Za-z0-9._:-]+$/, 'May hold letters, digits and . _ : - only.')
  .meta({ examples: ['boiler-7'] });

/** An external id that is given: one that reads as the id of a device would name two. */
export const newExternalIdSchema = externalIdSchema.refine(
  (text) => !isId('dev', text),
  'Must not look like the id of a device.',
);

const tagKey = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[A-Za-z0-9._-]+$/, 'A tag name may hold letters, digits and . _ - only.');
const tagValue = line(256);
export const tagsSchema = z
  .record(tagKey, tagValue)
  .refine((tags) => Object.keys(tags).length <= 50, 'At most 50 tags.')
  .meta({ examples: [{ site: 'north', line: '4' }] });
export type Tags = z.infer<typeof tagsSchema>;

const expectedInterval = z
  .number('Must be a number of seconds.')
  .min(0.1, 'Must be at least 0.1 s.')
  .max(2_678_400, 'Must be at most 31 days (2,678,400 s).')
  .nullable()
  .describe('Seconds between two messages; null: learned from what arrives.');

const fields = {
  name: line(100, 1).meta({ examples: ['Boiler 7'] }),
  externalId: newExternalIdSchema,
  type: line(64),
  description: paragraph(2_000),
  tags: tagsSchema,
  expectedInterval,
};

export const deviceSchema = z
  .object({
    id: idSchema('dev'),
    externalId: z.string(),
    name: z.string(),
    type: z.string(),
    description: z.string(),
    tags: z.record(z.string(), z.string()),
    expectedInterval: z.number().nullable(),
    learnedInterval: z.number().nullable().describe('Seconds: the median of the last gaps between messages.'),
    state: deviceStateSchema,
    lastSeenAt: timeSchema.nullable(),
    createdAt: timeSchema,
    updatedAt: timeSchema,
  })
  .meta({ id: 'Device' });
export type Device = z.infer<typeof deviceSchema>;

export const newDeviceSchema = z
  .strictObject({
    name: fields.name,
    externalId: fields.externalId.optional().describe('Defaults to a slug of the name.'),
    type: fields.type.optional(),
    description: fields.description.optional(),
    tags: fields.tags.optional(),
    expectedInterval: fields.expectedInterval.optional(),
  })
  .meta({ id: 'NewDevice' });
export type NewDevice = z.infer<typeof newDeviceSchema>;

export const deviceChangeSchema = z
  .strictObject({
    name: fields.name,
    externalId: fields.externalId,
    type: fields.type,
    description: fields.description,
    tags: z.record(tagKey, tagValue.nullable()).describe('Merged; null takes a tag away.'),
    expectedInterval: fields.expectedInterval,
  })
  .partial()
  .meta({ id: 'DeviceChange' });
export type DeviceChange = z.infer<typeof deviceChangeSchema>;

export const deviceSorts = ['name', 'externalId', 'type', 'state', 'lastSeenAt', 'createdAt', 'id'] as const;

const tagFilter = z
  .string()
  .regex(/^[A-Za-z0-9._-]{1,64}:.*$/s, 'Must be key:value.')
  .meta({ examples: ['site:north'] });

export const deviceListQuery = listQuery(deviceSorts, {
  q: searchSchema,
  state: z.array(deviceStateSchema).max(4).optional().describe('Repeat for several: any of them.'),
  type: z.array(z.string().max(64)).max(50).optional().describe('Repeat for several: any of them.'),
  tag: z.array(tagFilter).max(10).optional().describe('`key:value`; repeat for several: all of them.'),
});

/** What PUT by external id takes: fields that are left out stay as they are. */
export const deviceUpsertSchema = z
  .strictObject({
    name: fields.name.optional().describe('Defaults to the external id where the device is new.'),
    type: fields.type.optional(),
    description: fields.description.optional(),
    tags: fields.tags.optional().describe('All of them: replaces what was there.'),
    expectedInterval: fields.expectedInterval.optional(),
  })
  .meta({ id: 'DeviceUpsert' });
export type DeviceUpsert = z.infer<typeof deviceUpsertSchema>;

export const BATCH_LIMIT = 1_000;
export const batchOperations = ['upsert', 'update', 'delete', 'restore'] as const;

/** Items one by one, or a change of all devices that a filter matches, `BATCH_LIMIT` a call. */
export const deviceBatchSchema = z
  .strictObject({
    operation: z.enum(batchOperations),
    items: z
      .array(z.record(z.string(), z.unknown()))
      .min(1)
      .max(BATCH_LIMIT)
      .optional()
      .describe('Bodies of single calls, each with `id` or `externalId`.'),
    filter: z
      .strictObject({
        q: searchSchema,
        state: z.array(deviceStateSchema).max(4).optional(),
        type: z.array(z.string().max(64)).max(50).optional(),
        tag: z.array(tagFilter).max(10).optional(),
      })
      .optional()
      .describe('As the parameters of the list; `{}` is every device.'),
    change: deviceChangeSchema
      .omit({ externalId: true })
      .optional()
      .describe('What an update by filter sets.'),
    cursor: z.string().max(2_000).optional().describe('`nextCursor` of the call before.'),
  })
  .refine((batch) => (batch.items === undefined) !== (batch.filter === undefined), {
    message: 'Give either items or a filter.',
    path: ['items'],
  })
  .refine(
    (batch) => batch.filter === undefined || batch.operation === 'update' || batch.operation === 'delete',
    {
      message: 'By filter devices are updated or deleted.',
      path: ['operation'],
    },
  )
  .refine(
    (batch) => (batch.operation === 'update' && batch.filter !== undefined) === (batch.change !== undefined),
    {
      message: 'An update by filter, and only that, takes a change.',
      path: ['change'],
    },
  )
  .meta({ id: 'DeviceBatch' });
export type DeviceBatch = z.infer<typeof deviceBatchSchema>;

export const deviceBatchAnswerSchema = z
  .object({
    results: z.array(
      z.object({
        index: z.int(),
        ok: z.boolean(),
        status: z.int(),
        id: idSchema('dev').nullable(),
        problem: problemSchema.pick({ code: true, detail: true, errors: true }).nullable(),
      }),
    ),
    nextCursor: z.string().nullable(),
  })
  .meta({ id: 'DeviceBatchAnswer' });
export type DeviceBatchAnswer = z.infer<typeof deviceBatchAnswerSchema>;

const deviceParams = z.object({ id: idSchema('dev') });
const tag = 'Devices';

export const devicesApi = {
  list: endpoint({
    method: 'GET',
    path: '/v1/devices',
    scope: 'devices:read',
    query: deviceListQuery,
    status: 200,
    response: pageOf(deviceSchema),
    doc: { tag, summary: 'List devices', errors: ['cursor-mismatch'] },
  }),
  create: endpoint({
    method: 'POST',
    path: '/v1/devices',
    scope: 'devices:write',
    body: newDeviceSchema,
    status: 201,
    response: deviceSchema,
    idempotent: true,
    doc: { tag, summary: 'Register a device', errors: ['conflict'] },
  }),
  get: endpoint({
    method: 'GET',
    path: '/v1/devices/{id}',
    scope: 'devices:read',
    params: deviceParams,
    status: 200,
    response: deviceSchema,
    doc: { tag, summary: 'Read a device' },
  }),
  change: endpoint({
    method: 'PATCH',
    path: '/v1/devices/{id}',
    scope: 'devices:write',
    params: deviceParams,
    body: deviceChangeSchema,
    status: 200,
    response: deviceSchema,
    doc: {
      tag,
      summary: 'Change a device',
      description: 'A merge patch (RFC 7396).',
      errors: ['conflict', 'precondition-failed'],
    },
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/v1/devices/{id}',
    scope: 'devices:write',
    params: deviceParams,
    status: 204,
    doc: {
      tag,
      summary: 'Delete a device',
      description: 'Hides it for 24 hours, in which it can be restored; then it and its telemetry go.',
      errors: ['precondition-failed'],
    },
  }),
  restore: endpoint({
    method: 'POST',
    path: '/v1/devices/{id}/restore',
    scope: 'devices:write',
    params: deviceParams,
    status: 200,
    response: deviceSchema,
    doc: { tag, summary: 'Restore a deleted device', description: 'Within 24 hours of its deletion.' },
  }),
  put: endpoint({
    method: 'PUT',
    path: '/v1/devices/by-external-id/{externalId}',
    scope: 'devices:write',
    params: z.object({ externalId: newExternalIdSchema }),
    body: deviceUpsertSchema,
    status: [200, 201],
    response: deviceSchema,
    doc: {
      tag,
      summary: 'Register or change a device by its external id',
      description: 'Idempotent. Restores one that was deleted.',
      errors: ['precondition-failed'],
    },
  }),
  batch: endpoint({
    method: 'POST',
    path: '/v1/devices/batch',
    scope: 'devices:write',
    body: deviceBatchSchema,
    status: 200,
    response: deviceBatchAnswerSchema,
    doc: {
      tag,
      summary: 'Change many devices',
      description:
        'A result for each item; one that is refused does not hold up the others. At most 1,000 a call.',
      errors: ['cursor-mismatch'],
    },
  }),
};
