import type { DataRouteObject } from 'react-router-dom';
import { expect, test } from 'vitest';
import { createAppRouter } from '#dashboard/routes.tsx';
import { dashboardPages } from '#tests/e2e/dashboard-pages.ts';

const routesIn = (routes: readonly DataRouteObject[]): string[] =>
  routes.flatMap(({ path, children }) => (children === undefined ? (path ?? []) : routesIn(children)));

test('the accessibility check and the measurements know every page', () => {
  const router = createAppRouter({ signInProblem: null });
  const routes = new Set(routesIn(router.routes));
  router.dispose();
  // The sign-in page and the page of unknown addresses have tests of their own.
  for (const path of ['/signin', '*']) routes.delete(path);
  expect(dashboardPages.map(({ route }) => route).toSorted()).toEqual([...routes].toSorted());
});
