import { deviceScopes, scopes, type Scope } from '#contract/scope.ts';

/** What each scope lets a key do, in a sentence. */
export const scopeSentences: Record<Scope, string> = {
  'devices:read': 'See devices, their states and what they are called.',
  'devices:write': 'Register, change and delete devices, and delete their telemetry.',
  'pipelines:read': 'See pipelines, their states and what they rejected.',
  'pipelines:write': 'Create, change, pause and delete pipelines.',
  'telemetry:read': 'Read and export what devices have sent.',
  'telemetry:write': 'Send telemetry, over HTTP and MQTT.',
  'events:read': 'Read the activity: who changed what, and what happened by itself.',
  'api-keys:manage': 'Create, rotate and revoke API keys.',
};

export type PresetName = 'read' | 'write' | 'full';

type Preset = {
  name: PresetName;
  label: string;
  detail: string;
  /** What it comes to for a key that is limited to devices. */
  limitedDetail: string;
  scopes: readonly Scope[];
};

export const presets: readonly Preset[] = [
  {
    name: 'read',
    label: 'Read only',
    detail: 'For reports and wall screens: sees what there is, changes nothing.',
    limitedDetail: 'Sees the chosen devices and what they sent, changes nothing.',
    scopes: ['devices:read', 'pipelines:read', 'telemetry:read', 'events:read'],
  },
  {
    name: 'write',
    label: 'Device: write telemetry',
    detail: 'For devices and gateways: sends telemetry, sees nothing.',
    limitedDetail: 'Sends telemetry of the chosen devices, sees nothing.',
    scopes: ['telemetry:write'],
  },
  {
    name: 'full',
    label: 'Full access',
    detail: 'For administration: may do whatever you may do.',
    limitedDetail: 'Sees the chosen devices and sends their telemetry: all that a limited key may hold.',
    scopes,
  },
];

/** The scopes that a key may be given: those that its maker holds, of which one limited to devices may have a few. */
export const mintable = (held: readonly Scope[], isLimited: boolean): Scope[] =>
  scopes.filter((scope) => held.includes(scope) && (!isLimited || deviceScopes.includes(scope)));

/** The preset that comes to exactly these scopes, among those that may be given. */
export const presetOf = (chosen: readonly Scope[], allowed: readonly Scope[]): PresetName | null => {
  const isSame = (wanted: readonly Scope[]) =>
    wanted.length === chosen.length && wanted.every((scope) => chosen.includes(scope));
  return (
    presets.find(({ scopes }) => isSame(scopes.filter((scope) => allowed.includes(scope))))?.name ?? null
  );
};
