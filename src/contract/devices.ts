import * as z from 'zod';
import { countsByState } from './counts-by-state.ts';
import {
  deviceFilters,
  deviceFilterSchema,
  deviceStates,
  deviceStateSchema,
  tagKey,
} from './device-filter.ts';
import { endpoint } from './endpoint.ts';
import { EXTERNAL_ID, EXTERNAL_ID_LENGTH } from './external-id.ts';
import { idPattern, idSchema, isId } from './id.ts';
import { listQuery, pageOf, timeSchema } from './paging.ts';
import { problemSchema } from './problem.ts';
import { line, paragraph } from './text-fields.ts';

/** The device's own name in topics and payloads. */
export const externalIdSchema = z
  .string()
  .min(1, 'Must not be empty.')
  .max(EXTERNAL_ID_LENGTH, `Must be at most ${EXTERNAL_ID_LENGTH} characters.`)
  .regex(EXTERNAL_ID, 'Must contain only letters, digits and . _ : -')
  .meta({ examples: ['boiler-7'] });

/** A new external ID. It must not look like a device ID, because requests accept both. */
export const newExternalIdSchema = externalIdSchema
  .refine((text) => !isId('dev', text), 'Must not look like the ID of a device.')
  .meta({ not: { pattern: idPattern('dev').source } });

const tagValue = line(256);
export const tagsSchema = z
  .record(tagKey, tagValue)
  .refine((tags) => Object.keys(tags).length <= 50, 'At most 50 tags.')
  .meta({ maxProperties: 50, examples: [{ site: 'north', line: '4' }] });
export type Tags = z.infer<typeof tagsSchema>;

const expectedInterval = z
  .number('Must be a number of seconds.')
  .min(0.1, 'Must be at least 0.1 s.')
  .max(2_678_400, 'Must be at most 31 days (2,678,400 s).')
  .nullable()
  .meta({
    description: 'Seconds between two messages. `null`: learned from received messages.',
    examples: [10],
  });

/** The largest number of characters of the notes of a device. */
export const NOTES_LENGTH = 4_000;

const fields = {
  name: line(100, 1).meta({ description: 'The display name.', examples: ['Boiler 7'] }),
  externalId: newExternalIdSchema.describe("The device's own name in topics and payloads. Unique."),
  type: line(64).meta({
    description: 'The category of the device, such as its model.',
    examples: ['boiler'],
  }),
  description: paragraph(2_000).meta({
    description: 'What the device is and where it is installed.',
    examples: ['Plant room, north wall'],
  }),
  notes: paragraph(NOTES_LENGTH).meta({
    description: 'Notes about the device, as plain text.',
    examples: ['Pump replaced in May. The key is with the porter.'],
  }),
  tags: tagsSchema.describe('Labels to filter by, at most 50. Keys use A-Z, a-z, 0-9, `.`, `_` and `-`.'),
  expectedInterval,
};

export const deviceSchema = z
  .object({
    id: idSchema('dev').describe('The ID of the device.'),
    externalId: z
      .string()
      .meta({ description: "The device's own name in topics and payloads.", examples: ['boiler-7'] }),
    name: z.string().meta({ description: 'The display name.', examples: ['Boiler 7'] }),
    type: z
      .string()
      .meta({ description: 'The category of the device, such as its model.', examples: ['boiler'] }),
    description: z.string().meta({
      description: 'What the device is and where it is installed.',
      examples: ['Plant room, north wall'],
    }),
    notes: z.string().meta({
      description: 'Notes about the device, as plain text.',
      examples: ['Pump replaced in May. The key is with the porter.'],
    }),
    tags: z
      .record(z.string(), z.string())
      .meta({ description: 'Labels to filter by.', examples: [{ site: 'north', line: '4' }] }),
    expectedInterval: z
      .number()
      .nullable()
      .meta({
        description: 'Seconds between two messages. `null`: learned from received messages.',
        examples: [10],
      }),
    learnedInterval: z
      .number()
      .nullable()
      .meta({ description: 'The median of recent intervals between messages, in seconds.', examples: [9.8] }),
    state: deviceStateSchema.describe('The presence, by the time since the latest message was received.'),
    lastSeenAt: timeSchema.nullable().describe('When the latest message was received.'),
    createdAt: timeSchema.describe('When the device was registered.'),
    updatedAt: timeSchema.describe('When the device was last updated.'),
  })
  .meta({ id: 'Device', description: 'A device that sends telemetry.' });
export type Device = z.infer<typeof deviceSchema>;

export const newDeviceSchema = z
  .strictObject({
    name: fields.name,
    externalId: fields.externalId.optional().describe('Defaults to a slug of the name.'),
    type: fields.type.optional(),
    description: fields.description.optional(),
    notes: fields.notes.optional(),
    tags: fields.tags.optional(),
    expectedInterval: fields.expectedInterval.optional(),
  })
  .meta({ id: 'NewDevice', description: 'The device to register. Only the name is required.' });
export type NewDevice = z.infer<typeof newDeviceSchema>;

export const deviceChangeSchema = z
  .strictObject({
    name: fields.name,
    externalId: fields.externalId,
    type: fields.type,
    description: fields.description,
    notes: fields.notes,
    tags: z.record(tagKey, tagValue.nullable()).meta({
      description: 'Tags to merge. `null` removes a tag.',
      examples: [{ site: 'south', line: null }],
    }),
    expectedInterval: fields.expectedInterval,
  })
  .partial()
  .meta({ id: 'DeviceChange', description: 'A merge patch: omitted fields keep their values.' });
export type DeviceChange = z.infer<typeof deviceChangeSchema>;

export const deviceSorts = ['name', 'externalId', 'type', 'state', 'lastSeenAt', 'createdAt', 'id'] as const;

export const deviceListQuery = listQuery(deviceSorts, deviceFilters);

/** The largest number of matching devices that one request counts under filters. */
export const FACET_DEVICES = 100_000;
export const facetSorts = ['-total', '-offline'] as const;

export const deviceFacetsQuery = z.strictObject({
  by: z
    .string()
    .regex(/^(?:state|type|tag|tag:[A-Za-z0-9._-]{1,64})$/, 'Must be state, type, tag or tag:key.')
    .meta({
      description:
        'The property to count by: `state`, `type`, `tag` (the keys of tags) or `tag:key` (the values of a tag).',
      examples: ['tag:site'],
    }),
  prefix: z
    .string()
    .max(256)
    .optional()
    .describe('Returns only values that begin with this text, ignoring case.'),
  limit: z.int().min(1).max(200).default(20).describe('The largest number of values in the response.'),
  sort: z
    .enum(facetSorts)
    .default('-total')
    .describe(
      'The order of the values: most devices first, or most offline devices first (then most late devices).',
    ),
  ...deviceFilters,
});

const deviceCounts = countsByState(deviceStates);

export const deviceFacetsSchema = z
  .object({
    data: z
      .array(
        deviceCounts.extend({
          value: z
            .string()
            .meta({ description: 'The state, type, tag key or tag value.', examples: ['north'] }),
        }),
      )
      .describe('The values in order, each with the number of matching devices.'),
    without: deviceCounts
      .nullable()
      .describe('Matching devices without a type or without the tag. `null` for `state` and `tag`.'),
    total: z.int().describe('The number of values, including those beyond `limit`.'),
    isComplete: z
      .boolean()
      .describe('`false`: more than 100,000 devices match, and only the first 100,000 by ID are counted.')
      .meta({ examples: [true] }),
  })
  .meta({ id: 'DeviceFacets', description: 'The number of devices for each value of a property.' });
export type DeviceFacets = z.infer<typeof deviceFacetsSchema>;
export type DeviceFacet = DeviceFacets['data'][number];

/** The body of PUT by external ID. Omitted fields keep their values. */
export const deviceUpsertSchema = z
  .strictObject({
    name: fields.name.optional().describe('Defaults to the external ID for a new device.'),
    type: fields.type.optional(),
    description: fields.description.optional(),
    notes: fields.notes.optional(),
    tags: fields.tags.optional().describe('Replaces all tags.'),
    expectedInterval: fields.expectedInterval.optional(),
  })
  .meta({ id: 'DeviceUpsert', description: 'The fields to set. Omitted fields keep their values.' });
export type DeviceUpsert = z.infer<typeof deviceUpsertSchema>;

/** An item of a batch with the operation `upsert`. */
export const deviceUpsertItemSchema = deviceUpsertSchema.extend({ externalId: newExternalIdSchema });

export const BATCH_LIMIT = 1_000;
export const EXCEPT_LIMIT = 10_000;
export const batchOperations = ['upsert', 'update', 'delete', 'restore'] as const;

/** Either single items, or one change to all devices that match a filter. At most `BATCH_LIMIT` devices per request. */
export const deviceBatchSchema = z
  .strictObject({
    operation: z
      .enum(batchOperations)
      .describe('The operation on each device. With a filter: `update` or `delete`.'),
    items: z
      .array(z.record(z.string(), z.unknown()))
      .min(1)
      .max(BATCH_LIMIT)
      .optional()
      .meta({
        description:
          'Bodies of single requests, each with `id` or `externalId`. An invalid item does not affect the others.',
        examples: [[{ externalId: 'boiler-7', tags: { site: 'north' } }]],
      }),
    filter: deviceFilterSchema
      .optional()
      .describe('Selects devices like the parameters of the list. `{}` selects all devices.'),
    except: z
      .array(idSchema('dev'))
      .max(EXCEPT_LIMIT)
      .optional()
      .describe('Devices that match the filter, but are not changed.'),
    change: deviceChangeSchema
      .omit({ externalId: true })
      .optional()
      .describe('The change to apply to all devices that match the filter.'),
    cursor: z.string().max(2_000).optional().describe('`nextCursor` of the previous response.'),
    limit: z
      .int()
      .min(1)
      .max(BATCH_LIMIT)
      .optional()
      .describe('With a filter: the number of devices per request. Default: 1,000.'),
    dryRun: z.boolean().default(false).describe('Returns the results, but changes nothing.'),
  })
  .refine((batch) => (batch.items === undefined) !== (batch.filter === undefined), {
    message: 'Send either items or a filter.',
    path: ['items'],
  })
  .refine((batch) => batch.except === undefined || batch.filter !== undefined, {
    message: 'Send exceptions only with a filter.',
    path: ['except'],
  })
  .refine((batch) => batch.limit === undefined || batch.filter !== undefined, {
    message: 'Send a limit only with a filter.',
    path: ['limit'],
  })
  .refine(
    (batch) => batch.filter === undefined || batch.operation === 'update' || batch.operation === 'delete',
    {
      message: 'With a filter, use update or delete.',
      path: ['operation'],
    },
  )
  .refine(
    (batch) => (batch.operation === 'update' && batch.filter !== undefined) === (batch.change !== undefined),
    {
      message: 'An update with a filter requires a change. Other operations do not accept one.',
      path: ['change'],
    },
  )
  .meta({
    id: 'DeviceBatch',
    description: 'Either items, or a filter that selects the devices to update or delete.',
    oneOf: [
      {
        required: ['operation', 'items'],
        properties: { filter: false, except: false, change: false, limit: false },
      },
      {
        required: ['operation', 'filter'],
        properties: { operation: { const: 'delete' }, items: false, change: false },
      },
      {
        required: ['operation', 'filter', 'change'],
        properties: { operation: { const: 'update' }, items: false },
      },
    ],
    examples: [{ operation: 'upsert', items: [{ externalId: 'boiler-7', tags: { site: 'north' } }] }],
  });
export type DeviceBatch = z.infer<typeof deviceBatchSchema>;

export const deviceBatchAnswerSchema = z
  .object({
    results: z
      .array(
        z.object({
          index: z.int().meta({ description: 'The index of the item, from 0.', examples: [0] }),
          ok: z.boolean().describe('Whether the item succeeded.'),
          status: z.int().meta({
            description: 'The HTTP status that the same change as a single request would return.',
            examples: [200],
          }),
          isChanged: z
            .boolean()
            .describe(
              'Whether a device was registered, updated, deleted or restored (with `dryRun`: would be). `false` if it had all values already, or if the item failed.',
            ),
          id: idSchema('dev').nullable().describe('The device. `null` if it was not found.'),
          name: z
            .string()
            .nullable()
            .meta({
              description: 'The name of the device. `null` if it was not found.',
              examples: ['Boiler 7'],
            }),
          problem: problemSchema
            .pick({ code: true, detail: true, errors: true })
            .nullable()
            .meta({ description: 'The problem. `null` if the item succeeded.', examples: [null] }),
        }),
      )
      .describe('One result for each item, or for each device that matches the filter.'),
    nextCursor: z
      .string()
      .nullable()
      .meta({
        description: 'The `cursor` of the next request. `null` after the last device.',
        examples: [null],
      }),
  })
  .meta({ id: 'DeviceBatchAnswer', description: 'The results of a batch.' });
export type DeviceBatchAnswer = z.infer<typeof deviceBatchAnswerSchema>;

const deviceParams = z.object({ id: idSchema('dev').describe('The ID of the device.') });
const tag = 'Devices';

export const devicesApi = {
  list: endpoint({
    method: 'GET',
    path: '/v1/devices',
    scope: 'devices:read',
    query: deviceListQuery,
    status: 200,
    response: pageOf(deviceSchema),
    doc: {
      tag,
      summary: 'List devices',
      description: 'Returns one page, sorted by name by default.',
      errors: ['cursor-mismatch'],
    },
  }),
  facets: endpoint({
    method: 'GET',
    path: '/v1/devices/facets',
    scope: 'devices:read',
    query: deviceFacetsQuery,
    status: 200,
    response: deviceFacetsSchema,
    doc: {
      tag,
      summary: 'Count devices by a property',
      description:
        'Counts the devices that match the filters of the list by state, type, tag key or tag value, with the number in each state.',
    },
  }),
  create: endpoint({
    method: 'POST',
    path: '/v1/devices',
    scope: 'devices:write',
    body: newDeviceSchema,
    status: 201,
    response: deviceSchema,
    idempotent: true,
    etag: true,
    doc: {
      tag,
      summary: 'Register a device',
      description: 'Penstock also registers unknown devices on their first message.',
      errors: ['conflict'],
    },
  }),
  get: endpoint({
    method: 'GET',
    path: '/v1/devices/{id}',
    scope: 'devices:read',
    params: deviceParams,
    status: 200,
    response: deviceSchema,
    etag: true,
    doc: { tag, summary: 'Read a device', description: 'Returns the device with its current state.' },
  }),
  change: endpoint({
    method: 'PATCH',
    path: '/v1/devices/{id}',
    scope: 'devices:write',
    params: deviceParams,
    body: deviceChangeSchema,
    status: 200,
    response: deviceSchema,
    ifMatch: true,
    etag: true,
    doc: {
      tag,
      summary: 'Update a device',
      description: 'A merge patch (RFC 7396).',
      errors: ['conflict'],
    },
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/v1/devices/{id}',
    scope: 'devices:write',
    usesReserve: true,
    params: deviceParams,
    status: 204,
    ifMatch: true,
    doc: {
      tag,
      summary: 'Delete a device',
      description:
        'Hides the device. You can restore the device within 24 hours. After that, the device and its telemetry are deleted.',
    },
  }),
  restore: endpoint({
    method: 'POST',
    path: '/v1/devices/{id}/restore',
    scope: 'devices:write',
    params: deviceParams,
    status: 200,
    response: deviceSchema,
    etag: true,
    doc: {
      tag,
      summary: 'Restore a deleted device',
      description: 'A device can be restored within 24 hours of its deletion.',
    },
  }),
  batch: endpoint({
    method: 'POST',
    path: '/v1/devices/batch',
    scope: 'devices:write',
    bodyLimit: 1_048_576,
    body: deviceBatchSchema,
    status: 200,
    response: deviceBatchAnswerSchema,
    doc: {
      tag,
      summary: 'Change many devices',
      description:
        'Returns a result for each item. A rejected item does not stop the others. At most 1,000 items per request.',
      errors: ['cursor-mismatch'],
    },
  }),
};
