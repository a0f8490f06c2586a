import type { Page } from '@playwright/test';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { isInstalled } from '../service/installed.ts';
import { expect, test } from './journey.ts';

const run = promisify(execFile);

const codeOf = (page: Page, label: string): Promise<string> =>
  page.getByRole('region', { name: label }).innerText();

/** The value of a setting in the text of a tool. */
const settingIn = (text: string, pattern: RegExp): string => pattern.exec(text)?.[1] ?? '';

test('a Tasmota plug and a Telegraf agent reach a chart by the settings that Connect shows', async ({
  page,
  service,
  expectAccessible,
}) => {
  test.skip(!isInstalled('mosquitto_pub'), 'mosquitto_pub is not installed');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto(`${service.url}/devices`);
  await page.getByRole('link', { name: 'Connect', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Connect', level: 1 })).toBeVisible();
  await expectAccessible(page);

  const pipelines = Promise.withResolvers<void>();
  await page.route('**/v1/pipelines?*', async (route) => {
    await pipelines.promise;
    await route.continue();
  });
  const connection = page.waitForResponse('**/v1/connection');
  await page.getByRole('link', { name: 'Tasmota', exact: true }).click();
  const settings = page.getByRole('region', { name: '3. Settings' });
  await connection;
  await expect(page.getByRole('heading', { name: 'Connect Tasmota' })).toBeVisible();
  // The settings are there, and wait for the steps above them, which would move them.
  await expect(page.locator('main .animate-pulse')).toBeVisible();
  await expect(settings).toHaveCount(0);
  pipelines.resolve();
  await expect(page.getByRole('button', { name: 'Create 2 pipelines' })).toBeVisible();
  await expect(settings).toBeVisible();
  await page.unroute('**/v1/pipelines?*');
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByRole('button', { name: 'Create 2 pipelines' }).click();
  await expect(page.getByRole('link', { name: 'Tasmota results' })).toBeVisible();
  await expect(page.getByText('Waiting for the first message')).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Copy: Tasmota console' }).click();

  const tasmota = await codeOf(page, 'Tasmota console');
  const [host, port, user, password] = ['MqttHost', 'MqttPort', 'MqttUser', 'MqttPassword'].map((name) =>
    settingIn(tasmota, new RegExp(`${name} ([^;\\s]+)`)),
  ) as [string, string, string, string];
  const publish = (topic: string, message: string): Promise<unknown> =>
    run(
      'mosquitto_pub',
      // prettier-ignore
      [
        '-h', host, '-p', port, '-u', user, '-P', password, '-q', '1', '-t', topic, '-m', message,
        '--will-topic', 'tele/plug-1/LWT', '--will-payload', 'Offline', '--will-retain',
      ],
    );
  await publish('tele/plug-1/LWT', 'Online');
  const Time = new Date().toISOString();
  await publish('tele/plug-1/SENSOR', JSON.stringify({ Time, ENERGY: { Power: 3.5, Voltage: 236 } }));
  const first = page.getByRole('region', { name: 'First data' });
  await expect(first.getByText('Data received')).toBeVisible();
  await expect(first.getByText('3.5 W')).toBeVisible();
  // Away from the button, whose hint is over the page.
  await page.getByRole('heading', { level: 1 }).click();
  await expectAccessible(page);
  await first.getByRole('link', { name: 'Open chart' }).click();
  await expect(page.locator('canvas').first()).toBeVisible();

  await page.getByRole('link', { name: 'Devices', exact: true }).first().click();
  await page.getByRole('link', { name: 'Connect', exact: true }).click();
  await page.getByRole('link', { name: 'Telegraf', exact: true }).click();
  // The service records the activity of a key from the first read on.
  const isRecorded = page.waitForResponse(/\/v1\/api-keys\/key_\w+\/activity$/);
  await page.getByRole('button', { name: 'Create key' }).click();
  await expect(page.getByText('Waiting for the first message')).toBeVisible();
  await isRecorded;
  await page.getByRole('button', { name: 'Copy: telegraf.conf' }).click();
  const telegraf = await codeOf(page, 'telegraf.conf');
  const write = (line: string) =>
    fetch(`${settingIn(telegraf, /urls = \["(.+)"\]/)}/api/v2/write?org=penstock&bucket=penstock`, {
      method: 'POST',
      headers: { authorization: `Token ${settingIn(telegraf, /token = "(.+)"/)}` },
      body: line,
    });
  expect((await write('cpu usage_idle=97.1')).status).toBe(400);
  await expect(first.getByText('No device', { exact: true })).toBeVisible();
  expect(
    (await write('cpu,cpu=cpu-total,host=gateway usage_idle=97.1\nmem,host=gateway used_percent=41.2'))
      .status,
  ).toBe(204);
  await expect(first.getByText('2 samples from 1 device accepted, 1 sample rejected')).toBeVisible();
  await expectAccessible(page);
  await expect(first.getByText('InfluxDB line protocol')).toBeVisible();
  await expect(first.getByText('mem.used_percent')).toBeVisible();
  await first.getByRole('link', { name: 'Open chart' }).click();
  await expect(page.locator('canvas').first()).toBeVisible();
});
