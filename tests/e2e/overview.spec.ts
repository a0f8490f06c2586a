import type { Locator } from '@playwright/test';
import { observePage, readObservations } from '../bench/ui/observe-page.ts';
import { expect, test } from './journey.ts';
import { callAs } from './service-api.ts';

test('both columns of Overview end at the same height, filled with events that are not cut off', async ({
  page,
  service,
  expectAccessible,
}) => {
  for (let n = 0; n < 16; n += 1) {
    const { id } = await callAs<{ id: string }>(page, 'POST', '/v1/devices', {
      name: `Column ${n}`,
      tags: { row: String(n % 8) },
    });
    if (n > 0) continue;
    // Changes of one device are not joined.
    for (let change = 0; change < 32; change += 1)
      await callAs(page, 'PATCH', `/v1/devices/${id}`, { type: `column ${change}` });
  }
  // Other journeys tag devices of the same service.
  await page.evaluate(() => localStorage.setItem('penstock.overview.group', 'row'));
  await page.goto(service.url);
  await page.setViewportSize({ width: 1_440, height: 900 });
  const panel = (name: string) => page.getByRole('region', { name, exact: true });
  await expect(panel('Groups').getByRole('listitem')).toHaveCount(8);
  const bottomOf = async (locator: Locator) => {
    const box = await locator.boundingBox();
    return Math.round((box?.y ?? 0) + (box?.height ?? 0));
  };
  const rows = panel('Latest events').getByRole('listitem');
  await expect(async () => {
    expect(await rows.count()).toBeGreaterThan(8);
    const bottom = await bottomOf(panel('Latest events'));
    expect(bottom).toBe(await bottomOf(panel('Groups')));
    const gap = bottom - (await bottomOf(rows.last()));
    expect(gap).toBeGreaterThanOrEqual(0);
    expect(gap).toBeLessThan(50);
  }).toPass();
  await expectAccessible(page);
});

test('panels stay in their place while the page loads, on a desk and on a phone', async ({
  page,
  service,
}) => {
  const drafts = [];
  for (let n = 0; n < 8; n += 1) {
    // One is described in two lines.
    const destination = n === 0 ? 'the historian of the second site, behind the firewall' : 'telemetry';
    const body = { name: `Stays ${n}`, type: 'opc-ua', interval: 10, destination };
    drafts.push(await callAs<{ id: string }>(page, 'POST', '/v1/pipelines', body));
  }
  for (const size of [
    { width: 1_440, height: 900 },
    { width: 360, height: 740 },
  ]) {
    const tab = await page.context().newPage();
    await tab.setViewportSize(size);
    await observePage(tab);
    await tab.goto(service.url);
    const events = tab.getByRole('region', { name: 'Latest events' }).getByRole('listitem');
    const attention = tab.getByRole('region', { name: 'Needs attention' });
    await expect(attention).toContainText('Stays 7');
    const rows = attention.getByRole('listitem').filter({ hasText: 'Stays' });
    const heights = await rows.evaluateAll((items) =>
      items.map((item) => Math.round(item.getBoundingClientRect().height)),
    );
    // On a phone the description of one takes more lines.
    if (size.width > 1_000)
      expect(new Set(heights), 'alike, since rows change places').toEqual(new Set([80]));
    await expect(events.first()).toBeAttached();
    await expect(tab.getByRole('button', { name: 'Connection: live' })).toBeAttached();
    expect((await readObservations(tab)).shift).toBeLessThan(0.02);
    await tab.close();
  }
  for (const { id } of drafts) await callAs(page, 'DELETE', `/v1/pipelines/${id}`);
});

test('on a phone what needs attention is in full view, up to most of the window', async ({
  page,
  service,
}) => {
  const drafts = [];
  for (let n = 0; n < 4; n += 1) {
    const body = { name: `In view ${n}`, type: 'opc-ua', interval: 10, destination: 'telemetry' };
    drafts.push(await callAs<{ id: string }>(page, 'POST', '/v1/pipelines', body));
  }
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto(service.url);
  const panel = page.getByRole('region', { name: 'Needs attention' });
  await expect(panel).toContainText('In view 3');
  await expect(panel).toContainText(/\d+ entries/);
  const { height, fullHeight } = await panel
    .getByRole('list')
    .evaluate((list) => ({ height: list.clientHeight, fullHeight: list.scrollHeight }));
  expect(height).toBe(Math.min(fullHeight, 0.75 * 740));
  for (const { id } of drafts) await callAs(page, 'DELETE', `/v1/pipelines/${id}`);
});

test('Storage stays in its place when the counts arrive', async ({ page, service }) => {
  const held = Promise.withResolvers<void>();
  await page.route('**/v1/overview', async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.goto(service.url);
  const storage = page.getByRole('region', { name: 'Storage', exact: true });
  const place = await storage.boundingBox();
  held.resolve();
  await expect(page.getByRole('region', { name: 'Latest events' })).toBeVisible();
  await expect(page.getByText(/^Busiest in the last/)).toBeVisible();
  expect((await storage.boundingBox())?.y).toBe(place!.y);
  await page.unroute('**/v1/overview');
});
