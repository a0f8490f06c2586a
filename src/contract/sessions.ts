import * as z from 'zod';
import { endpoint } from './endpoint.ts';
import { idSchema } from './id.ts';
import { timeSchema } from './paging.ts';
import { scopeSchema } from './scope.ts';
import { line } from './text-fields.ts';

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
      .max(200, 'Too long for an API key or a sign-in token.')
      .describe('An API key, or the token of a sign-in link.')
      .meta({ examples: ['pen_key_S0jd7bA3mQv1xYtRk2uWn5cE8hLpZ6fG4iOqTsXyVwB1a2b3'] }),
    remember: z.boolean().default(false).describe('Stay signed in for 30 days on this browser.'),
  })
  .meta({ id: 'NewSession', description: 'The credentials to sign in with.' });

export const openedSessionSchema = z
  .object({
    token: z
      .string()
      .describe('The bearer token of the session. Only this response contains it.')
      .meta({ examples: ['pen_session_S0jd7bA3mQv1xYtRk2uWn5cE8hLpZ6fG4iOqTsXyVwB1a2b3'] }),
    expiresAt: timeSchema.describe('When the session expires.'),
    scopes: z.array(scopeSchema).describe('The scopes of the session.'),
  })
  .meta({ id: 'OpenedSession', description: 'A new session with its token.' });

/** The session or API key of the token that makes the request. */
export const whoSchema = z
  .object({
    id: z
      .string()
      .describe('The ID of the session or API key.')
      .meta({ examples: ['ses_01jz3k5v8cf6n9qw2r4t7y0abd'] }),
    kind: z.enum(['session', 'key']).describe('The kind of the token.'),
    label: z
      .string()
      .nullable()
      .meta({ examples: ['Ada'] })
      .describe('The name of the actor in events. `null` until it is set.'),
    scopes: z.array(scopeSchema).describe('The scopes of the session.'),
    devices: z
      .array(idSchema('dev'))
      .nullable()
      .describe('The devices that the token is limited to. `null`: all devices.'),
    key: z
      .object({
        id: idSchema('key').describe('The ID of the API key.'),
        name: z.string().describe('The name of the API key.'),
      })
      .nullable()
      .describe('The API key that opened the session. `null` for a sign-in link.'),
    expiresAt: timeSchema.nullable().describe('When the token expires. `null`: never.'),
    keysExpireBy: timeSchema
      .nullable()
      .describe(
        'The latest expiry of API keys that this session creates: the expiry of its own key. `null`: no limit.',
      ),
  })
  .meta({ id: 'Session', description: 'The session or API key that a token belongs to.' });
export type Who = z.infer<typeof whoSchema>;

export const sessionChangeSchema = z
  .strictObject({
    label: line(60, 1)
      .describe('The name of the actor in events.')
      .meta({ examples: ['Ada'] }),
  })
  .meta({ id: 'SessionChange', description: 'The fields of a session that can be changed.' });

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
      description: 'Exchanges a sign-in token (valid once, for 10 minutes) or an API key for a session.',
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
      summary: 'Read the current session',
      description: 'Returns the session or API key of the token, with its scopes.',
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
      summary: 'Update the current session',
      description: 'Sets the label, which is the name of the actor in events.',
      errors: ['invalid-state'],
    },
  }),
  close: endpoint({
    method: 'DELETE',
    path: '/v1/session',
    scope: 'any',
    usesReserve: true,
    status: 204,
    doc: { tag, summary: 'Sign out', description: 'Closes the session. An API key cannot be closed.' },
  }),
};
