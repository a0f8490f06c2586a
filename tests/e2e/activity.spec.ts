import { expect, test } from './journey.ts';
import { callAs } from './service-api.ts';

test('events appear with their actor, and link to their subject', async ({
  page,
  service,
  expectAccessible,
}) => {
  await page.goto(service.url);
  await page.getByRole('link', { name: 'Activity', exact: true }).first().click();
  await expect(page.getByRole('heading', { name: 'Activity', level: 1 })).toBeVisible();
  const { id } = await callAs<{ id: string }>(page, 'POST', '/v1/devices', { name: 'Turbine' });
  // Registrations of other journeys may be one row with this one.
  await callAs(page, 'PATCH', `/v1/devices/${id}`, { type: 'turbine' });
  const line = page.getByText(/Ada updated Turbine/);
  await expect(line).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Turbine' }).first().click();
  await expect(page.getByRole('heading', { name: 'Turbine', level: 1 })).toBeVisible();
});
