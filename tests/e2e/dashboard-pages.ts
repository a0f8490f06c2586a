/** Identifiers of the resources that pages with a parameter show. */
export type ShownResources = { device: string; pipeline: string };

/**
 * Every page of the dashboard. `scope`: without it, the page shows that the key lacks access. A test compares the list
 * with the routes.
 */
export const dashboardPages: readonly {
  route: string;
  path: (shown: ShownResources) => string;
  scope?: string;
}[] = [
  { route: '/', path: () => '/', scope: 'devices:read' },
  { route: '/devices', path: () => '/devices', scope: 'devices:read' },
  { route: '/devices/:id', path: ({ device }) => `/devices/${device}`, scope: 'devices:read' },
  { route: '/connect', path: () => '/connect?tool=tasmota' },
  { route: '/pipelines', path: () => '/pipelines', scope: 'pipelines:read' },
  { route: '/pipelines/new', path: () => '/pipelines/new', scope: 'pipelines:write' },
  { route: '/pipelines/:id', path: ({ pipeline }) => `/pipelines/${pipeline}`, scope: 'pipelines:read' },
  {
    route: '/pipelines/:id/edit',
    path: ({ pipeline }) => `/pipelines/${pipeline}/edit`,
    scope: 'pipelines:write',
  },
  {
    route: '/telemetry',
    path: ({ device }) => `/telemetry?device=${device}&metric=temperature&range=1h`,
    scope: 'telemetry:read',
  },
  { route: '/activity', path: () => '/activity', scope: 'events:read' },
  { route: '/settings/api-keys', path: () => '/settings/api-keys', scope: 'api-keys:manage' },
  { route: '/settings/destinations', path: () => '/settings/destinations', scope: 'pipelines:read' },
  { route: '/settings/notifications', path: () => '/settings/notifications', scope: 'events:read' },
  { route: '/settings/network', path: () => '/settings/network', scope: 'network:manage' },
  { route: '/settings/connection', path: () => '/settings/connection' },
  { route: '/settings/appearance', path: () => '/settings/appearance' },
  { route: '/settings/api', path: () => '/settings/api' },
  { route: '/settings/about', path: () => '/settings/about' },
];
