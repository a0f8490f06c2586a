import type { Locator, Page } from '@playwright/test';
import { expect, test } from './journey.ts';
import { openStep } from './open-step.ts';

test.use({ hasOwnContext: true });

const message = { sensorId: 'probe-4', ts_ms: Date.now(), temp: 21.5, unit: 'C', level: '12 %' };

const openFields = async (page: Page, url: string): Promise<Locator> => {
  await page.goto(`${url}/pipelines/new`);
  await page.getByRole('radio', { name: /^HTTP/ }).click();
  await openStep(page, 'Format');
  await page.getByRole('textbox', { name: /^Message/ }).fill(JSON.stringify(message));
  const fields = page.getByRole('region', { name: 'Fields' });
  await expect(fields).toBeVisible();
  return fields;
};
const roleOf = (fields: Locator, name: string) => fields.getByRole('combobox', { name: `Role of ${name}` });
const option = (page: Page, name: string) => page.getByRole('option', { name, exact: true });
test('a list that is opened while another one fades out keeps the focus', async ({ page, service }) => {
  const fields = await openFields(page, service.url);
  await roleOf(fields, 'unit').click();
  const first = page.getByRole('listbox');
  // Until the end of this animation, its list is on the page.
  const fade = await first.evaluateHandle((list) =>
    list.parentElement!.animate([{ opacity: 1 }, { opacity: 0.9 }], 3_600_000),
  );
  await option(page, 'Unit').click();
  await roleOf(fields, 'level').click();
  await expect(option(page, 'Number')).toBeVisible();
  await fade.evaluate((animation) => animation.finish());
  await expect(first).toHaveCount(1);
  await expect(first.getByRole('option', { name: 'Metric' })).toBeFocused();
  await option(page, 'Number').click();
  await expect(roleOf(fields, 'level')).toContainText('Number');
  await expect(roleOf(fields, 'level')).toBeFocused();
});
