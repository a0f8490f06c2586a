import { createBrowserRouter, redirect, type RouteObject } from 'react-router-dom';
import { basePath, session } from './api/session.ts';
import { paths, withQuery } from './paths.ts';
import { PageSkeleton, RouteFailure } from './app/route-failure.tsx';
import { Shell } from './app/shell.tsx';

/** A page: its code and its data load in parallel, while its skeleton is shown. */
const page = (path: string, lazy: NonNullable<RouteObject['lazy']>): RouteObject => ({
  path,
  lazy,
  hydrateFallbackElement: <PageSkeleton />,
  errorElement: <RouteFailure />,
});

/** To add a page: a line here, its path in paths.ts and, if the navigation shows it, an entry in navigation.ts. */
// A function, since a router modifies its routes when `lazy` has loaded: each router needs its own.
const pages = (): RouteObject[] => [
  page(paths.overview, {
    Component: async () => (await import('./pages/overview/overview-page.tsx')).OverviewPage,
    loader: async () => (await import('./pages/overview/overview-queries.ts')).overviewLoader,
  }),
  page(paths.devices, {
    Component: async () => (await import('./pages/devices/devices-page.tsx')).DevicesPage,
    loader: async () => (await import('./pages/devices/device-filters.ts')).devicesLoader,
  }),
  page('/devices/:id', {
    Component: async () => (await import('./pages/device/device-page.tsx')).DevicePage,
    loader: async () => (await import('./pages/device/device-view.ts')).deviceLoader,
  }),
  page(paths.connect, {
    Component: async () => (await import('./pages/connect/connect-page.tsx')).ConnectPage,
  }),
  page(paths.pipelines, {
    Component: async () => (await import('./pages/pipelines/pipelines-page.tsx')).PipelinesPage,
    loader: async () => (await import('./pages/pipelines/pipeline-filters.ts')).pipelinesLoader,
  }),
  page(paths.newPipeline, {
    Component: async () => (await import('./pages/pipeline-form/pipeline-form-page.tsx')).NewPipelinePage,
    loader: async () => (await import('./pages/pipeline-form/pipeline-form-loader.ts')).newPipelineLoader,
  }),
  page('/pipelines/:id', {
    Component: async () => (await import('./pages/pipeline/pipeline-page.tsx')).PipelinePage,
    loader: async () => (await import('./pages/pipeline/pipeline-loader.ts')).pipelineLoader,
  }),
  page('/pipelines/:id/edit', {
    Component: async () => (await import('./pages/pipeline-form/pipeline-form-page.tsx')).EditPipelinePage,
    loader: async () => (await import('./pages/pipeline-form/pipeline-form-loader.ts')).editPipelineLoader,
  }),
  page(paths.telemetry, {
    Component: async () => (await import('./pages/telemetry/telemetry-page.tsx')).TelemetryPage,
    loader: async () => (await import('./pages/telemetry/telemetry-view.ts')).telemetryLoader,
  }),
  page(paths.activity, {
    Component: async () => (await import('./pages/activity/activity-page.tsx')).ActivityPage,
    loader: async () => (await import('./pages/activity/activity-filters.ts')).activityLoader,
  }),
  {
    path: paths.settings,
    lazy: { Component: async () => (await import('./pages/settings/settings-layout.tsx')).SettingsLayout },
    hydrateFallbackElement: <PageSkeleton />,
    errorElement: <RouteFailure />,
    children: [
      {
        index: true,
        lazy: { loader: async () => (await import('./pages/settings/settings-loaders.ts')).settingsLoader },
        element: <PageSkeleton />,
      },
      page(paths.apiKeys, {
        Component: async () => (await import('./pages/api-keys/api-keys-page.tsx')).ApiKeysPage,
        loader: async () => (await import('./pages/api-keys/api-key-address.ts')).apiKeysLoader,
      }),
      page(paths.destinations, {
        Component: async () => (await import('./pages/destinations/destinations-page.tsx')).DestinationsPage,
        loader: async () => (await import('./pages/destinations/destination-address.ts')).destinationsLoader,
      }),
      page(paths.notifications, {
        Component: async () =>
          (await import('./pages/notifications/notifications-page.tsx')).NotificationsPage,
        loader: async () => (await import('./pages/notifications/webhook-address.ts')).notificationsLoader,
      }),
      page(paths.network, {
        Component: async () => (await import('./pages/network/network-page.tsx')).NetworkPage,
      }),
      page(paths.connection, {
        Component: async () => (await import('./pages/settings/connection-page.tsx')).ConnectionPage,
        loader: async () => (await import('./pages/settings/settings-loaders.ts')).connectionLoader,
      }),
      page(paths.appearance, {
        Component: async () => (await import('./pages/settings/appearance-page.tsx')).AppearancePage,
      }),
      page(paths.apiReference, {
        Component: async () =>
          (await import('./pages/api-reference/api-reference-page.tsx')).ApiReferencePage,
        loader: async () => (await import('./pages/api-reference/reference.ts')).apiReferenceLoader,
      }),
      page(paths.about, {
        Component: async () => (await import('./pages/settings/about-page.tsx')).AboutPage,
        loader: async () => (await import('./pages/settings/settings-loaders.ts')).aboutLoader,
      }),
    ],
  },
];

/** Without a session, redirects to the sign-in page, which leads back. */
const requireSession = ({ request }: { request: Request }) => {
  if (session.get().status !== 'signed-out') return null;
  const { pathname, search } = new URL(request.url);
  const to = pathname === paths.overview && search === '' ? '' : pathname + search;
  throw redirect(withQuery(paths.signIn, { to }));
};

const SHELL = 'shell';

export const createAppRouter = ({ signInProblem }: { signInProblem: string | null }) =>
  createBrowserRouter(routesOf(signInProblem), {
    basename: basePath === '' ? '/' : basePath,
    // With a session its loader has nothing to do: the navigation is drawn at once, around the skeleton of the page.
    ...(session.get().status !== 'signed-out' && { hydrationData: { loaderData: { [SHELL]: null } } }),
  });

const routesOf = (signInProblem: string | null): RouteObject[] => [
  {
    path: paths.signIn,
    lazy: async () => {
      const { SignInPage } = await import('./pages/sign-in/sign-in-page.tsx');
      return { element: <SignInPage problem={signInProblem} /> };
    },
    hydrateFallbackElement: <></>,
    errorElement: <RouteFailure />,
  },
  {
    id: SHELL,
    element: <Shell />,
    loader: requireSession,
    errorElement: <RouteFailure isWhole />,
    hydrateFallbackElement: <></>,
    children: [
      ...pages(),
      page('*', {
        Component: async () => (await import('./pages/not-found/not-found-page.tsx')).NotFoundPage,
      }),
    ],
  },
];
