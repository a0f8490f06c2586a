import type { Page } from '@playwright/test';
import { expect, test } from './journey.ts';
import { callAs } from './service-api.ts';

test.use({ hasOwnContext: true });

test('an ended session is renewed in place, and the edits are kept', async ({ page, service }) => {
  await page.goto(`${service.url}/devices`);
  await page.getByRole('button', { name: 'Register device' }).first().click();
  await page.getByLabel('Name', { exact: true }).fill('Half typed');

  const token = await page.evaluate(
    () => (JSON.parse(localStorage.getItem('penstock.session') ?? '{}') as { token: string }).token,
  );
  const ask = (method: string, path: string, body?: unknown) =>
    fetch(`${service.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const created = await ask('POST', '/v1/api-keys', {
    name: 'Way back in',
    scopes: ['devices:read', 'devices:write', 'events:read', 'pipelines:read', 'telemetry:read'],
  });
  const { secret } = (await created.json()) as { secret: string };
  expect((await ask('DELETE', '/v1/session')).status).toBe(204);

  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: /sign in again/i });
  await expect(dialog).toBeVisible();
  await dialog.getByLabel(/api key/i).fill(secret);
  await page.keyboard.press('Enter');
  await expect(dialog).toBeHidden();
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue('Half typed');
});

const openUnnamedSession = async (page: Page, signinLink: string) => {
  await page.evaluate(() => localStorage.removeItem('penstock.session'));
  // A new document: otherwise only the hash changes.
  await page.goto('about:blank');
  await page.goto(signinLink);
  await expect(page.getByRole('heading', { name: 'Overview', level: 1 })).toBeVisible();
};

test('the request to name a session covers neither the buttons of a form nor the notice of a pipeline', async ({
  page,
  service,
}) => {
  await openUnnamedSession(page, await service.newSigninLink());
  const { id } = await callAs<{ id: string }>(page, 'POST', '/v1/pipelines', {
    name: 'Covered',
    type: 'http',
    interval: 10,
    destination: 'telemetry',
  });
  // Other journeys may have left so many pipelines that this one is not among the first rows.
  await page.goto(`${service.url}/pipelines?q=Covered`);
  await page.getByRole('button', { name: 'Pause Covered' }).click();
  const prompt = page.getByRole('region', { name: 'Name this session' });
  await expect(prompt).toBeVisible();
  await page.getByRole('button', { name: 'Resume Covered' }).click();
  await expect(page.getByRole('button', { name: 'Pause Covered' })).toBeVisible();
  await page.getByRole('link', { name: 'Covered' }).click();
  await page.getByRole('link', { name: 'Edit', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Save' })).toBeVisible();
  await expect(prompt).toBeHidden();

  await page.getByRole('link', { name: 'Cancel' }).click();
  await expect(prompt).toBeVisible();
  // A notice that comes later covers the bottom of the window.
  await expect(page.getByRole('heading', { name: 'Ledger' })).toBeVisible();
  await callAs(page, 'POST', `/v1/pipelines/${id}/messages`, 'no message');
  await expect(page.getByRole('button', { name: 'Show rejections' })).toBeVisible();
  await expect(prompt).toBeHidden();
});

test('a row that gets the focus scrolls to above the request to name the session', async ({
  page,
  service,
}) => {
  await openUnnamedSession(page, await service.newSigninLink());
  await callAs(page, 'POST', '/v1/devices/batch', {
    operation: 'upsert',
    items: Array.from({ length: 60 }, (_, index) => ({ externalId: `behind-${index}` })),
  });
  await page.goto(`${service.url}/devices?q=behind-&register=new`);
  await page.getByRole('textbox', { name: 'Name' }).fill('behind-last');
  await page.getByRole('button', { name: 'Register', exact: true }).click();
  const prompt = page.getByRole('region', { name: 'Name this session' });
  await expect(prompt).toBeVisible();
  await expect(page.getByRole('dialog', { name: 'Register device' })).toBeHidden();
  const [bar, main, height] = [
    (await prompt.boundingBox())!,
    (await page.getByRole('main').boundingBox())!,
    page.viewportSize()!.height,
  ];
  expect([bar.x, bar.width, bar.y + bar.height]).toEqual([main.x, main.width, height]);

  // A row that gets the focus scrolls to above the bar.
  const row = page.getByRole('link', { name: 'behind-19', exact: true });
  const behind = await row.evaluate((link, top) => {
    window.scrollBy(0, link.getBoundingClientRect().top - top);
    link.focus();
    return link.getBoundingClientRect().top;
  }, bar.y + 4);
  expect(behind).toBeLessThan(bar.y);
  const { y, height: rowHeight } = (await row.boundingBox())!;
  expect(y + rowHeight).toBeLessThanOrEqual(bar.y);
});

test.describe('a restart of the service', () => {
  test.use({ stopsService: true });

  test('keeps the session', async ({ page, service }) => {
    await page.goto(`${service.url}/devices`);
    await expect(page.getByText('Live', { exact: true })).toBeVisible();
    // The last part of the page to load.
    await expect(page.getByRole('region', { name: 'Notifications' })).toBeAttached();
    await service.restart();
    await page.reload();
    await expect(page.getByRole('heading', { name: 'Devices', level: 1 })).toBeVisible();
    await expect(page.getByText('Live', { exact: true })).toBeVisible();
  });
});

test('a page that is first opened offline loads when the connection is back', async ({ page, service }) => {
  // This page loads no further parts: without a connection these would fail, too.
  await page.goto(`${service.url}/settings/appearance`);
  await expect(page.getByRole('heading', { name: 'Appearance', level: 1 })).toBeVisible();
  await expect(page.getByText('Live', { exact: true })).toBeVisible();
  await page.context().setOffline(true);
  await page.getByRole('link', { name: 'Activity' }).click();
  await expect(page.getByText('Could not load this page')).toBeVisible();
  await page.context().setOffline(false);
  await expect(page.getByRole('heading', { name: 'Activity', level: 1 })).toBeVisible();
});

test('the sign-in form stays in its place when the key is rejected', async ({
  browser,
  service,
  expectAccessible,
}) => {
  const context = await browser.newContext({ storageState: { cookies: [], origins: [] } });
  const page = await context.newPage();
  await page.goto(service.url);
  const field = page.getByLabel('API key');
  await field.fill('pen_key_wrong');
  const before = await field.boundingBox();
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByText('Unknown API key')).toBeVisible();
  expect(await field.boundingBox()).toEqual(before);
  await expectAccessible(page);
  await context.close();
});
