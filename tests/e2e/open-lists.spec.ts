import type { Locator, Page } from '@playwright/test';
import { expect, test } from './journey.ts';
import { openStep } from './open-step.ts';
import { callAs } from './service-api.ts';

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
/** Waits until React has rendered a response. */
const endOfFrame = (page: Page) =>
  page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));

test('a list that is opened while another one fades out keeps the focus', async ({ page, service }) => {
  const fields = await openFields(page, service.url);
  await roleOf(fields, 'unit').click();
  const first = page.getByRole('listbox');
  // The list stays on the page until this animation ends.
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

test('the answer to a choice changes nothing while a list is open', async ({ page, service }) => {
  const fields = await openFields(page, service.url);
  const question = page.getByRole('region', { name: 'Is ts_ms the time of the samples?' });
  await expect(question).toBeVisible();
  const answers = Promise.withResolvers<void>();
  await page.route('**/v1/pipelines/preview', async (route) => {
    await answers.promise;
    await route.continue();
  });
  const asked = page.waitForRequest('**/v1/pipelines/preview');
  await roleOf(fields, 'ts_ms').click();
  await option(page, 'Time').click();
  await asked;
  await roleOf(fields, 'level').click();
  const number = option(page, 'Number');
  await number.hover();
  const before = await number.boundingBox();
  await page.mouse.down();
  const answered = page.waitForResponse('**/v1/pipelines/preview');
  answers.resolve();
  await (await answered).finished();
  await endOfFrame(page);
  await expect(question).toBeVisible();
  expect(await number.boundingBox()).toEqual(before);
  await page.mouse.up();
  await expect(question).toHaveCount(0);
  await expect(roleOf(fields, 'ts_ms')).toContainText('Time');
  await expect(roleOf(fields, 'level')).toContainText('Number');
});

test('a list stays open while the preview fails', async ({ page, service }) => {
  const fields = await openFields(page, service.url);
  const failures = Promise.withResolvers<void>();
  await page.route('**/v1/pipelines/preview', async (route) => {
    await failures.promise;
    await route.fulfill({ status: 422 });
  });
  const asked = page.waitForRequest('**/v1/pipelines/preview');
  await roleOf(fields, 'ts_ms').click();
  await option(page, 'Time').click();
  await asked;
  await roleOf(fields, 'unit').click();
  await expect(option(page, 'Unit')).toBeVisible();
  const failed = page.waitForResponse('**/v1/pipelines/preview');
  failures.resolve();
  await (await failed).finished();
  await endOfFrame(page);
  await page.unroute('**/v1/pipelines/preview');
  await option(page, 'Unit').click();
  await expect(roleOf(fields, 'unit')).toContainText('Unit');
});

test('an option that is pressed while the results for the typed text arrive is chosen', async ({
  page,
  service,
}) => {
  await callAs(page, 'POST', '/v1/telemetry', {
    samples: ['pressed-a', 'pressed-b', 'pressed-c'].map((device) => ({ device, values: { level: 1 } })),
  });
  await page.goto(`${service.url}/telemetry`);
  const devices = page.getByRole('combobox', { name: 'Devices' });
  await devices.click();
  await expect(page.getByRole('option', { name: /^pressed-a/ })).toBeVisible();
  const results = Promise.withResolvers<void>();
  const search = /\/v1\/devices\?.*q=pressed-b/;
  await page.route(search, async (route) => {
    await results.promise;
    await route.continue();
  });
  const asked = page.waitForRequest(search);
  await devices.fill('pressed-b');
  await asked;
  const pressed = page.getByRole('option', { name: /^pressed-b/ });
  await pressed.hover();
  const before = await pressed.boundingBox();
  await page.mouse.down();
  const answered = page.waitForResponse(search);
  results.resolve();
  await (await answered).finished();
  await endOfFrame(page);
  expect(await pressed.boundingBox()).toEqual(before);
  await page.mouse.up();
  await expect(page).toHaveURL(/device=dev_/);
  await expect(page.getByRole('option')).toHaveText([/pressed-b/]);
});
