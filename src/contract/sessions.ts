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
      .max(200, 'This is too long to be a token.')
      .describe('An API key, or the token of a sign-in link.')
      .meta({ examples: ['pen_key_S0jd7bA3mQv1xYtRk2uWn5cE8hLpZ6fG4iOqTsXyVwB1a2b3'] }),
    remember: z.boolean().default(false).describe('Stay signed in for 30 days on this browser.'),
  })
  .meta({ id: 'NewSession', description: 'Who signs in.' });

export const openedSessionSchema = z
  .object({
    token: z
      .string()
      .describe('The bearer token of the session; shown this once.')
      .meta({ examples: ['pen_session_S0jd7bA3mQv1xYtRk2uWn5cE8hLpZ6fG4iOqTsXyVwB1a2b3'] }),
    expiresAt: timeSchema.describe('When it ends at the latest.'),
    scopes: z.array(scopeSchema).describe('What it may do.'),
  })
  .meta({ id: 'OpenedSession', description: 'A session that was just opened.' });

/** Who I am: a session's, or an API key's own view of itself. */
export const whoSchema = z
  .object({
    id: z
      .string()
      .describe('Of the session, or of the API key.')
      .meta({ examples: ['ses_01jz3k5v8cf6n9qw2r4t7y0abd'] }),
    kind: z.enum(['session', 'key']).describe('What the token is.'),
    label: z
      .string()
      .nullable()
      .meta({ examples: ['Ada'] })
      .describe('What events show as the actor; null until it is said.'),
    scopes: z.array(scopeSchema).describe('What it may do.'),
    devices: z
      .array(idSchema('dev'))
      .nullable()
      .describe('The devices that this token is limited to; null: all.'),
    key: z
      .object({
        id: idSchema('key').describe('Its id.'),
        name: z.string().describe('Its name.'),
      })
      .nullable()
      .describe('The API key that it was opened with.'),
    expiresAt: timeSchema.nullable().describe('When it ends; null: never.'),
    keysExpireBy: timeSchema
      .nullable()
      .describe(
        'The latest expiry of API keys that this session creates: the expiry of its own key. `null`: no limit.',
      ),
  })
  .meta({ id: 'Session', description: 'Who a token stands for.' });
export type Who = z.infer<typeof whoSchema>;

export const sessionChangeSchema = z
  .strictObject({
    label: line(60, 1)
      .describe('What events show as the actor.')
      .meta({ examples: ['Ada'] }),
  })
  .meta({ id: 'SessionChange', description: 'What may be said of a session.' });

const tag = 'Sessions';

export const sessionsApi = {
  open: endpoint({
    method: 'POST',
    path: '/v1/sessions',
    scope: 'none',
    usesReserve: true,
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
    doc: {
      tag,
      summary: 'Who am I',
      description: 'What the token of this request stands for and may do.',
    },
  }),
  change: endpoint({
    method: 'PATCH',
    path: '/v1/session',
    scope: 'any',
    usesReserve: true,
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
    usesReserve: true,
    status: 204,
    doc: { tag, summary: 'Sign out', description: 'Ends the session; an API key is not ended by this.' },
  }),
};
