import { Clock, KeyRound, LogOut, Plus, SunMoon } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Scope } from '#contract/scope.ts';
import { signOut } from '../api/sign-in.ts';
import { paths, withQuery } from '../paths.ts';
import { themeChoice } from '../ui/browser/theme.ts';
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
const theme = <SunMoon aria-hidden />;
const zone = <Clock aria-hidden />;

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
  {
    label: 'Theme: system',
    scope: null,
    icon: theme,
    words: 'appearance colours',
    run: () => themeChoice.set('system'),
  },
  {
    label: 'Theme: light',
    scope: null,
    icon: theme,
    words: 'appearance bright day',
    run: () => themeChoice.set('light'),
  },
  {
    label: 'Theme: dark',
    scope: null,
    icon: theme,
    words: 'appearance night',
    run: () => themeChoice.set('dark'),
  },
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
