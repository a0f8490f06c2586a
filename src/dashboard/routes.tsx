import { createBrowserRouter, redirect, type RouteObject } from 'react-router-dom';
import { session } from './api/session.ts';
import { paths, withQuery } from './paths.ts';
import { PageSkeleton } from './shell/page-skeleton.tsx';
import { NotFoundPage, RouteFailure } from './shell/route-failure.tsx';
import { Shell } from './shell/shell.tsx';

/** A page: its code and what it reads come at the same time; until then its skeleton stands in the layout. */
const page = (path: string, lazy: NonNullable<RouteObject['lazy']>): RouteObject => ({
  path,
  lazy,
  hydrateFallbackElement: <PageSkeleton />,
  errorElement: <RouteFailure />,
});

/** To add a page: a line here, its address in paths.ts, and, where the shell leads to it, a line in navigation.ts. */
const pages: RouteObject[] = [
  page(paths.overview, {
    Component: async () => (await import('./pages/overview/overview-page.tsx')).OverviewPage,
    loader: async () => (await import('./pages/overview/overview-loader.ts')).overviewLoader,
  }),
  page(paths.devices, {
    Component: async () => (await import('./pages/devices/devices-page.tsx')).DevicesPage,
    loader: async () => (await import('./pages/devices/devices-loader.ts')).devicesLoader,
  }),
  page('/devices/:id', {
    Component: async () => (await import('./pages/devices/device-page.tsx')).DevicePage,
    loader: async () => (await import('./pages/devices/device-loader.ts')).deviceLoader,
  }),
];

/** Where nobody is signed in, the way in stands first, and leads back to what was asked for. */
const requireSession = ({ request }: { request: Request }) => {
  if (session.get().status !== 'signed-out') return null;
  const { pathname, search } = new URL(request.url);
  const to = pathname === paths.overview && search === '' ? '' : pathname + search;
  throw redirect(withQuery(paths.signIn, { to }));
};

export const createAppRouter = ({ signInProblem }: { signInProblem: string | null }) =>
  createBrowserRouter([
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
      element: <Shell />,
      loader: requireSession,
      errorElement: <RouteFailure isWhole />,
      hydrateFallbackElement: <PageSkeleton />,
      children: [...pages, { path: '*', element: <NotFoundPage /> }],
    },
  ]);
