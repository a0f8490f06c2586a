import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from './journey.ts';
import { tokenOf } from './open-session.ts';
import { callWith } from './service-api.ts';

/** The address of the built file that contains a text. Its name may be that of another part, with a hash. */
const codeWith = (text: string): string => {
  const assets = join(import.meta.dirname, '../../dist/dashboard/assets');
  const files = readdirSync(assets).filter((name) => name.endsWith('.js'));
  const file = files.find((name) => readFileSync(join(assets, name), 'utf8').includes(text));
  if (file === undefined) throw new Error(`No file in ${assets} contains "${text}".`);
  return `**/assets/${file}`;
};

test('the focus stays where a keyboard user continues', async ({ page, service, sharedSession }) => {
  const token = tokenOf(sharedSession);
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

  await test.step('a popover whose code does not load keeps the page, and loads again', async () => {
    const code = codeWith('w-dvw');
    await page.goto(`${service.url}/activity`);
    await page.route(code, (route) => route.abort('connectionrefused'));
    await page.getByRole('button', { name: 'Subject' }).press('Enter');
    const retry = page.getByRole('alert').getByRole('button', { name: 'Try again' });
    await expect(retry).toBeFocused();
    await expect(page.getByRole('heading', { name: 'Activity', level: 1 })).toBeVisible();
    await retry.press('Enter');
    await expect(retry).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('button', { name: 'Subject' })).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(retry).toBeFocused();
    await page.unroute(code);
    await expect(retry).toBeEnabled();
    await retry.press('Enter');
    const picker = page.getByRole('combobox', { name: 'Subject name' });
    await expect(picker).toBeVisible();
    await picker.focus();
    // Renders the toolbar again: what has loaded must not load a second time.
    await page.setViewportSize({ width: 700, height: 900 });
    await page.setViewportSize({ width: 1_440, height: 900 });
    await page.evaluate(
      () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
    );
    await expect(picker).toBeFocused();
  });

  await test.step('after a retry, the first control of a popover has the focus', async () => {
    const code = codeWith('Value of $');
    await page.goto(`${service.url}/devices?q=Focus`);
    await page.route(code, (route) => route.abort('connectionrefused'));
    await page.getByRole('button', { name: 'Filter', exact: true }).press('Enter');
    const retry = page.getByRole('alert').getByRole('button', { name: 'Try again' });
    await expect(retry).toBeVisible();
    await page.unroute(code);
    await retry.press('Enter');
    await expect(page.getByRole('combobox', { name: 'Type' })).toBeFocused();
  });

  await test.step('a drawer whose code does not load keeps the page, and Escape returns to it', async () => {
    const code = codeWith('A CSV file with a line of column names.');
    await page.goto(`${service.url}/devices?q=Focus`);
    await page.route(code, (route) => route.abort('connectionrefused'));
    const open = async () => {
      await page.getByRole('button', { name: 'Import and export' }).press('Enter');
      await page.getByRole('menuitem', { name: 'Import CSV…' }).press('Enter');
    };
    await open();
    const retry = page.getByRole('alert').getByRole('button', { name: 'Try again' });
    await expect(retry).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(retry).toHaveCount(0);
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).not.toBe('BODY');
    await expect(page.getByRole('heading', { name: 'Devices', level: 1 })).toBeVisible();
    await page.unroute(code);
    await open();
    const dialog = page.getByRole('dialog', { name: 'Import devices' });
    await expect(dialog.or(retry)).toBeVisible();
    // A load that began while the code was out of reach may still fail.
    if (await retry.isVisible()) await retry.press('Enter');
    await expect(dialog).toBeVisible();
  });

  // The lists of selects.
  const code = codeWith('data-placeholder');
  const unit = page.getByRole('combobox', { name: 'Unit of the interval' });
  const openPolledForm = async () => {
    await page.goto(`${service.url}/pipelines/new`);
    await page.getByRole('radio', { name: /^This machine/ }).click();
    await expect(unit).toBeVisible();
  };

  // First, since the browser caches code that has loaded.
  await test.step('a select whose list fails to load keeps the form and works', async () => {
    await openPolledForm();
    await page.getByRole('textbox', { name: 'Name' }).fill('Kept');
    await page.route(code, (route) => route.abort('connectionrefused'));
    await unit.press('Enter');
    await expect(page.locator('select')).toBeFocused();
    await unit.selectOption('minutes');
    await expect(unit.locator('option:checked')).toHaveText('minutes');
    await expect(page.getByRole('textbox', { name: 'Name' })).toHaveValue('Kept');
    await page.unroute(code);
  });

  await test.step('a select keeps the focus while its list loads', async () => {
    await openPolledForm();
    const held = Promise.withResolvers<void>();
    await page.route(code, async (route) => {
      await held.promise;
      await route.continue();
    });
    await unit.press('Enter');
    await expect(unit).toBeFocused();
    held.resolve();
    await expect(page.getByRole('option', { name: 'minutes' })).toBeVisible();
  });
});
