import { readFileSync } from 'node:fs';
import { expect, test } from './journey.ts';
import { callAs } from './service-api.ts';

const MINUTE_MS = 60_000;

test('devices and metrics are charted over a range, shown as a table, exported, and linked', async ({
  page,
  service,
  expectAccessible,
}) => {
  const now = Date.now();
  const samples = Array.from({ length: 50 }, (_, minute) => ({
    device: 'kiln-1',
    ts: now - (50 - minute) * MINUTE_MS,
    values: { temperature: 900 + minute, burning: minute < 30 },
  }));
  await callAs(page, 'POST', '/v1/telemetry', { samples });

  await page.getByRole('link', { name: 'Telemetry', exact: true }).first().click();
  await expectAccessible(page);
  await page.getByRole('combobox', { name: 'Devices' }).fill('kiln');
  await page.getByRole('option', { name: /kiln-1/ }).click();
  await page.keyboard.press('Escape');
  await expect(page.getByText(/temperature, .*between 900 and 949/)).toBeVisible();
  await expect(page.getByRole('table', { name: 'Series' })).toContainText('50');
  await page.getByText('6 h', { exact: true }).click();
  await expect(page).toHaveURL(/6h/);
  await expectAccessible(page);

  await page.getByText('Table', { exact: true }).click();
  await expect(page.getByRole('cell', { name: /949/ }).first()).toBeVisible();
  await expectAccessible(page);

  const link = page.url();
  const other = await page.context().newPage();
  await other.goto(link);
  await expect(other.getByRole('cell', { name: /949/ }).first()).toBeVisible();
  await other.close();

  await page.getByRole('button', { name: 'Export' }).click();
  const waiting = page.waitForEvent('download');
  await page
    .getByRole('menuitem', { name: /csv/i })
    .or(page.getByRole('button', { name: /csv/i }))
    .first()
    .click();
  const download = await waiting;
  const rows = readFileSync(await download.path(), 'utf8')
    .trim()
    .split('\r\n');
  expect(rows[0]).toBe('time,device,externalId,metric,value');
  expect(rows.filter((row) => row.includes('kiln-1,temperature'))).toHaveLength(50);
  expect(service.url).not.toBe('');
});

test('the cursor is moved along a chart by keyboard, and speaks', async ({ page, service }) => {
  await callAs(page, 'POST', '/v1/telemetry', {
    samples: [1, 2, 3].map((value) => ({
      device: 'steps',
      ts: Date.now() - (4 - value) * MINUTE_MS,
      values: { level: value },
    })),
  });
  await page.goto(`${service.url}/telemetry`);
  await page.getByRole('combobox', { name: 'Devices' }).fill('steps');
  await page.getByRole('option', { name: /steps/ }).click();
  await page.keyboard.press('Escape');
  const chart = page.getByRole('application').first();
  await chart.focus();
  await page.keyboard.press('End');
  await expect(page.getByText(/level.* 3\b/).first()).toBeAttached();
  await page.keyboard.press('ArrowLeft');
  await expect(page.getByText(/level.* 2\b/).first()).toBeAttached();
});
