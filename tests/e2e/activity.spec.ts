import { expect, test } from './journey.ts';
import { callAs } from './service-api.ts';

test('events appear with their actor, and link to their subject', async ({ page, expectAccessible }) => {
  await page.getByRole('link', { name: 'Activity', exact: true }).first().click();
  await expect(page.getByRole('heading', { name: 'Activity', level: 1 })).toBeVisible();
  await callAs(page, 'POST', '/v1/devices', { name: 'Turbine' });
  const line = page.getByText(/Ada registered Turbine/);
  await expect(line).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Turbine' }).first().click();
  await expect(page.getByRole('heading', { name: 'Turbine', level: 1 })).toBeVisible();
});
