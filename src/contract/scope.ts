import * as z from 'zod';

/** The scopes of keys and sessions. A key can only grant scopes that it has itself. */
export const scopes = [
  'devices:read',
  'devices:write',
  'pipelines:read',
  'pipelines:write',
  'telemetry:read',
  'telemetry:write',
  'events:read',
  'api-keys:manage',
  'network:manage',
] as const;
export const scopeSchema = z.enum(scopes).meta({ id: 'Scope', description: 'A permission of a token.' });
export type Scope = z.infer<typeof scopeSchema>;

/** The scopes that give access to a part of the live stream. */
export const readScopes: readonly Scope[] = [
  'devices:read',
  'pipelines:read',
  'events:read',
  'telemetry:read',
];

/** The scopes that a key limited to devices can have. */
export const deviceScopes: readonly Scope[] = ['devices:read', 'telemetry:read', 'telemetry:write'];
