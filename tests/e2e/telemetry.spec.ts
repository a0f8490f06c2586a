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

  await page.goto(service.url);
  await page.getByRole('link', { name: 'Telemetry', exact: true }).first().click();
  await expect(page.getByRole('heading', { name: 'Telemetry', level: 1 })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('combobox', { name: 'Devices' }).fill('kiln');
  await page.getByRole('option', { name: /kiln-1/ }).click();
  await page.keyboard.press('Escape');
  await expect(page.getByText(/temperature, .*between 900 and 949/)).toBeVisible();
  await expect(page.getByRole('table', { name: 'Series' })).toContainText('50');
  // The previous range stays, dimmed after a while, until the new one is drawn.
  const answered = page.waitForResponse('**/v1/telemetry/query');
  await page.getByText('6 h', { exact: true }).click();
  await expect(page).toHaveURL(/6h/);
  await answered;
  await expect(page.getByText(/temperature, 6\sh: between/)).toBeVisible();
  await expect(page.locator('.opacity-60')).toHaveCount(0);
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
  await page.getByRole('menuitem', { name: 'CSV', exact: true }).click();
  const download = await waiting;
  const rows = readFileSync(await download.path(), 'utf8')
    .trim()
    .split('\r\n');
  expect(rows[0]).toBe('time,device,externalId,metric,value');
  expect(rows.filter((row) => row.includes('kiln-1,temperature'))).toHaveLength(50);
});

test('the options of a chart are in full view', async ({ page, service }) => {
  await callAs(page, 'POST', '/v1/telemetry', {
    samples: ['kiln-8', 'kiln-9'].map((device) => ({ device, values: { inlet: 20, outlet: 30 } })),
  });
  await page.goto(`${service.url}/telemetry?device=kiln-8&device=kiln-9&metric=inlet&metric=outlet&range=1h`);
  await page.getByRole('button', { name: 'Options' }).click();
  const options = page.getByRole('dialog', { name: 'Options' });
  await expect(options.getByRole('textbox', { name: /^Label/ })).toBeVisible();
  expect(await options.evaluate((popup) => popup.scrollHeight - popup.clientHeight)).toBe(0);
});

test('the cursor moves along a chart by keyboard, and announces its values', async ({ page, service }) => {
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
  await page.keyboard.press('+');
  await expect(page.locator('main p[aria-live]').filter({ hasText: / – / })).not.toContainText('level');
});

for (const [width, height] of [
  [2_560, 1_440],
  [1_440, 900],
] as const) {
  test(`the chart takes the window of ${width} × ${height} that the statistics leave`, async ({
    page,
    service,
  }) => {
    await page.setViewportSize({ width, height });
    await callAs(page, 'POST', '/v1/telemetry', {
      samples: [{ device: 'tall', ts: Date.now() - MINUTE_MS, values: { level: 1, flow: 2 } }],
    });
    const { data } = await callAs<{ data: { id: string }[] }>(page, 'GET', '/v1/devices?q=tall');
    await page.goto(`${service.url}/telemetry?device=${data[0]?.id}`);
    const chart = page.getByRole('application');
    const table = page.getByRole('table', { name: 'Series' });
    await expect(table).toBeVisible();
    const bottomOf = async () => {
      const box = await table.boundingBox();
      return box === null ? 0 : box.y + box.height;
    };
    await expect(async () => {
      const bottom = await bottomOf();
      expect(bottom).toBeLessThanOrEqual(height);
      expect(bottom).toBeGreaterThan(height - 40);
      expect((await chart.boundingBox())?.height).toBeGreaterThan(height - 450);
    }).toPass();
    // A smaller window makes the chart smaller.
    await page.setViewportSize({ width, height: height - 150 });
    await expect.poll(bottomOf).toBeLessThanOrEqual(height - 150);
  });
}

test('a series stands out while its legend row has the focus, and Enter shows it alone', async ({
  page,
  service,
}) => {
  const values = Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`m${n}`, n]));
  await callAs(page, 'POST', '/v1/telemetry', {
    samples: [5, 4, 3, 2, 1].map((minutes) => ({
      device: 'nine',
      ts: Date.now() - minutes * MINUTE_MS,
      values,
    })),
  });
  const { data } = await callAs<{ data: { id: string }[] }>(page, 'GET', '/v1/devices?q=nine');
  const metrics = Object.keys(values).map((name) => `&metric=${name}`);
  await page.goto(`${service.url}/telemetry?device=${data[0]?.id}${metrics.join('')}`);
  const ink = () =>
    page
      .locator('canvas')
      .first()
      .evaluate((canvas: HTMLCanvasElement) => {
        // A copy: Chromium complains of a canvas that is read repeatedly.
        const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d')!;
        copy.drawImage(canvas, 0, 0);
        const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
        return data.reduce((sum, value, index) => (index % 4 === 3 ? sum + value : sum), 0);
      });
  await expect.poll(ink).toBeGreaterThan(0);
  const all = await ink();
  const row = page.getByRole('button', { name: 'm3', exact: true });
  await row.focus();
  // The other lines fade.
  await expect.poll(ink).toBeLessThan(all / 2);
  await row.blur();
  await expect.poll(ink).toBeGreaterThan(all / 2);
  await row.focus();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/only=/);
  await expect(page.getByRole('button', { name: 'Show m4' })).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page).not.toHaveURL(/only=/);
});

test('the statistics stay in place while live values become shorter and longer', async ({
  page,
  service,
}) => {
  const send = (level: number) =>
    callAs(page, 'POST', '/v1/telemetry', { samples: [{ device: 'steady', values: { level } }] });
  await send(24.97);
  await page.goto(`${service.url}/telemetry?device=steady&metric=level&range=1h`);
  const table = page.getByRole('table', { name: 'Series' });
  const last = table.getByRole('row').nth(1).getByRole('cell').nth(3);
  const edges = () =>
    table
      .getByRole('columnheader')
      .evaluateAll((heads) => heads.map((head) => head.getBoundingClientRect().x));
  await expect(last).toHaveText('24.97');
  const narrow = await edges();
  await send(123_456_789.25);
  await expect(last).toHaveText('123,456,789');
  const before = await edges();
  expect(before).not.toEqual(narrow);
  await send(5);
  await expect(last).toHaveText('5');
  expect(await edges()).toEqual(before);
});

test('the table of many series keeps its words whole, scrolls sideways, and its times stay in view', async ({
  page,
  service,
}) => {
  const values = Object.fromEntries(Array.from({ length: 16 }, (_, n) => [`temperature-${n}`, n]));
  await callAs(page, 'POST', '/v1/telemetry', {
    samples: Array.from({ length: 30 }, (_, n) => ({ device: 'wide', ts: Date.now() - n * 10_000, values })),
  });
  const { data } = await callAs<{ data: { id: string }[] }>(page, 'GET', '/v1/devices?q=wide');
  const metrics = Object.keys(values).map((name) => `&metric=${name}`);
  await page.goto(`${service.url}/telemetry?device=${data[0]?.id}${metrics.join('')}&view=table`);
  const region = page.getByRole('region', { name: 'Values' });
  const header = region.getByRole('columnheader', { name: 'temperature-7' });
  await expect(header).toBeVisible();
  // One line, or two if the window is tight.
  await expect.poll(async () => (await header.boundingBox())?.height).toBeLessThan(60);
  const time = region.getByRole('columnheader', { name: 'Time' });
  const before = await time.boundingBox();
  await region.evaluate((element) => element.scrollTo({ left: 10_000 }));
  await expect(region.getByRole('columnheader', { name: 'temperature-15' })).toBeInViewport();
  expect((await time.boundingBox())?.x).toBe(before?.x);
});

test('the charts are saved as PNG and SVG, and copied', async ({ page, service, expectAccessible }) => {
  await callAs(page, 'POST', '/v1/telemetry', {
    samples: [5, 4, 3, 2, 1].map((minutes) => ({
      device: 'pictured',
      ts: Date.now() - minutes * MINUTE_MS,
      values: { level: minutes, mode: 'idle' },
    })),
  });
  const { data } = await callAs<{ data: { id: string }[] }>(page, 'GET', '/v1/devices?q=pictured');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: service.url });
  await page.goto(
    `${service.url}/telemetry?device=${data[0]?.id}&metric=level&metric=mode&line=level,4,Limit`,
  );
  await expect(page.getByRole('application')).toHaveCount(2);
  await page.getByRole('button', { name: 'Options (1)' }).click();
  await expect(page.getByRole('button', { name: 'Remove line level: 4' })).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  const save = async (format: string) => {
    await page.getByRole('button', { name: 'Export' }).click();
    const waiting = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: `Image as ${format}` }).click();
    const download = await waiting;
    expect(download.suggestedFilename()).toMatch(new RegExp(`^telemetry-.*\\.${format.toLowerCase()}$`));
    return readFileSync(await download.path());
  };
  const svg = (await save('SVG')).toString();
  for (const text of ['pictured', 'level', 'idle', 'Limit (4)']) expect(svg).toContain(`>${text}</text>`);
  // The line, then its text with a halo over it.
  expect(svg).toMatch(
    /stroke-dasharray="6 4"[^]*fill="none" stroke="#fff[^>]*>Limit \(4\)<[^]*>Limit \(4\)</,
  );
  const png = await save('PNG');
  expect(png.subarray(1, 4).toString()).toBe('PNG');
  // Two device pixels to a CSS pixel.
  expect(png.readUInt32BE(16)).toBeGreaterThan(2_000);
  await page.getByRole('button', { name: 'Share' }).click();
  await page.getByRole('menuitem', { name: 'Copy image' }).click();
  await expect(page.getByText('Image copied')).toBeVisible();
  expect(
    await page.evaluate(async () => (await navigator.clipboard.read()).flatMap(({ types }) => [...types])),
  ).toEqual(['image/png']);
  await page.getByText('Table', { exact: true }).click();
  await page.getByRole('button', { name: 'Export' }).click();
  await expect(page.getByRole('menuitem', { name: 'Image as PNG' })).toBeDisabled();
});

test('lines are named at their right end once there are more than colours', async ({ page, service }) => {
  const metrics = Array.from({ length: 9 }, (_, index) => `named-${index}`);
  await callAs(page, 'POST', '/v1/telemetry', {
    samples: [3, 2, 1].map((minutes) => ({
      device: 'crowded',
      ts: Date.now() - minutes * MINUTE_MS,
      values: Object.fromEntries(metrics.map((metric, index) => [metric, 100 + index])),
    })),
  });
  const { data } = await callAs<{ data: { id: string }[] }>(page, 'GET', '/v1/devices?q=crowded');
  /** How often each name is in the picture: in its legend, and beside its line. */
  const namesOf = async (chosen: readonly string[]) => {
    const query = chosen.map((metric) => `&metric=${metric}`).join('');
    await page.goto(`${service.url}/telemetry?device=${data[0]?.id}${query}`);
    await expect(page.getByRole('application')).toHaveCount(1);
    await expect(page.locator('canvas')).toBeVisible();
    await page.getByRole('button', { name: 'Export' }).click();
    const waiting = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: 'Image as SVG' }).click();
    const svg = readFileSync(await (await waiting).path(), 'utf8');
    return chosen.map((metric) => svg.split(`>${metric}</text>`).length - 1);
  };
  expect(await namesOf(metrics.slice(0, 8))).toEqual(metrics.slice(0, 8).map(() => 1));
  expect(await namesOf(metrics)).toEqual(metrics.map(() => 2));
});

test('long values fit beside their axis, and the charts below line up', async ({ page, service }) => {
  const now = Date.now();
  await callAs(page, 'POST', '/v1/telemetry', {
    samples: [0, 10, 20, 30, 40].map((n) => ({
      device: 'long-values',
      ts: now - (60 - n) * MINUTE_MS,
      values: { total: 100_020 + n, offset: -1_234.5 + n / 100, running: n < 20 },
    })),
  });
  const { data } = await callAs<{ data: { id: string }[] }>(page, 'GET', '/v1/devices?q=long-values');
  const query = `device=${data[0]?.id}&metric=total&metric=offset&metric=running&range=6h`;
  for (const width of [1_440, 360]) {
    await page.setViewportSize({ width, height: 900 });
    await page.goto(`${service.url}/telemetry?${query}`);
    await expect(page.getByRole('application')).toHaveCount(3);
    await expect(page.locator('svg text', { hasText: '100.02' }).first()).toBeVisible();
    // The charts agree on the width of their axes after they are drawn.
    await expect(async () => {
      const charts = await page.locator('[data-charts] svg.recharts-surface').evaluateAll((all) =>
        all.map((svg) => {
          const { left } = svg.getBoundingClientRect();
          const texts = [...svg.querySelectorAll('text')].filter((text) => text.textContent !== '');
          return {
            leftOfLabels: Math.min(...texts.map((text) => text.getBoundingClientRect().left)) - left,
            firstTime: svg.querySelector('text[text-anchor=middle]')!.getBoundingClientRect().left - left,
          };
        }),
      );
      expect(Math.min(...charts.map(({ leftOfLabels }) => leftOfLabels))).toBeGreaterThanOrEqual(0);
      const firstTimes = charts.map(({ firstTime }) => firstTime);
      expect(Math.max(...firstTimes) - Math.min(...firstTimes)).toBeLessThanOrEqual(1);
    }).toPass();
  }
});

test('devices of a type are found, and shown as the top of a ranking, by keyboard', async ({
  page,
  service,
  expectAccessible,
}) => {
  const devices = Array.from({ length: 8 }, (_, n) => `ranked-${n}`);
  await callAs(page, 'POST', '/v1/telemetry', {
    samples: devices.map((device, n) => ({ device, ts: Date.now() - MINUTE_MS, values: { power: n } })),
  });
  await callAs(page, 'POST', '/v1/devices/batch', {
    operation: 'update',
    filter: { q: 'ranked-' },
    change: { type: 'windmill' },
  });
  await page.goto(`${service.url}/telemetry`);
  await page.getByRole('combobox', { name: 'Devices' }).fill('windm');
  // Enter takes only options found for the typed text, not for an earlier one.
  await expect(page.getByRole('option')).toHaveText([/^type: windmill/]);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/type=windmill/);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('listbox')).toHaveCount(0);
  const options = page.getByRole('button', { name: 'Options' });
  await options.press('Enter');
  const display = page.getByRole('combobox', { name: 'Show devices as' });
  await display.press('Enter');
  await page.getByRole('option', { name: 'Top devices' }).press('Enter');
  await expect(display).toBeFocused();
  const top = page.getByRole('combobox', { name: 'Top' });
  await top.press('Enter');
  await page.getByRole('option', { name: '5', exact: true }).press('Enter');
  await expect(top).toBeFocused();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect(options).toBeFocused();
  await expect(page.getByText(/^Top 5 of 8 by maximum; /)).toBeVisible();
  await page.getByRole('button', { name: 'Show mean of all' }).press('Enter');
  await expect(page.getByRole('region', { name: 'Charts' })).toBeFocused();
  await expect(page.getByRole('row', { name: /^Mean of 8 devices/ })).toBeVisible();
  await expectAccessible(page);
});

test('the dialog of a metric keeps what was typed while the window becomes narrow', async ({
  page,
  service,
}) => {
  await callAs(page, 'POST', '/v1/telemetry', { samples: [{ device: 'narrow-1', values: { pressure: 3 } }] });
  const { data } = await callAs<{ data: { id: string }[] }>(page, 'GET', '/v1/devices?q=narrow-1');
  await page.goto(`${service.url}/telemetry?device=${data[0]?.id}&metric=pressure`);
  await page.getByRole('row', { name: /pressure/ }).hover();
  await page.getByRole('button', { name: 'Edit pressure' }).click();
  const label = page.getByRole('dialog').getByRole('textbox', { name: /^Label/ });
  await label.fill('Inlet pressure');
  await page.setViewportSize({ width: 700, height: 900 });
  await expect(page.getByRole('list', { name: 'Series', includeHidden: true })).toBeAttached();
  await expect(label).toHaveValue('Inlet pressure');
});
