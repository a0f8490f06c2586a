import type { Scope } from '#contract/scope.ts';
import { paths } from '../../paths.ts';

type Section = {
  label: string;
  to: string;
  /** The scope that the section needs to show data. */
  scope: Scope | null;
  /** Further search words for the palette. */
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
    label: 'Network',
    to: paths.network,
    scope: 'network:manage',
    words: 'allowed addresses ports',
  },
  {
    label: 'Connection',
    to: paths.connection,
    scope: null,
    words: 'addresses urls mqtt broker port server session scopes line protocol telegraf',
  },
  {
    label: 'Appearance',
    to: paths.appearance,
    scope: null,
    words: 'theme dark light time zone utc',
  },
  {
    label: 'API',
    to: paths.apiReference,
    scope: null,
    words: 'reference endpoints documentation openapi curl rest',
  },
  {
    label: 'About',
    to: paths.about,
    scope: null,
    words: 'version storage disk licences',
  },
];
