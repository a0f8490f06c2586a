import type { BrowserContext, Page, Request } from '@playwright/test';
import { expect, test } from './journey.ts';
import { callAs } from './service-api.ts';

/** More than the connections that a browser opens to one host. */
const TABS = 10;
const CLOSED = 5;

/** Every page of a headless browser is visible, like ten windows side by side. */
const openTabs = async (first: Page, url: string): Promise<Page[]> => {
  const others = await Promise.all(Array.from({ length: TABS - 1 }, () => first.context().newPage()));
  const tabs = [first, ...others];
  await Promise.all(tabs.map((tab) => tab.goto(url)));
  return tabs;
};

const connectionOf = (tab: Page) => tab.getByRole('button', { name: 'Connection: live' });

/** Counts the open streams of the tabs of a browser. */
const watchStreams = (context: BrowserContext): (() => number) => {
  const open = new Map<Request, Page>();
  context.on('request', (request) => {
    if (new URL(request.url()).pathname === '/v1/stream') open.set(request, request.frame().page());
  });
  context.on('requestfinished', (request) => open.delete(request));
  context.on('requestfailed', (request) => open.delete(request));
  // Requests that end with their tab are not reported.
  return () => [...open.values()].filter((tab) => !tab.isClosed() && tab.url() !== 'about:blank').length;
};

test(`${TABS} visible tabs of one browser load, show changes, and share one stream`, async ({
  page,
  service,
}) => {
  test.setTimeout(120_000);
  const { id, externalId } = await callAs<{ id: string; externalId: string }>(page, 'POST', '/v1/devices', {
    name: 'Pump 1',
  });
  const { secret } = await callAs<{ secret: string }>(page, 'POST', '/v1/api-keys', {
    name: 'Pump',
    scopes: ['telemetry:write'],
  });
  const send = (flow: number) =>
    fetch(`${service.url}/v1/telemetry`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ samples: [{ device: externalId, values: { flow } }] }),
    });
  await send(1);
  const streams = watchStreams(page.context());
  const tabs = await openTabs(page, `${service.url}/devices/${id}`);
  for (const tab of tabs) {
    expect(await tab.evaluate(() => document.visibilityState)).toBe('visible');
    await expect(tab.getByRole('heading', { name: 'Pump 1', level: 1 })).toBeVisible();
    await expect(connectionOf(tab)).toBeVisible();
  }
  await send(28);
  for (const tab of tabs)
    await expect(tab.getByRole('region', { name: 'Latest values' })).toContainText('28', { timeout: 20_000 });
  await expect.poll(streams).toBe(1);

  // The tab with the stream is among the closed ones: another opens a stream, and no tab misses a change.
  await page.bringToFront();
  await Promise.all(
    tabs.slice(0, CLOSED).map((tab) => (tab === page ? tab.goto('about:blank') : tab.close())),
  );
  const left = tabs.slice(CLOSED);
  for (const tab of left) await expect(connectionOf(tab)).toBeVisible({ timeout: 20_000 });
  await send(37);
  for (const tab of left)
    await expect(tab.getByRole('region', { name: 'Latest values' })).toContainText('37', { timeout: 20_000 });
  await expect.poll(streams).toBe(1);
  for (const tab of left) await tab.close();
});
