import { setTimeout as delay } from 'node:timers/promises';
import type { Page } from '@playwright/test';
import { observePage, readObservations } from '../bench/ui/observe-page.ts';
import { isFullRun } from '../service/sized.ts';
import { dashboardPages, type ShownResources } from './dashboard-pages.ts';
import { expect, test } from './journey.ts';
import { callAs } from './service-api.ts';

const MAX_SHIFT = 0.02;
/** Responses arrive in another order than they were requested. */
const DELAYS_MS = [450, 150, 300];

/** A page without a request for this time has loaded. */
const QUIET_MS = 700;

/** Delays all responses. Returns a function that resolves once the page has loaded. */
const slowDown = async (page: Page): Promise<() => Promise<void>> => {
  const requests = { all: 0, waiting: 0, lastAt: 0 };
  await page.route(/\/v1\/(?!stream)/, async (route) => {
    requests.all += 1;
    requests.waiting += 1;
    await delay(DELAYS_MS[requests.all % DELAYS_MS.length]);
    // The page may have been left.
    await route.continue().catch(() => undefined);
    requests.waiting -= 1;
    requests.lastAt = Date.now();
  });
  return async () => {
    requests.lastAt = Date.now();
    while (requests.waiting > 0 || Date.now() - requests.lastAt < QUIET_MS) await delay(50);
  };
};

for (const { name, width, height, turn } of [
  { name: 'a desk', width: 1_440, height: 900, turn: 0 },
  { name: 'a phone', width: 360, height: 740, turn: 1 },
])
  test(`no page moves what it shows while it loads on ${name}`, async ({ browser, page, service }) => {
    const call = <T>(method: string, path: string, body?: unknown) => callAs<T>(page, method, path, body);
    const pipeline = await call<{ id: string }>('POST', '/v1/pipelines', {
      name: `Steady ${name}`,
      type: 'http',
      interval: 5,
      destination: 'telemetry',
    });
    // A device that was never seen: its page opens with Connect.
    const device = await call<{ id: string }>('POST', '/v1/devices', { name: `Steady ${name}` });
    const shown: ShownResources = { device: device.id, pipeline: pipeline.id };
    const storageState = await page.context().storageState();
    const context = await browser.newContext({ storageState, viewport: { width, height } });
    const tab = await context.newPage();
    await observePage(tab);
    const whenLoaded = await slowDown(tab);
    // Half of the pages with each width; all with `npm run test:full`. The page of a device has the most that can move.
    const pages = dashboardPages.filter(
      ({ route }, index) => isFullRun || index % 2 === turn || route === '/devices/:id',
    );
    for (const { route, path } of pages)
      await test.step(route, async () => {
        await tab.goto(`${service.url}${path(shown)}`);
        await expect(tab.getByRole('main').getByRole('heading').first()).toBeVisible();
        await whenLoaded();
        await expect(tab.locator('main .animate-pulse.bg-hover')).toHaveCount(0);
        await whenLoaded();
        const { shift, moves } = await readObservations(tab);
        expect(shift, moves.join('\n')).toBeLessThan(MAX_SHIFT);
      });
    await context.close();
  });
