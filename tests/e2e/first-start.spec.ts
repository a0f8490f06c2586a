import { AxeBuilder } from '@axe-core/playwright';
import { expect, test } from '@playwright/test';
import { startRunningService, type RunningService } from './running-service.ts';

let service: RunningService;
test.beforeAll(async () => {
  service = await startRunningService();
});
test.afterAll(() => service.remove());

test('Chromium is asked to compile the largest files of the page while they load', async ({ request }) => {
  const html = await (await request.get(service.url)).text();
  const files = [...html.matchAll(/assets\/[^"]+\.js/g)].map(([path]) => path);
  const texts = await Promise.all(
    [...new Set(files)].map(async (path) => (await request.get(`${service.url}/${path}`)).text()),
  );
  const [largest, second] = texts.toSorted((a, b) => b.length - a.length);
  for (const text of [largest, second]) expect(text?.split('\n')[0]).toBe('//# allFunctionsCalledOnLoad');
});

test('from the first start to the live telemetry of this machine', async ({ page }) => {
  const troubles: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') troubles.push(message.text());
  });
  page.on('pageerror', (error) => troubles.push(error.message));

  await page.goto(service.signinLink);
  await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible();
  expect(page.url()).not.toContain('signin=');
  const toast = page.getByRole('dialog', { name: 'Signed in' });
  await expect(toast).toContainText('Full access');
  // While a toast fades out, its contrast is too low.
  await toast.getByRole('button', { name: 'Dismiss' }).click();
  await expect(toast).toBeHidden();
  expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);

  await page.getByRole('link', { name: 'Devices', exact: true }).first().click();
  const row = page.getByRole('row').filter({ hasText: 'Online' });
  await expect(row).toBeVisible({ timeout: 20_000 });
  expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);

  await row.getByRole('link').first().click();
  const latest = page.getByRole('region', { name: /latest values/i });
  await expect(latest).toContainText('cpu');
  const before = await latest.innerText();
  await expect.poll(() => latest.innerText(), { timeout: 20_000 }).not.toBe(before);
  await expect(page.locator('canvas').first()).toBeVisible();
  expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
  expect(troubles).toEqual([]);
});

test('a used sign-in link explains how to get another', async ({ page }) => {
  const link = await service.newSigninLink();
  const used = await fetch(`${service.url}/v1/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: link.slice(link.indexOf('=') + 1) }),
  });
  expect(used.status).toBe(201);
  await page.goto(link);
  await expect(page.getByText(/was already used or is older than 10 minutes.*penstock signin/)).toBeVisible();
});
