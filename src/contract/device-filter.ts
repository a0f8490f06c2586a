import * as z from 'zod';
import { anyOf, searchSchema } from './paging.ts';

/** Computed from the time of receipt, never from a device's clock. */
export const deviceStates = ['online', 'late', 'offline', 'never-seen'] as const;
export const deviceStateSchema = z.enum(deviceStates);
export type DeviceState = z.infer<typeof deviceStateSchema>;

export const tagKey = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[A-Za-z0-9._-]+$/, 'Tag keys use letters, digits, . _ and - (at most 64 characters).');

const tagFilter = z
  .string()
  .regex(/^[A-Za-z0-9._-]{1,64}:.*$/s, 'Must be key:value.')
  .meta({ examples: ['site:north'] });

const silentFor = z
  .int('Must be a whole number of seconds.')
  .min(1, 'Must be at least 1 s.')
  .max(315_360_000, 'Must be at most 10 years (315,360,000 s).')
  .optional()
  .meta({
    description:
      'Matches devices that were last seen more than this many seconds ago. Devices that were never seen do not match.',
    examples: [3_600],
  });

/** The largest number of tags in a filter. */
export const TAG_FILTERS = 10;

/** The parameters that filter devices. */
export const deviceFilters = {
  q: searchSchema,
  state: anyOf(deviceStateSchema, 4),
  type: anyOf(z.string().max(64), 50),
  tag: z
    .array(tagFilter)
    .max(TAG_FILTERS)
    .optional()
    .describe('`key:value`. Repeat the parameter to match all of several tags.'),
  silentFor,
  withoutTag: z
    .array(tagKey)
    .max(10)
    .optional()
    .describe('The key of a tag. Repeat the parameter to match devices without any of several tags.')
    .meta({ examples: [['site']] }),
};

/** The same filters in a body. */
export const deviceFilterSchema = z.strictObject({
  q: searchSchema,
  state: z
    .array(deviceStateSchema)
    .min(1)
    .max(4)
    .optional()
    .describe('Matches devices with any of these values.'),
  type: z
    .array(z.string().max(64))
    .min(1)
    .max(50)
    .optional()
    .describe('Matches devices with any of these values.'),
  tag: z
    .array(tagFilter)
    .min(1)
    .max(TAG_FILTERS)
    .optional()
    .describe('`key:value`. Matches devices with all of these tags.'),
  silentFor,
  withoutTag: z
    .array(tagKey)
    .min(1)
    .max(10)
    .optional()
    .describe('Keys of tags. Matches devices without any of these tags.'),
});
export type DeviceFilter = z.output<typeof deviceFilterSchema>;
