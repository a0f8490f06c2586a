import { ChartSpline, Gauge, History, Router, Settings, Workflow, type LucideIcon } from 'lucide-react';
import type { Scope } from '#contract/scope.ts';
import { paths } from '../paths.ts';
import { useQuery } from '@tanstack/react-query';
import { sessionQueries } from '../api/session-queries.ts';

/** A page in the navigation. */
export type NavigationEntry = {
  label: string;
  to: string;
  icon: LucideIcon;
  /** The scope that the page needs to show data. */
  scope: Scope | null;
  /** Typed after `g`. */
  key: string;
  /** Further search words for the palette. */
  words?: string;
};

/** The pages of the navigation, in order. The palette, the shortcuts and the bottom bar use this list. */
export const navigation: readonly NavigationEntry[] = [
  {
    label: 'Overview',
    to: paths.overview,
    icon: Gauge,
    scope: 'devices:read',
    key: 'o',
    words: 'home start status',
  },
  {
    label: 'Devices',
    to: paths.devices,
    icon: Router,
    scope: 'devices:read',
    key: 'd',
    words: 'sensors things',
  },
  {
    label: 'Pipelines',
    to: paths.pipelines,
    icon: Workflow,
    scope: 'pipelines:read',
    key: 'p',
    words: 'sources ingestion mqtt http rejections',
  },
  {
    label: 'Telemetry',
    to: paths.telemetry,
    icon: ChartSpline,
    scope: 'telemetry:read',
    key: 't',
    words: 'charts metrics series samples export',
  },
  {
    label: 'Activity',
    to: paths.activity,
    icon: History,
    scope: 'events:read',
    key: 'a',
    words: 'events audit log history',
  },
  {
    label: 'Settings',
    to: paths.settings,
    icon: Settings,
    scope: null,
    key: 's',
    words: 'preferences',
  },
];

/** The entries whose scope the session has; all of them until the scopes are loaded, so that nothing appears late. */
export const useReachable = <D extends { scope: Scope | null }>(all: readonly D[]): readonly D[] => {
  const { data } = useQuery(sessionQueries.who());
  return all.filter(({ scope }) => scope === null || data === undefined || data.scopes.includes(scope));
};

/** The pages of the navigation that the session can read. */
export const useReachablePages = (): readonly NavigationEntry[] => useReachable(navigation);
