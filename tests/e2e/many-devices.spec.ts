import { readFileSync } from 'node:fs';
import { expect, test } from './journey.ts';
import { callAs } from './service-api.ts';
import { arrowTo, tabTo } from './tab-to.ts';

const BAD_ROWS = 37;
const GOOD_ROWS = 5_000 - BAD_ROWS;
const DEVICES_IN_LYON = 1_900;

/** Rejected rows in turn: an invalid ID, no ID, an invalid interval, a repeated ID. */
const rejectedRows = Array.from({ length: BAD_ROWS }, (_, index) => {
  const number = GOOD_ROWS + index;
  const kinds = [
    [`bad id ${number}!,Bad,Lyon,60`, /External ID: .*letters, digits/],
    [',No ID,Lyon,60', /External ID: /],
    [`meter-${number},Often,Lyon,often`, /Expected interval \(s\): /],
    ['meter-0,Repeated,Lyon,60', /Line 2 has the same external ID\./],
  ] as const;
  const [cells, problem] = kinds[number % kinds.length] ?? kinds[0];
  return { cells, problem };
});

const csv = (): string => {
  const good = Array.from(
    { length: GOOD_ROWS },
    (_, number) => `meter-${number},Meter ${number},${number < DEVICES_IN_LYON ? 'Lyon' : 'Metz'},60`,
  );
  const rejected = rejectedRows.map(({ cells }) => cells);
  return ['Device ID,Name,Campus,Interval (s)', ...good, ...rejected].join('\n');
};

const count = (number: number) => number.toLocaleString('en');

test(`by keyboard alone, ${count(GOOD_ROWS)} devices are imported, and the ${count(DEVICES_IN_LYON)} that match a filter get a tag`, async ({
  page,
  service,
  expectAccessible,
}) => {
  const { keyboard } = page;
  const drawer = page.getByRole('dialog', { name: 'Import devices' });

  await test.step('the file is chosen and its columns are mapped', async () => {
    await page.goto(`${service.url}/devices`);
    // Before the presses: a key press can overtake the request to intercept the chooser.
    const chooser = page.waitForEvent('filechooser');
    await tabTo(page.getByRole('button', { name: 'Import and export' }));
    await keyboard.press('Enter');
    await expect(page.getByRole('menuitem', { name: 'Import CSV…' })).toBeFocused();
    await keyboard.press('Enter');
    await expect(drawer.getByRole('button', { name: 'Choose a file' })).toBeFocused();
    await keyboard.press('Enter');
    await (await chooser).setFiles({ name: 'devices.csv', mimeType: 'text/csv', buffer: Buffer.from(csv()) });
    await tabTo(drawer.getByRole('combobox', { name: 'Import Campus as' }));
    await keyboard.press('Enter');
    await arrowTo(page.getByRole('option', { name: 'Tag “Campus”' }));
    await keyboard.press('Enter');
    await expect(page.getByRole('option')).toHaveCount(0);
    await expect(drawer.getByRole('combobox', { name: 'Import Campus as' })).toHaveText('Tag “Campus”');
  });

  await test.step('every row is checked before anything changes', async () => {
    await tabTo(drawer.getByRole('button', { name: 'Check' }));
    await keyboard.press('Enter');
    await expect(drawer).toContainText(
      `To register${count(GOOD_ROWS)}To update0Unchanged0Rejected${BAD_ROWS}`,
    );
    await expectAccessible(page);
    await tabTo(drawer.getByRole('button', { name: 'Download' }));
    const download = page.waitForEvent('download');
    await keyboard.press('Enter');
    const [, ...report] = readFileSync(await (await download).path(), 'utf8')
      .trim()
      .split('\r\n');
    expect(report).toHaveLength(BAD_ROWS);
    for (const [index, { cells, problem }] of rejectedRows.entries()) {
      expect(report[index]).toContain(`,${cells}`);
      expect(report[index]).toMatch(problem);
    }
  });

  await test.step('the import is stopped, counts what it registered, and continues', async () => {
    await tabTo(drawer.getByRole('button', { name: `Import ${count(GOOD_ROWS)} devices` }));
    const stopped = Promise.withResolvers<void>();
    await page.route('**/v1/devices/batch', async (route) => {
      await stopped.promise;
      await route.continue();
    });
    await keyboard.press('Enter');
    await keyboard.press('Enter');
    await expect(drawer.getByRole('button', { name: 'Importing…' })).toBeFocused();
    const stop = drawer.getByRole('button', { name: 'Stop the import' });
    await keyboard.press('Shift+Tab');
    await expect(stop).toBeFocused();
    await keyboard.press('Enter');
    stopped.resolve();
    const next = drawer.getByRole('button', { name: 'Continue' });
    await expect(next).toBeVisible();
    const registered = Number(
      (
        await drawer
          .getByText('Registered', { exact: true })
          .locator('xpath=following-sibling::*')
          .innerText()
      ).replaceAll(',', ''),
    );
    const { total } = await callAs<{ total: number }>(page, 'GET', '/v1/devices?q=meter-&total=true&limit=1');
    expect(registered).toBe(total);
    await tabTo(next);
    await keyboard.press('Enter');
    await expect(drawer).toContainText(`Registered${count(GOOD_ROWS)}Updated0Unchanged0Rejected${BAD_ROWS}`);
    await keyboard.press('Escape');
    await expect(page.getByRole('button', { name: 'Import and export' })).toBeFocused();
  });

  await test.step('a filter by tag is set', async () => {
    await tabTo(page.getByRole('button', { name: 'Filter', exact: true }));
    await keyboard.press('Enter');
    await expect(page.getByRole('combobox', { name: 'Type' })).toBeFocused();
    await tabTo(page.getByRole('combobox', { name: 'Tag' }));
    await keyboard.type('Campus');
    await expect(page.getByRole('option', { name: /Campus/ })).toBeVisible();
    await keyboard.press('ArrowDown');
    await keyboard.press('Enter');
    await expect(page.getByRole('combobox', { name: 'Value of Campus' })).toBeFocused();
    await keyboard.type('Ly');
    await expect(page.getByRole('option', { name: /Lyon/ })).toBeVisible();
    await expect(page.getByRole('option', { name: /Metz/ })).toHaveCount(0);
    await keyboard.press('ArrowDown');
    await keyboard.press('Enter');
    await expect(page.getByText(`${count(DEVICES_IN_LYON)} devices found`)).toBeVisible();
  });

  await test.step('all that match are selected and get a tag', async () => {
    const selection = page.getByRole('region', { name: 'Selection' });
    await tabTo(page.getByRole('link', { name: 'Meter 0', exact: true }));
    await keyboard.press('Space');
    await keyboard.press('Shift+ArrowDown');
    await expect(selection).toContainText('2 devices selected');
    await expectAccessible(page);
    await tabTo(selection.getByRole('button', { name: `Select all ${count(DEVICES_IN_LYON)} that match` }));
    await keyboard.press('Enter');
    await expect(selection.getByRole('button', { name: 'Add tags…' })).toBeFocused();
    await keyboard.press('Enter');
    await expect(page.getByRole('combobox', { name: 'Key 1' })).toBeFocused();
    await keyboard.type('floor');
    await keyboard.press('Tab');
    await keyboard.type('3');
    await keyboard.press('Enter');
    await expect(page.getByText(`Added tags to ${count(DEVICES_IN_LYON)} devices`)).toBeVisible();
    const { total } = await callAs<{ total: number }>(
      page,
      'GET',
      '/v1/devices?tag=floor:3&tag=Campus:Lyon&total=true&limit=1',
    );
    expect(total).toBe(DEVICES_IN_LYON);
  });
});
