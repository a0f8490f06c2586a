import * as z from 'zod';
import { endpoint } from './endpoint.ts';
import { idSchema } from './id.ts';
import { timeSchema } from './paging.ts';
import { scopeSchema } from './scope.ts';
import { line } from './text.ts';

/** `pen_<kind>_` + 43 base-62 characters (256 bits) + 6 base-62 characters of their CRC-32. */
export const tokenKinds = ['key', 'session', 'signin'] as const;
export type TokenKind = (typeof tokenKinds)[number];
export const tokenPattern = /^pen_(key|session|signin)_([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/;

export const newSessionSchema = z
  .strictObject({
    token: z
      .string()
      .trim()
      .min(1, 'Paste an API key or a sign-in token.')
      .max(200, 'This is too long to be a token.'),
    remember: z.boolean().default(false).describe('Stay signed in for 30 days on this browser.'),
  })
  .meta({ id: 'NewSession' });

export const openedSessionSchema = z
  .object({ token: z.string(), expiresAt: timeSchema, scopes: z.array(scopeSchema) })
  .meta({ id: 'OpenedSession' });

/** Who I am: a session's, or an API key's own view of itself. */
export const whoSchema = z
  .object({
    id: z.string(),
    kind: z.enum(['session', 'key']),
    label: z.string().nullable().describe('What events show as the actor; null until it is said.'),
    scopes: z.array(scopeSchema),
    devices: z
      .array(idSchema('dev'))
      .nullable()
      .describe('The devices that this token is limited to; null: all.'),
    key: z
      .object({ id: idSchema('key'), name: z.string() })
      .nullable()
      .describe('The API key that it was opened with.'),
    expiresAt: timeSchema.nullable(),
  })
  .meta({ id: 'Session' });
export type Who = z.infer<typeof whoSchema>;

export const sessionChangeSchema = z.strictObject({ label: line(60, 1) }).meta({ id: 'SessionChange' });

const tag = 'Sessions';

export const sessionsApi = {
  open: endpoint({
    method: 'POST',
    path: '/v1/sessions',
    scope: 'none',
    body: newSessionSchema,
    status: 201,
    response: openedSessionSchema,
    doc: {
      tag,
      summary: 'Sign in',
      description: 'Trades a sign-in token (one use, 10 minutes) or an API key for a session.',
      errors: ['token-invalid', 'token-expired', 'token-revoked', 'quota-exceeded'],
    },
  }),
  get: endpoint({
    method: 'GET',
    path: '/v1/session',
    scope: 'any',
    status: 200,
    response: whoSchema,
    doc: { tag, summary: 'Who am I' },
  }),
  change: endpoint({
    method: 'PATCH',
    path: '/v1/session',
    scope: 'any',
    body: sessionChangeSchema,
    status: 200,
    response: whoSchema,
    doc: {
      tag,
      summary: 'Say who this is',
      description: 'The label that events show as the actor.',
      errors: ['invalid-state'],
    },
  }),
  close: endpoint({
    method: 'DELETE',
    path: '/v1/session',
    scope: 'any',
    status: 204,
    doc: { tag, summary: 'Sign out', description: 'Ends the session; an API key is not ended by this.' },
  }),
};
