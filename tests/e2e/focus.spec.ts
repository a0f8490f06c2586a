import { expect, test } from './journey.ts';
import { callWith } from './service-api.ts';

test('the focus stays where a keyboard user continues', async ({ page, service, sharedSession }) => {
  const value = sharedSession.origins[0]?.localStorage[0]?.value ?? '';
  const { token } = JSON.parse(value) as { token: string };
  for (const name of ['Focus 1', 'Focus 2', 'Focus 3'])
    await callWith(service.url, token, 'POST', '/v1/devices', { name });

  await test.step('Back returns to the row', async () => {
    await page.goto(`${service.url}/devices?q=Focus`);
    await page.getByRole('link', { name: 'Focus 2' }).focus();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { name: 'Focus 2', level: 1 })).toBeFocused();
    await page.goBack();
    await expect(page.getByRole('link', { name: 'Focus 2' })).toBeFocused();
  });

  await test.step('after a deletion, the next row has the focus', async () => {
    await page
      .getByRole('row', { name: /Focus 2/ })
      .getByRole('button')
      .click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await expect(page.getByRole('row', { name: /Focus 2/ })).toHaveCount(0);
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.outerHTML.slice(0, 300)))
      .toMatch(/data-row-link/);
  });

  await test.step('after a key is created, the focus stays on the page', async () => {
    await page.goto(`${service.url}/settings/api-keys`);
    await page.getByRole('button', { name: 'Create key' }).first().click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Focus key');
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('button', { name: 'Copy secret' }).click();
    await page.getByRole('button', { name: 'Done' }).click();
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).not.toBe('BODY');
  });
});
