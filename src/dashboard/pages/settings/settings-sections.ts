import type { Scope } from '#contract/scope.ts';
import { paths } from '../../paths.ts';

type Section = {
  label: string;
  to: string;
  /** What one must be allowed for it to show anything. */
  scope: Scope | null;
  /** Other words by which the palette finds it. */
  words: string;
};

/** The sections of the settings, in order. To add one: a line here and its route. */
export const settingsSections: readonly Section[] = [
  { label: 'API keys', to: paths.apiKeys, scope: 'api-keys:manage', words: 'tokens secrets access' },
  {
    label: 'Destinations',
    to: paths.destinations,
    scope: 'pipelines:read',
    words: 'postgres influxdb file mqtt nats webhook sinks outputs databases',
  },
  {
    label: 'Notifications',
    to: paths.notifications,
    scope: 'events:read',
    words: 'webhooks alerts alarms calls',
  },
  {
    label: 'API',
    to: paths.apiReference,
    scope: null,
    words: 'reference endpoints documentation openapi curl rest',
  },
];
