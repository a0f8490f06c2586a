import type { Locator } from '@playwright/test';
import { expect, test } from './journey.ts';
import { callAs } from './service-api.ts';

test('both columns of Overview end at the same height, filled with events that are not cut off', async ({
  page,
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
  await page.reload();
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
