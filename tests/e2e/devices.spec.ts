import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Locator } from '@playwright/test';
import { isInstalled } from '../service/installed.ts';
import { observePage, readObservations } from '../bench/ui/observe-page.ts';
import { expect, test } from './journey.ts';
import { callAs } from './service-api.ts';

const run = promisify(execFile);

test('a device that publishes over MQTT appears, goes online and charts without a reload', async ({
  page,
  service,
  expectAccessible,
}) => {
  test.skip(!isInstalled('mosquitto_pub'), 'mosquitto_pub is not installed');
  const { secret } = await callAs<{ secret: string }>(page, 'POST', '/v1/api-keys', {
    name: 'Boiler',
    scopes: ['telemetry:write'],
  });
  await callAs(page, 'POST', '/v1/pipelines', {
    name: 'MQTT',
    type: 'mqtt',
    interval: 5,
    destination: 'telemetry',
  });
  await page.goto(service.url);
  await page.getByRole('link', { name: 'Devices', exact: true }).first().click();
  await expect(page.getByRole('heading', { name: 'Devices', level: 1 })).toBeVisible();
  await expectAccessible(page);

  const publish = (temperature: number) =>
    run('mosquitto_pub', [
      '-h',
      '127.0.0.1',
      '-p',
      String(service.mqttPort),
      '-u',
      'boiler-7',
      '-P',
      secret,
      '-q',
      '1',
      '-t',
      'v1/devices/boiler-7/telemetry',
      '-m',
      JSON.stringify({ temperature }),
    ]);
  await publish(71);
  const row = page.getByRole('row').filter({ hasText: 'boiler-7' });
  await expect(row).toContainText('Online');
  await row.getByRole('link').first().click();
  const latest = page.getByRole('region', { name: 'Latest values' });
  await expect(latest).toContainText('71');
  await publish(72.5);
  await expect(latest).toContainText('72.5');
  await expect(page.getByText(/temperature, .*between 71 and 72\.5/)).toBeVisible();
  await expect(page.locator('canvas').first()).toBeVisible();
  await expectAccessible(page);
});

test('a device is registered, found, edited, deleted and restored', async ({
  page,
  service,
  expectAccessible,
}) => {
  await page.goto(`${service.url}/devices`);
  await page.getByRole('button', { name: 'Register device' }).first().click();
  const drawer = page.getByRole('dialog', { name: 'Register device' });
  await drawer.getByRole('textbox', { name: 'Name', exact: true }).fill('Pump 12');
  await drawer.getByRole('textbox', { name: /^Type/ }).fill('pump');
  await drawer.getByRole('textbox', { name: /^External ID/ }).fill('not allowed!');
  await page.keyboard.press('Enter');
  await expect(drawer).toContainText(/letters, digits/);
  await drawer.getByRole('textbox', { name: /^External ID/ }).fill('pump-12');
  await expectAccessible(page);
  await drawer.getByRole('button', { name: 'Add tag' }).click();
  await drawer.getByRole('combobox', { name: 'Key 1' }).fill('site');
  await drawer.getByRole('combobox', { name: 'Value 1' }).fill('north');
  await drawer.getByRole('combobox', { name: 'Value 1' }).press('Enter');
  await expect(drawer).toBeHidden();

  await page.goto(`${service.url}/devices?q=pump`);
  const row = page.getByRole('row').filter({ hasText: 'Pump 12' });
  await expect(row).toContainText('Never seen');
  await row.getByRole('link').first().click();
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  const edit = page.getByRole('dialog');
  await edit.getByRole('textbox', { name: 'Name', exact: true }).fill('Pump 13');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Pump 13', level: 1 })).toBeVisible();
  await expect(edit).toBeHidden();

  await page.getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByRole('heading', { name: 'Devices', level: 1 })).toBeVisible();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByRole('row').filter({ hasText: 'Pump 13' })).toBeVisible();
});

test('Connect shows commands that work', async ({ page, service, expectAccessible }) => {
  const { id } = await callAs<{ id: string }>(page, 'POST', '/v1/devices', { name: 'Fan 3' });
  await page.goto(`${service.url}/devices/${id}`);
  // The panel is open for a device that has never sent anything.
  const panel = page.getByRole('region', { name: 'Connect', exact: true });
  await panel.getByRole('button', { name: 'Create key' }).click();
  const snippet = panel.getByRole('region').filter({ hasText: 'curl' }).first();
  await expect(snippet).toContainText('pen_key_');
  await expectAccessible(page);
  await run('bash', ['-c', await snippet.innerText()]);
  await expect(page.getByRole('main').getByText('Online').first()).toBeVisible();
  await expect(page.getByRole('region', { name: 'Latest values' })).toBeVisible();
});

test('a key of Connect that nobody copied is revoked when the page is reloaded', async ({
  page,
  service,
}) => {
  const { id } = await callAs<{ id: string }>(page, 'POST', '/v1/devices', { name: 'Fan 4' });
  await page.goto(`${service.url}/devices/${id}`);
  await page.getByRole('button', { name: 'Create key' }).click();
  await expect(page.getByText(/^pen_key_/)).toBeVisible();
  await page.reload();
  const revoked = async () => {
    const keys = await callAs<{ data: { revokedAt: string | null }[] }>(
      page,
      'GET',
      '/v1/api-keys?q=Fan%204',
    );
    return keys.data.map(({ revokedAt }) => revokedAt !== null);
  };
  await expect.poll(revoked).toEqual([true]);
});

test('the list is used by keyboard: search, open, back', async ({ page, service }) => {
  await callAs(page, 'POST', '/v1/devices', { name: 'Keyboard 1' });
  await page.goto(`${service.url}/devices`);
  await page.getByRole('searchbox').focus();
  await page.keyboard.type('keyboard');
  await expect(page).toHaveURL(/q=keyboard/);
  const link = page.getByRole('link', { name: 'Keyboard 1' });
  await expect(link).toBeVisible();
  await page.keyboard.press('ArrowDown');
  await expect(link).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Keyboard 1', level: 1 })).toBeVisible();
  await page.goBack();
  await expect(page).toHaveURL(/q=keyboard/);
  await expect(page.getByRole('searchbox')).toHaveValue('keyboard');
});

test('devices are filtered and grouped by keyboard alone', async ({ page, service, expectAccessible }) => {
  const items = ['Lyon', 'Lyon', 'Metz'].map((site, number) => ({
    externalId: `grouped-${number}`,
    name: `Grouped ${number}`,
    tags: { site },
  }));
  await callAs(page, 'POST', '/v1/devices/batch', { operation: 'upsert', items });
  await page.goto(`${service.url}/devices?q=grouped`);
  await page.getByRole('link', { name: 'Grouped 0', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Group', exact: true }).focus();
  await page.keyboard.press('Enter');
  const groupBy = page.getByRole('combobox', { name: 'Group by' });
  await groupBy.waitFor();
  await expectAccessible(page);
  await groupBy.focus();
  await page.keyboard.type('SI');
  await expect(page.getByRole('option', { name: /site/ })).toBeVisible();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/q=grouped&group=site/);
  const table = page.getByRole('table', { name: 'Devices by site' });
  await expect(table.getByRole('row')).toHaveCount(3);
  await expectAccessible(page);
  await table.getByRole('link', { name: 'Metz' }).focus();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/q=grouped&tag=site%3AMetz/);
  await expect(page.getByRole('link', { name: 'Grouped 2', exact: true })).toBeVisible();
  await page.goto(`${service.url}/`);
  await expect(
    page.getByRole('region', { name: 'Groups' }).getByRole('link', { name: 'Metz' }),
  ).toBeVisible();
  await expectAccessible(page);
});

test('the states of a device line up below a chart with two axes', async ({ page, service }) => {
  const now = Date.now();
  await callAs(page, 'POST', '/v1/telemetry', {
    samples: [50, 40, 30, 20, 10].map((n) => ({
      device: 'chiller-3',
      ts: now - n * 60_000,
      values: { pressure: 1 + n / 100, power: 1_000 + n, running: n < 30 },
    })),
  });
  const { data } = await callAs<{ data: { id: string }[] }>(page, 'GET', '/v1/devices?q=chiller-3');
  const query = 'metric=pressure&metric=power&metric=running&range=1h';
  await page.goto(`${service.url}/devices/${data[0]?.id}?${query}`);
  await expect(page.getByRole('application')).toHaveCount(2);
  const lastTimes = () =>
    page
      .locator('svg.recharts-surface')
      .evaluateAll((all) =>
        all.map(
          (svg) => [...svg.querySelectorAll('text[text-anchor=middle]')].at(-1)!.getBoundingClientRect().left,
        ),
      );
  await expect(async () => {
    const [ofChart = Number.NaN, ofStates = Number.NaN] = await lastTimes();
    expect(Math.abs(ofStates - ofChart)).toBeLessThanOrEqual(1);
  }).toPass();
});

test('the chart of a device is taller in a taller window', async ({ page, service }) => {
  await callAs(page, 'POST', '/v1/telemetry', { samples: [{ device: 'chiller-4', values: { power: 1 } }] });
  const { data } = await callAs<{ data: { id: string }[] }>(page, 'GET', '/v1/devices?q=chiller-4');
  await page.goto(`${service.url}/devices/${data[0]?.id}`);
  const height = async () => Math.round((await page.getByRole('application').boundingBox())?.height ?? 0);
  for (const [windowPx, chartPx] of [
    [1_400, 630],
    [600, 280],
  ] as const) {
    await page.setViewportSize({ width: 1_440, height: windowPx });
    await expect.poll(height).toBe(chartPx);
  }
});

test('on a phone the age of a device does not change the height of its card', async ({ page, service }) => {
  await callAs(page, 'POST', '/v1/devices', { name: 'Silent card', externalId: 'card-1', type: 'sensor' });
  await callAs(page, 'POST', '/v1/devices', { name: 'Seen card', externalId: 'card-2', type: 'sensor' });
  await callAs(page, 'POST', '/v1/telemetry', { samples: [{ device: 'card-2', values: { humidity: 40 } }] });
  await page.goto(`${service.url}/devices?q=card-`);
  const differing: number[] = [];
  for (let width = 240; width <= 320; width += 4) {
    await page.setViewportSize({ width, height: 740 });
    const cards = page.getByRole('list', { name: 'Devices' }).getByRole('listitem');
    await expect(cards).toHaveCount(2);
    const heights = await cards.evaluateAll((all) => all.map((card) => card.getBoundingClientRect().height));
    if (heights[0] !== heights[1]) differing.push(width);
  }
  expect(differing).toEqual([]);
});

test('the undo of a deletion is below its text, which has the width of the navigation', async ({
  page,
  service,
}) => {
  const { id } = await callAs<{ id: string }>(page, 'POST', '/v1/devices', { name: 'Short-lived' });
  await page.goto(`${service.url}/devices/${id}`);
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  const undo = page.getByRole('button', { name: 'Undo' });
  await expect(undo).toBeVisible();
  const [text, button] = [await page.getByText('You can restore it').boundingBox(), await undo.boundingBox()];
  expect(text?.width).toBeGreaterThan(120);
  expect(button?.y).toBeGreaterThanOrEqual((text?.y ?? 0) + (text?.height ?? 0));
});

test('a tag that does not fit its column is left out as a whole', async ({ page, service }) => {
  const tags = { site: 'north', floor: '4', owner: 'Facility management of the north-west' };
  await callAs(page, 'POST', '/v1/devices', { name: 'Tagged', externalId: 'tagged-1', tags });
  await page.setViewportSize({ width: 1_280, height: 800 });
  await page.goto(`${service.url}/devices?q=tagged-1`);
  const row = page.getByRole('row').filter({ hasText: 'tagged-1' });
  await expect(row).toContainText('Facility');
  const list = row.getByText('site north', { exact: true }).locator('xpath=..');
  const { x, y, width, height } = (await list.boundingBox())!;
  const slice = (left: number) => page.screenshot({ clip: { x: left, y, width: 8, height } });
  const [endOfList, gapBesideIt] = [await slice(x + width - 8), await slice(x + width + 2)];
  expect(endOfList.equals(gapBesideIt)).toBe(true);
});

test('while devices load, their columns have placeholders where the texts will be', async ({
  page,
  service,
}) => {
  await callAs(page, 'POST', '/v1/devices', { name: 'Placed' });
  const isAnswered = Promise.withResolvers<void>();
  await page.route('**/v1/devices?*', async (route) => {
    await isAnswered.promise;
    await route.continue();
  });
  await page.goto(`${service.url}/devices?q=placed`);
  const table = page.getByRole('table', { name: 'Devices' });
  const heads = table.getByRole('columnheader').filter({ hasText: /^(State|Name|External ID|Type)$/ });
  await expect(heads).toHaveCount(4);
  const lefts = (parts: Locator) =>
    parts.evaluateAll((all) => all.map((part) => part.getBoundingClientRect().left));
  const bars = await lefts(table.locator('.animate-pulse'));
  for (const head of await lefts(heads))
    expect(Math.min(...bars.map((bar) => Math.abs(bar - head)))).toBeLessThanOrEqual(1);
  isAnswered.resolve();
  await expect(table.getByRole('row', { name: /Placed/ })).toBeVisible();
});

test('the page of a device keeps its layout while its parts load, and at its first message', async ({
  page,
  service,
}) => {
  const { id } = await callAs<{ id: string }>(page, 'POST', '/v1/devices', {
    name: 'Steady',
    externalId: 'steady-1',
  });
  const send = () =>
    callAs(page, 'POST', '/v1/telemetry', {
      samples: [{ device: 'steady-1', values: { temperature: 21.5, humidity: 40 } }],
    });
  for (const size of [
    { width: 1_440, height: 900 },
    // One column, with all panels in the window.
    { width: 800, height: 2_000 },
    { width: 360, height: 740 },
  ]) {
    const { id: never } = await callAs<{ id: string }>(page, 'POST', '/v1/devices', {
      name: 'Steady, not seen',
      externalId: `steady-${size.width}`,
    });
    await page.setViewportSize(size);
    await page.goto(`${service.url}/devices/${never}`);
    const key = page.getByRole('region', { name: 'API key' });
    await expect(page.getByText('Waiting for the first message')).toBeAttached();
    await expect(page.getByRole('region', { name: 'Send a sample with curl' })).toBeAttached();
    const place = await key.boundingBox();
    await callAs(page, 'POST', '/v1/telemetry', {
      samples: [{ device: `steady-${size.width}`, values: { temperature: 21.5, humidity: 40 } }],
    });
    await expect(page.getByText('Message received')).toBeAttached();
    await expect(page.getByText('Online', { exact: true }).first()).toBeVisible();
    expect((await key.boundingBox())?.y).toBe(place!.y);
    await send();

    const tab = await page.context().newPage();
    await tab.setViewportSize(size);
    await observePage(tab);
    const held = Promise.withResolvers<void>();
    await tab.route(`**/v1/devices/${id}`, async (route) => {
      await held.promise;
      await route.continue();
    });
    await tab.goto(`${service.url}/devices/${id}`);
    await expect(tab.getByRole('region', { name: /latest values/i })).toContainText('temperature');
    await expect(tab.getByRole('region', { name: 'Last messages', includeHidden: true })).toBeAttached();
    await readObservations(tab);
    held.resolve();
    await expect(tab.getByRole('region', { name: 'Events' }).getByRole('listitem').first()).toBeAttached();
    const { shift, moves } = await readObservations(tab);
    expect(shift, moves.join('\n')).toBeLessThan(0.002);
    await tab.close();
  }
});

test('the page of a device is complete after Back, and when Connect is closed while it loads', async ({
  page,
  service,
}) => {
  const { id } = await callAs<{ id: string }>(page, 'POST', '/v1/devices', { name: 'Pump' });
  const details = page.getByRole('heading', { name: 'Details' });
  const panel = page.getByRole('heading', { name: 'Connect', level: 2 });
  await page.goto(`${service.url}/devices/${id}`);
  await expect(panel).toBeVisible();
  await expect(details).toBeVisible();
  await page.getByRole('link', { name: 'Devices', exact: true }).first().click();
  await expect(page.getByRole('heading', { name: 'Devices', level: 1 })).toBeVisible();
  await page.goBack();
  await expect(panel).toBeVisible();
  await expect(details).toBeVisible();

  const connection = Promise.withResolvers<void>();
  await page.route('**/v1/connection', async (route) => {
    await connection.promise;
    await route.continue();
  });
  await page.reload();
  await expect(panel).toBeVisible();
  await expect(details).toBeHidden();
  await page.getByRole('button', { name: 'Connect', exact: true }).click();
  await expect(details).toBeVisible();
  await expect(panel).toBeHidden();
  connection.resolve();
});
