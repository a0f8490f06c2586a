import { deviceScopes, scopes, type Scope } from '#contract/scope.ts';

/** What each scope lets a key do, in a sentence. */
export const scopeSentences: Record<Scope, string> = {
  'devices:read': 'Read devices and their states.',
  'devices:write': 'Register, update and delete devices, and delete their telemetry.',
  'pipelines:read': 'Read pipelines, their states and their rejections.',
  'pipelines:write': 'Create, update, pause and delete pipelines.',
  'telemetry:read': 'Read and export telemetry.',
  'telemetry:write': 'Send telemetry, over HTTP and MQTT.',
  'events:read': 'Read events in Activity.',
  'api-keys:manage': 'Create, rotate and revoke API keys.',
  'network:manage': 'Allow connections to private networks.',
};

export type PresetName = 'read' | 'write' | 'full';

type Preset = {
  name: PresetName;
  label: string;
  detail: string;
  /** The detail for a key that is limited to devices. */
  limitedDetail: string;
  scopes: readonly Scope[];
};

export const presets: readonly Preset[] = [
  {
    name: 'read',
    label: 'Read only',
    detail: 'For reports and wall displays. Reads everything, changes nothing.',
    limitedDetail: 'Reads the chosen devices and their telemetry, changes nothing.',
    scopes: ['devices:read', 'pipelines:read', 'telemetry:read', 'events:read'],
  },
  {
    name: 'write',
    label: 'Device: write telemetry',
    detail: 'For devices and gateways. Sends telemetry, reads nothing.',
    limitedDetail: 'Sends telemetry for the chosen devices, reads nothing.',
    scopes: ['telemetry:write'],
  },
  {
    name: 'full',
    label: 'Full access',
    detail: 'For administration. Has all your scopes.',
    limitedDetail:
      'Reads the chosen devices and sends their telemetry. A limited key cannot have other scopes.',
    scopes,
  },
];

/** The scopes that a key can have: those of the session, and only device scopes for a key limited to devices. */
export const mintable = (held: readonly Scope[], isLimited: boolean): Scope[] =>
  scopes.filter((scope) => held.includes(scope) && (!isLimited || deviceScopes.includes(scope)));

/** The preset with exactly these scopes, among the allowed ones. */
export const presetOf = (chosen: readonly Scope[], allowed: readonly Scope[]): PresetName | null => {
  const isSame = (wanted: readonly Scope[]) =>
    wanted.length === chosen.length && wanted.every((scope) => chosen.includes(scope));
  return (
    presets.find(({ scopes }) => isSame(scopes.filter((scope) => allowed.includes(scope))))?.name ?? null
  );
};
