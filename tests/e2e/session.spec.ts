import { expect, test } from './journey.ts';

test.use({ hasOwnSession: true });

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

test('a wrong key shows an error at its field', async ({ page, service }) => {
  await page.evaluate(() => localStorage.removeItem('penstock.session'));
  await page.goto(`${service.url}/devices`);
  await expect(page).toHaveURL(/\/signin/);
  await page.getByLabel(/api key/i).fill('pen_key_nonsense');
  await page.keyboard.press('Enter');
  await expect(page.getByText(/Unknown API key/i)).toBeVisible();
});

test('the session survives a restart of the service', async ({ page, service }) => {
  await page.goto(`${service.url}/devices`);
  await expect(page.getByText('Live', { exact: true })).toBeVisible();
  // The last part of the page to load.
  await expect(page.getByRole('region', { name: 'Notifications' })).toBeAttached();
  await service.restart();
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Devices', level: 1 })).toBeVisible();
  await expect(page.getByText('Live', { exact: true })).toBeVisible();
});

test('a page that is first opened offline loads when the connection is back', async ({ page, service }) => {
  await page.goto(`${service.url}/devices`);
  await expect(page.getByText('Live', { exact: true })).toBeVisible();
  await page.context().setOffline(true);
  await page.getByRole('link', { name: 'Activity' }).click();
  await expect(page.getByText('Could not load this page')).toBeVisible();
  await page.context().setOffline(false);
  await expect(page.getByRole('heading', { name: 'Activity', level: 1 })).toBeVisible();
});

test('the sign-in form stays in its place when the key is rejected', async ({ browser, service }) => {
  const context = await browser.newContext({ storageState: { cookies: [], origins: [] } });
  const page = await context.newPage();
  await page.goto(service.url);
  const field = page.getByLabel('API key');
  await field.fill('pen_key_wrong');
  const before = await field.boundingBox();
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByText('Unknown API key')).toBeVisible();
  expect(await field.boundingBox()).toEqual(before);
  await context.close();
});
