import * as z from 'zod';

/** What a key or a session may do. A key mints only scopes that it holds itself. */
export const scopes = [
  'devices:read',
  'devices:write',
  'pipelines:read',
  'pipelines:write',
  'telemetry:read',
  'telemetry:write',
  'events:read',
  'api-keys:manage',
] as const;
export const scopeSchema = z.enum(scopes).meta({ id: 'Scope', description: 'What a token may do.' });
export type Scope = z.infer<typeof scopeSchema>;

/** The scopes that read something which the live stream reports. */
export const readScopes: readonly Scope[] = [
  'devices:read',
  'pipelines:read',
  'events:read',
  'telemetry:read',
];

/** What a key limited to devices may hold. */
export const deviceScopes: readonly Scope[] = ['devices:read', 'telemetry:read', 'telemetry:write'];
