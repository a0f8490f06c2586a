import { Cable, Clock, KeyRound, LogOut, Plus, SunMoon } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Scope } from '#contract/scope.ts';
import { signOut } from '../api/sign-in.ts';
import { paths, withQuery } from '../paths.ts';
import { themeChoice, themes, type Theme } from '../ui/browser/theme.ts';
import { timeZoneChoice } from '../ui/format/format-time.ts';

export type PaletteAction = {
  label: string;
  /** The scope that it needs. */
  scope: Scope | null;
  icon: ReactNode;
  /** Further search words. */
  words: string;
  /** Shown before anything is typed. */
  isSuggested?: boolean;
} & (
  | { to: string }
  /** Changes something on the page that is open. */
  | { run: () => void }
);

const plus = <Plus aria-hidden />;
const zone = <Clock aria-hidden />;

const themeWords: Record<Theme, string> = { system: 'colours', light: 'bright day', dark: 'night' };

/** What the palette can do, in order. */
export const paletteActions: readonly PaletteAction[] = [
  {
    label: 'Register device',
    scope: 'devices:write',
    icon: plus,
    words: 'new add create',
    isSuggested: true,
    to: withQuery(paths.devices, { register: 'new' }),
  },
  {
    label: 'Connect device or tool',
    scope: 'api-keys:manage',
    icon: <Cable aria-hidden />,
    words:
      'add first send tasmota shelly esphome zigbee2mqtt home assistant node-red telegraf collectd prometheus opentelemetry otlp chirpstack ttn things network lorawan mqtt arduino micropython python node.js curl',
    isSuggested: true,
    to: paths.connect,
  },
  {
    label: 'Create pipeline',
    scope: 'pipelines:write',
    icon: plus,
    words: 'new add source',
    isSuggested: true,
    to: paths.newPipeline,
  },
  {
    label: 'Create API key',
    scope: 'api-keys:manage',
    icon: <KeyRound aria-hidden />,
    words: 'new add token secret',
    isSuggested: true,
    to: withQuery(paths.apiKeys, { create: 'new' }),
  },
  {
    label: 'Add destination',
    scope: 'pipelines:write',
    icon: plus,
    words: 'new create output database',
    to: withQuery(paths.destinations, { create: 'new' }),
  },
  {
    label: 'Add webhook',
    scope: 'devices:write',
    icon: plus,
    words: 'new create notification alert',
    to: withQuery(paths.notifications, { create: 'new' }),
  },
  ...themes.map(({ value, label }) => ({
    label: `Theme: ${label.toLowerCase()}`,
    scope: null,
    icon: <SunMoon aria-hidden />,
    words: `appearance ${themeWords[value]}`,
    run: () => themeChoice.set(value),
  })),
  {
    label: 'Time zone: local',
    scope: null,
    icon: zone,
    words: 'clock times',
    run: () => timeZoneChoice.set('local'),
  },
  {
    label: 'Time zone: UTC',
    scope: null,
    icon: zone,
    words: 'clock times',
    run: () => timeZoneChoice.set('utc'),
  },
  {
    label: 'Sign out',
    scope: null,
    icon: <LogOut aria-hidden />,
    words: 'log out',
    run: () => void signOut(),
  },
];
