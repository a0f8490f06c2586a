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
    await callAs(page, 'PATCH', `/v1/devices/${id}`, { type: 'column' });
  }
  // Other journeys tag devices of the same service.
  await page.evaluate(() => localStorage.setItem('penstock.overview.group', 'row'));
  await page.reload();
  await page.setViewportSize({ width: 1_440, height: 900 });
  const panel = (name: string) => page.getByRole('region', { name, exact: true });
  await expect.poll(() => panel('Groups').getByRole('link').count()).toBeGreaterThanOrEqual(8);
  const bottomOf = async (name: string) => {
    const box = await panel(name).boundingBox();
    return Math.round((box?.y ?? 0) + (box?.height ?? 0));
  };
  const rows = panel('Latest events').getByRole('listitem');
  await expect.poll(() => rows.count()).toBeGreaterThan(8);
  expect(await bottomOf('Latest events')).toBe(await bottomOf('Groups'));
  const last = await rows.last().boundingBox();
  const gap = (await bottomOf('Latest events')) - ((last?.y ?? 0) + (last?.height ?? 0));
  expect(gap).toBeGreaterThanOrEqual(0);
  expect(gap).toBeLessThan(50);
  await expectAccessible(page);
});
