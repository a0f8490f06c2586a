import type { Locator, Page } from '@playwright/test';
import { expect, test } from './journey.ts';
import { openStep } from './open-step.ts';
import { callAs, callWith } from './service-api.ts';

/** Tooltips load after the page. */
const expectTooltip = (page: Page, of: Locator, text: string) =>
  expect(async () => {
    await page.mouse.move(0, 0);
    await of.hover();
    await expect(page.getByRole('tooltip')).toContainText(text, { timeout: 1_000 });
  }).toPass();

const isCut = (text: Locator) =>
  text.evaluate(
    (element) => element.scrollWidth > element.clientWidth || element.scrollHeight > element.clientHeight,
  );

test('the counts of a ledger are in full beside its bar', async ({ page, service }) => {
  const { id } = await callAs<{ id: string }>(page, 'POST', '/v1/pipelines', {
    name: 'Fast clocks',
    type: 'http',
    interval: 10,
    destination: 'telemetry',
  });
  const tomorrow = Date.now() + 86_400_000;
  const samples = Array.from({ length: 10_700 }, (_, n) => ({
    device: 'fast-1',
    ts: tomorrow + n,
    values: { n },
  }));
  await callAs(page, 'POST', `/v1/pipelines/${id}/messages`, { samples });
  // Other journeys leave more pipelines than the window shows.
  await page.goto(`${service.url}/pipelines?q=Fast clocks`);
  const count = page.getByText('10.7K rejected');
  for (const width of [1_440, 1_280]) {
    await page.setViewportSize({ width, height: 900 });
    await expect(count).toBeVisible();
    expect(await isCut(count.locator('..'))).toBe(false);
  }
});

test('a long value of a tag leaves room for the key', async ({ page, service }) => {
  await callAs(page, 'POST', '/v1/devices', {
    name: 'Borrowed compressor',
    tags: { owner: 'contractor “Müller & Söhne”, Vienna' },
  });
  await page.setViewportSize({ width: 2_560, height: 1_440 });
  await page.goto(`${service.url}/devices?q=borrowed`);
  const key = page.getByText('owner', { exact: true });
  await expect(key).toBeVisible();
  expect(await isCut(key)).toBe(false);
});

test('the details of a device show its tags in full', async ({ page, service }) => {
  const value = `Hall 7, ${'cooling water, '.repeat(8)}${'W'.repeat(40)}`;
  const key = 'equipment.identification.of-the-operator';
  const { id } = await callAs<{ id: string }>(page, 'POST', '/v1/devices', {
    name: 'Tagged pump',
    tags: { [key]: value, site: 'north' },
  });
  await page.goto(`${service.url}/devices/${id}`);
  const details = page.getByRole('region', { name: 'Details' });
  for (const width of [1_440, 768, 360]) {
    await page.setViewportSize({ width, height: 900 });
    for (const text of [details.getByText(key, { exact: true }), details.getByText(value, { exact: true })]) {
      await expect(text).toBeVisible();
      expect(await isCut(text)).toBe(false);
      const box = await text.boundingBox();
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThan(width);
    }
  }
});

/** The lines of a text as they are drawn. */
const linesOf = (text: Locator) =>
  text.evaluate((element) => {
    const lines = new Map<number, string>();
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const part = node.textContent ?? '';
      for (let index = 0; index < part.length; index += 1) {
        const range = document.createRange();
        range.setStart(node, index);
        range.setEnd(node, index + 1);
        const top = Math.round(range.getBoundingClientRect().top);
        lines.set(top, (lines.get(top) ?? '') + part.charAt(index));
      }
    }
    return [...lines.values()];
  });

test('the names of fields and metrics break between their words', async ({ page, service }) => {
  const readings = { temp: 21.5, temperature_of_supply_line: 33.2 };
  await page.goto(`${service.url}/pipelines/new`);
  await page.getByRole('radio', { name: /^HTTP/ }).click();
  await openStep(page, 'Format');
  await page.getByRole('textbox', { name: /^Message/ }).fill(JSON.stringify({ device: 'words-1', readings }));
  const preview = page.getByRole('region', { name: 'Preview' });
  const samples = preview.getByRole('region', { name: 'Samples' });
  for (const width of [1_440, 360]) {
    await page.setViewportSize({ width, height: 900 });
    for (const place of [samples, preview.getByRole('region', { name: 'Fields' })])
      for (const name of ['readings.temp', 'readings.temperature_of_supply_line']) {
        const lines = await linesOf(place.getByText(name, { exact: true }));
        expect(lines.join('')).toBe(name);
        for (const line of lines.slice(0, -1)) expect(line).toMatch(/[._]$/);
      }
  }
});

test('the frame of common durations ends with the last one', async ({ page, service }) => {
  await page.goto(`${service.url}/devices`);
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  const durations = page.getByRole('radiogroup', { name: 'Common durations' });
  await expect(durations).toBeVisible();
  const rightOf = (element: Locator) =>
    element.evaluate((each) => Math.round(each.getBoundingClientRect().right));
  const last = durations.locator('label').last();
  expect((await rightOf(durations)) - (await rightOf(last))).toBeLessThanOrEqual(1);
});

test('the sections of the settings are on one line on a tablet', async ({ page, service }) => {
  await page.setViewportSize({ width: 768, height: 1_024 });
  await page.goto(`${service.url}/settings/about`);
  const sections = page.getByRole('navigation', { name: 'Settings' });
  const first = await sections.getByRole('link', { name: 'API keys' }).boundingBox();
  const last = await sections.getByRole('link', { name: 'About' }).boundingBox();
  expect(last?.y).toBe(first?.y);
});

test('a rejection shows its whole reason, and its exact time on hover', async ({ page, service }) => {
  const { id } = await callAs<{ id: string }>(page, 'POST', '/v1/pipelines', {
    name: 'Ahead',
    type: 'http',
    interval: 10,
    destination: 'telemetry',
  });
  const tomorrow = Date.now() + 86_400_000;
  const samples = Array.from({ length: 1_200 }, (_, n) => ({
    device: 'ahead-1',
    ts: tomorrow + n,
    values: { level: n },
  }));
  await callAs(page, 'POST', `/v1/pipelines/${id}/messages`, { samples });
  // So tall that the row is in view: scrolling hides the tooltip.
  await page.setViewportSize({ width: 1_440, height: 1_400 });
  await page.goto(`${service.url}/pipelines/${id}`);
  const reasons = page.getByRole('list', { name: 'Reasons' });
  expect(await isCut(reasons.getByText('Timestamp in the future'))).toBe(false);
  const row = page.getByRole('table', { name: 'Rejections' }).getByRole('row').nth(1);
  expect(await isCut(row.getByText('Timestamp in the future'))).toBe(false);
  await expectTooltip(page, row.locator('time'), String(new Date().getFullYear()));
});

test('devices of rejections with IDs of two lines are apart', async ({ page, service }) => {
  const { id } = await callAs<{ id: string }>(page, 'POST', '/v1/pipelines', {
    name: 'Long IDs',
    type: 'http',
    interval: 10,
    destination: 'telemetry',
  });
  const device = (n: number) => `urn:dev:mac:0024befffe804ff1:building-7:floor-3:duct-${n}`;
  for (const n of [1, 2]) {
    const samples = [{ device: device(n), ts: Date.now() + 86_400_000, values: { level: n } }];
    await callAs(page, 'POST', `/v1/pipelines/${id}/messages`, { samples });
  }
  await page.setViewportSize({ width: 1_440, height: 900 });
  await page.goto(`${service.url}/pipelines/${id}`);
  const list = page.getByRole('list', { name: 'Devices' });
  const first = (await list.getByText(device(1)).boundingBox())!;
  const second = (await list.getByText(device(2)).boundingBox())!;
  expect(first.height, 'two lines').toBeGreaterThan(30);
  expect(second.y - first.y - first.height).toBeGreaterThanOrEqual(8);
});

/** Rows and cells whose content is larger than they are. */
const overflowing = (page: Page) =>
  page
    .getByRole('table')
    .locator('[role=row], [role=cell]')
    .evaluateAll((parts) =>
      parts
        .filter((part) => part.scrollWidth > part.clientWidth || part.scrollHeight > part.clientHeight)
        .map((part) => part.textContent),
    );

const scrollsSideways = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);

test('lists in narrow windows have room for more columns, each within its bounds', async ({
  page,
  service,
}) => {
  const place = 'of the Wasserversorgungsgesellschaft in the north wing';
  const device = await callAs<{ externalId: string }>(page, 'POST', '/v1/devices', {
    name: `Narrow pump ${place}`,
    externalId: 'urn:dev:mac:0024befffe804ff1:building-7:floor-3:humidity-1',
    type: 'temperature and humidity sensor',
    tags: { owner: 'contractor “Müller & Söhne”, Vienna', site: 'north', line: '2', floor: '3' },
  });
  await callAs(page, 'POST', '/v1/devices', { name: 'Narrow valve' });
  await callAs(page, 'POST', '/v1/pipelines', {
    name: `Narrow gateway ${place}`,
    type: 'http',
    interval: 5_400,
    destination: 'telemetry',
  });
  await callAs(page, 'POST', '/v1/api-keys', {
    name: `Narrow key ${place}`,
    scopes: ['telemetry:write', 'telemetry:read', 'devices:read'],
    devices: [device.externalId],
    expiresAt: new Date(Date.now() + 3_590_000).toISOString(),
  });
  const scopes = ['api-keys:manage', 'devices:read'];
  const { secret } = await callAs<{ secret: string }>(page, 'POST', '/v1/api-keys', {
    name: 'Narrow',
    scopes,
  });
  await callWith(service.url, secret, 'GET', '/v1/devices');
  for (const [path, at768, at1024] of [
    ['/devices?q=narrow', ['External ID', 'Type', 'Last seen'], []],
    ['/pipelines?q=narrow', ['Type, interval', 'Ledger'], ['Throughput']],
    ['/settings/api-keys?q=narrow', ['Secret', 'Scopes', 'Last used'], ['Expires']],
  ] as const) {
    await page.goto(`${service.url}${path}`);
    for (const [width, headers] of [
      [768, at768],
      [1_024, [...at768, ...at1024]],
      [1_280, [...at768, ...at1024]],
    ] as const) {
      await page.setViewportSize({ width, height: 900 });
      for (const name of headers) await expect(page.getByRole('columnheader', { name })).toBeVisible();
      await expect(page.getByRole('row', { name: /Narrow/ }).first()).toBeVisible();
      await expect.poll(() => overflowing(page), `${path} at ${width} px`).toEqual([]);
      expect(await scrollsSideways(page)).toBe(false);
    }
  }
  const key = page.getByRole('row', { name: 'Narrow', exact: false }).filter({ hasText: 'manage' });
  await expectTooltip(page, key.getByText('api-keys:manage'), scopes.join(', '));
  await key.getByText('api-keys:manage').click();
  await expect(page.getByRole('dialog', { name: 'Narrow' })).toBeVisible();
});

test('names take two lines, and one that is cut off is in full in a tooltip', async ({ page, service }) => {
  const name = 'Separator in the cellar of the north wing, behind the second fire door';
  await callAs(page, 'POST', '/v1/devices', { name });
  await callAs(page, 'POST', '/v1/devices', { name: 'Separator in the southern hall 2' });
  await page.setViewportSize({ width: 768, height: 900 });
  await page.goto(`${service.url}/devices?q=separator in the`);
  await expectTooltip(page, page.getByRole('link', { name }).getByText(name), name);
  const whole = page.getByRole('link', { name: 'Separator in the southern hall 2' }).getByText('southern');
  expect(await isCut(whole)).toBe(false);
  await whole.hover();
  await expect(page.getByRole('tooltip')).toHaveCount(0);
  await page.getByText(name).click();
  await expect(page.getByRole('heading', { name, level: 1 })).toBeVisible();
});

test('long external IDs that begin alike differ in the list, and can be read and copied there', async ({
  page,
  service,
}) => {
  const start = 'urn:dev:mac:0024befffe804ff1:building-7:floor-3:';
  for (const end of ['supply-1', 'return-1'])
    await callAs(page, 'POST', '/v1/devices', { name: `Duct ${end}`, externalId: `${start}${end}` });
  await page.setViewportSize({ width: 1_440, height: 900 });
  await page.goto(`${service.url}/devices?q=duct`);
  const row = page.getByRole('row', { name: 'Duct supply-1' });
  const id = row.getByText(`${start}supply-1`);
  await expect(id).toBeVisible();
  // The end is in view, and the start is cut.
  const box = (await id.boundingBox())!;
  const cell = (await id.locator('..').boundingBox())!;
  expect(box.x + box.width).toBeLessThanOrEqual(cell.x + cell.width);
  expect(await isCut(id)).toBe(false);
  expect(await isCut(id.locator('span'))).toBe(true);
  await expectTooltip(page, id, `${start}supply-1`);

  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + 1, y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width - 1, y, { steps: 5 });
  await page.mouse.up();
  expect(await page.evaluate(() => String(getSelection()))).toBe(`${start}supply-1`);
  await expect(page.getByRole('heading', { name: 'Devices', level: 1 })).toBeVisible();
  await page.mouse.click(box.x + 1, y);
  const [tab] = await Promise.all([
    page.waitForEvent('popup'),
    page.mouse.click(box.x + 1, y, { button: 'middle' }),
  ]);
  await expect(tab.getByRole('heading', { name: 'Duct supply-1', level: 1 })).toBeVisible();
  await tab.close();
  await page.mouse.click(box.x + 1, y);
  await expect(page.getByRole('heading', { name: 'Duct supply-1', level: 1 })).toBeVisible();
  await expect(page.getByText(`${start}supply-1`, { exact: true })).toBeVisible();
});

test('the external IDs of found devices are readable on a phone', async ({ page, service }) => {
  await callAs(page, 'POST', '/v1/devices', {
    name: 'Condenser of the roof',
    externalId: 'urn:dev:mac:0024befffe804ff1:building-7:roof-2',
  });
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto(`${service.url}/telemetry`);
  await page.getByRole('combobox', { name: 'Devices' }).fill('condenser');
  const option = page.getByRole('option', { name: /Condenser of the roof/ });
  await expect(option.getByText(':roof-2')).toBeInViewport({ ratio: 1 });
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search or run an action' }).fill('condenser');
  const found = page.getByRole('option', { name: /Condenser of the roof/ });
  await expect(found.getByText('Condenser of the roof')).toBeInViewport({ ratio: 1 });
  await expect(found.getByText(':roof-2')).toBeInViewport({ ratio: 1 });
});

test('the name of a key that is cut off is in full in a tooltip', async ({ page, service }) => {
  const name = 'Separator gateway of the cellar in the north wing, behind the fire door';
  await callAs(page, 'POST', '/v1/api-keys', { name, scopes: ['devices:read'] });
  await page.goto(`${service.url}/settings/api-keys`);
  await expectTooltip(page, page.getByRole('link', { name }).getByText(name), name);
});
