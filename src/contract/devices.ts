import * as z from 'zod';
import { endpoint } from './endpoint.ts';
import { idSchema } from './id.ts';
import { listQuery, pageOf, searchSchema, timeSchema } from './paging.ts';
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
  externalId: externalIdSchema,
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

export const deviceSorts = ['name', 'externalId', 'type', 'state', 'lastSeenAt', 'createdAt'] as const;

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
};
