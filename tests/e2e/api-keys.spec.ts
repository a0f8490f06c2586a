import mqtt from 'mqtt';
import { expect, test } from './journey.ts';
import { callAs, callWith } from './service-api.ts';
import { tabTo } from './tab-to.ts';

test('a key is created, used, and revoked while a device is connected with it', async ({
  page,
  service,
  expectAccessible,
}) => {
  await page.goto(service.url);
  await page.getByRole('link', { name: 'Settings' }).click();
  await expect(page.getByRole('heading', { name: 'API keys', level: 1 })).toBeVisible();
  await expectAccessible(page);

  await page.getByRole('button', { name: 'Create key' }).first().click();
  const drawer = page.getByRole('dialog', { name: 'Create API key' });
  await drawer.getByRole('textbox', { name: 'Name' }).fill('Gateway 4');
  await drawer.getByRole('radio', { name: /^Full access/ }).click();
  await expectAccessible(page);
  await drawer.getByRole('button', { name: 'Create key' }).click();

  const created = page.getByRole('dialog', { name: 'Created Gateway 4' });
  const secret = (await created.getByText(/^pen_key_\w+$/).innerText()).trim();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect(created.getByText(/^The secret has not been copied\./)).toBeVisible();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await created.getByRole('button', { name: 'Copy secret' }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(secret);
  await created.getByRole('button', { name: 'Done' }).click();
  await expect(created).toBeHidden();

  const list = () => callWith<{ status: number; code?: string }>(service.url, secret, 'GET', '/v1/devices');
  expect((await list()).status).toBe(200);
  const opened = await callWith<{ token: string }>(service.url, secret, 'POST', '/v1/sessions', {
    token: secret,
  });
  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${service.mqttPort}`, {
    username: 'boiler-7',
    password: secret,
    reconnectPeriod: 0,
  });

  await page.reload();
  const row = page.getByRole('row').filter({ hasText: 'Gateway 4' });
  await expect(row).toContainText(secret.slice(-4));
  await expect(row).toContainText('127.0.0.1');
  await row.getByRole('button').last().click();
  await page.getByRole('menuitem', { name: /revoke/i }).click();
  const question = page.getByRole('dialog').last();
  await expect(question).toContainText(/last used/i);
  await expectAccessible(page);
  await question.getByRole('textbox').fill('Gateway 4');
  const closed = new Promise<void>((resolve) => client.once('close', () => resolve()));
  await question.getByRole('button', { name: /^Revoke/ }).click();
  await expect(row).toBeHidden();
  await closed;

  expect(await list()).toMatchObject({ status: 401, code: 'token-revoked' });
  expect((await callWith<{ status: number }>(service.url, opened.token, 'GET', '/v1/session')).status).toBe(
    401,
  );
});

test('a key is created by keyboard', async ({ page, service }) => {
  await page.goto(`${service.url}/settings/api-keys`);
  await page.getByRole('button', { name: 'Create key' }).first().focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: 'Create API key' })).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'Name' }).last()).toBeFocused();
  await page.keyboard.type('Night report');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: 'Created Night report' })).toBeVisible();
  await tabTo(page.getByRole('button', { name: 'Copy secret' }));
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.keyboard.press('Enter');
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toMatch(/^pen_key_/);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
  await expect(page.getByRole('row').filter({ hasText: 'Night report' })).toBeVisible();
});

test('a dialog over a drawer dims the drawer and the space of the scrollbar beside it', async ({
  page,
  service,
}) => {
  const { id } = await callAs<{ id: string }>(page, 'POST', '/v1/api-keys', {
    name: 'Dimmed',
    scopes: ['devices:read'],
  });
  const space = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  await page.goto(`${service.url}/settings/api-keys?key=${id}`);
  const drawer = page.getByRole('dialog', { name: 'Dimmed' });
  await expect(drawer).toBeVisible();
  const beside = await space();
  await drawer.getByRole('button', { name: 'Revoke…' }).click();
  await expect(page.getByRole('dialog', { name: 'Revoke Dimmed?' })).toBeVisible();
  expect(await space()).not.toBe(beside);
  await expect(page.locator('[data-scrim]')).toHaveCount(2);
});
