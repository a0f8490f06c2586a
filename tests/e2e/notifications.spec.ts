import { Webhook } from 'standardwebhooks';
import { expect } from './journey.ts';
import { test } from './receiver-journey.ts';
import { callAs } from './service-api.ts';

test('a webhook is added and tested, receives an event of a device, and is deleted', async ({
  page,
  service,
  receiver,
  expectAccessible,
}) => {
  await page.goto(`${service.url}/settings/notifications`);
  await expect(page.getByText('No webhooks yet')).toBeVisible();
  await expectAccessible(page);

  await page.getByRole('button', { name: 'Add webhook' }).first().click();
  const form = page.getByRole('dialog', { name: 'Add webhook' });
  await form.getByRole('textbox', { name: 'Name' }).fill('On-call channel');
  await form.getByRole('textbox', { name: 'Address' }).fill('http://10.0.0.8/hook');
  await form.getByRole('checkbox', { name: 'Registered' }).check();
  await form.getByRole('button', { name: 'Add webhook' }).click();
  await expect(form.getByText(/ALLOWED_NETWORKS/)).toBeVisible();
  await expectAccessible(page);
  await form.getByRole('textbox', { name: 'Address' }).fill(receiver.url);
  await form.getByRole('button', { name: 'Add webhook' }).click();

  const created = page.getByRole('dialog', { name: 'Created On-call channel' });
  const secret = await created.getByText(/^whsec_.+/).innerText();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect(created.getByText(/^The secret has not been copied\./)).toBeVisible();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await created.getByRole('button', { name: 'Copy secret' }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(secret);
  await created.getByRole('button', { name: 'Done' }).click();

  const drawer = page.getByRole('dialog', { name: 'On-call channel', exact: true });
  await drawer.getByRole('button', { name: 'Send test event' }).click();
  await expect(drawer.getByText('Delivered.')).toBeVisible();
  receiver.react = 500;
  await drawer.getByRole('button', { name: 'Send test event' }).click();
  await expect(drawer.getByText(/Answered 500/)).toBeVisible();
  await expectAccessible(page);
  receiver.react = 204;
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);

  const row = page.getByRole('row').filter({ hasText: 'On-call channel' });
  await expect(row).toContainText('No deliveries yet');
  await callAs(page, 'POST', '/v1/devices', { name: 'Boiler 7' });
  await expect(row, 'without a reload').toContainText('Delivered');
  await expectAccessible(page);
  const call = receiver.received.find(({ body }) => body.type === 'device.registered');
  expect(call?.body.data).toMatchObject({ subject: { type: 'device', name: 'Boiler 7' } });
  new Webhook(secret).verify(call?.text ?? '', call?.headers as Record<string, string>);

  await row.getByRole('button', { name: 'Actions for On-call channel' }).click();
  await page.getByRole('menuitem', { name: 'Delete…' }).click();
  const question = page.getByRole('dialog', { name: 'Delete On-call channel?' });
  await expect(question.getByRole('textbox')).toBeFocused();
  await expect(page.getByRole('menu')).toHaveCount(0);
  await expectAccessible(page);
  await question.getByRole('textbox').fill('On-call channel');
  await question.getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByText('No webhooks yet')).toBeVisible();
});

test('on a phone nothing scrolls sideways, and the reference of the API is as accessible', async ({
  page,
  service,
  receiver,
  expectAccessible,
}) => {
  const sideways = () =>
    page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  await callAs(page, 'POST', '/v1/webhooks', {
    name: 'A pager of somebody with a long name',
    url: `${receiver.url}/with/a/path/that/goes/on/and/on/and/on/and/on`,
    events: ['device.offline'],
  });
  await page.setViewportSize({ width: 360, height: 780 });
  await page.goto(`${service.url}/settings/notifications`);
  await expect(page.getByRole('link', { name: /^A pager/ })).toBeVisible();
  expect(await sideways()).toBeLessThanOrEqual(0);
  await expectAccessible(page);

  await page.goto(`${service.url}/settings/api?q=batch`);
  await page.getByRole('button', { name: /\/v1\/devices\/batch/ }).click();
  await expect(page.getByRole('region', { name: 'POST /v1/devices/batch', exact: true })).toBeVisible();
  expect(await sideways()).toBeLessThanOrEqual(0);
  await expectAccessible(page);

  await page.setViewportSize({ width: 1_440, height: 900 });
  await page.goto(`${service.url}/settings/api`);
  await page
    .getByRole('navigation', { name: 'Endpoints' })
    .getByRole('link', { name: /Rotate an API key/ })
    .click();
  await expect(page.getByRole('region', { name: /^POST .*rotate$/ })).toBeInViewport();
  await expect(page.getByRole('button', { name: /\{id\}\/rotate Rotate an API key/ })).toBeFocused();
  await page.getByRole('button', { name: /^DELETE .*Revoke an API key/ }).click();
  await expectAccessible(page);
});
