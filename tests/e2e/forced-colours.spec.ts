import type { Locator } from '@playwright/test';
import { expect, test } from './journey.ts';
import { callAs } from './service-api.ts';

/** A picture of a piece of the padding. The computed style does not show the colours of the system. */
const paddingOf = async (element: Locator): Promise<string> => {
  const box = await element.boundingBox();
  if (box === null) throw new Error('The element has no box.');
  const clip = { x: box.x + 3, y: box.y + box.height / 2, width: 3, height: 3 };
  return (await element.page().screenshot({ clip })).toString('base64');
};

/** The number of colours with many pixels in a canvas, rounded, since edges of lines are translucent. */
const lineColoursIn = (canvas: Locator): Promise<number> =>
  canvas.evaluate((node: HTMLCanvasElement) => {
    // A copy, since the chart draws slower after its own canvas was read.
    const copy = new OffscreenCanvas(node.width, node.height).getContext('2d', { willReadFrequently: true });
    copy?.drawImage(node, 0, 0);
    const data = copy?.getImageData(0, 0, node.width, node.height).data ?? [];
    const counts = new Map<string, number>();
    for (let i = 0; i < data.length; i += 4) {
      if ((data[i + 3] ?? 0) < 100) continue;
      const colour = [0, 1, 2].map((channel) => Math.round((data[i + channel] ?? 0) / 64)).join(' ');
      counts.set(colour, (counts.get(colour) ?? 0) + 1);
    }
    return [...counts.values()].filter((count) => count > 200).length;
  });

test.use({ contextOptions: { forcedColors: 'active' }, hasOwnContext: true });

test('with forced colours, dots, lines and the focus are visible on what is chosen', async ({
  page,
  service,
}) => {
  await page.emulateMedia({ forcedColors: 'active', colorScheme: 'dark' });
  const now = Date.now();
  const samples = [2, 1].map((minutes) => ({
    device: 'forced-2',
    ts: now - minutes * 60_000,
    values: { inlet: 20, outlet: 30 },
  }));
  await callAs(page, 'POST', '/v1/telemetry', { samples });
  await page.goto(`${service.url}/telemetry?device=forced-2&metric=inlet&metric=outlet&range=1h`);

  await test.step('the dot of a button', async () => {
    const live = page.getByRole('button', { name: 'Live', exact: true });
    await expect(live).toHaveAttribute('aria-pressed', 'true');
    await expect(live.locator('.keeps-colour')).not.toHaveCSS('box-shadow', 'none');
  });

  await test.step('the line of the shown series', async () => {
    const series = page.getByRole('table', { name: 'Series' }).getByRole('button', { name: 'inlet' }).first();
    await series.click();
    await expect(series).toHaveAttribute('aria-pressed', 'true');
    await expect(series.locator('svg.keeps-colour')).not.toHaveCSS('background-color', 'rgba(0, 0, 0, 0)');
  });

  await test.step('the focus of the range', async () => {
    await page.getByRole('radio', { name: '1 h' }).press('ArrowRight');
    const chosen = page.getByRole('radiogroup', { name: 'Range' }).locator('label', { hasText: '6 h' });
    await expect(chosen.getByRole('radio')).toBeFocused();
    const [ring, text] = await chosen.evaluate((label) => {
      const { outlineColor, color } = getComputedStyle(label);
      return [outlineColor, color];
    });
    expect(ring).toBe(text);
  });
});

test('with forced colours, what is chosen or highlighted is visible, and lines keep their colours', async ({
  page,
  service,
}) => {
  const now = Date.now();
  const samples = Array.from({ length: 50 }, (_, minute) => ({
    device: 'forced-1',
    ts: now - (50 - minute) * 60_000,
    values: { inlet: 20, outlet: 30 },
  }));
  await callAs(page, 'POST', '/v1/telemetry', { samples });
  await page.goto(`${service.url}/telemetry?device=forced-1&metric=inlet&metric=outlet&range=1h`);
  await expect.poll(() => lineColoursIn(page.locator('main canvas').first())).toBe(2);

  await test.step('the range', async () => {
    const ranges = page.getByRole('radiogroup', { name: 'Range' }).locator('label');
    const [chosen, other] = [ranges.filter({ hasText: '1 h' }), ranges.filter({ hasText: '6 h' })];
    expect(await paddingOf(chosen)).not.toBe(await paddingOf(other));
  });

  await test.step('the shown series', async () => {
    const series = page
      .getByRole('table', { name: 'Series' })
      .getByRole('button', { name: 'outlet' })
      .first();
    const before = await paddingOf(series);
    await series.click();
    await expect(series).toHaveAttribute('aria-pressed', 'true');
    expect(await paddingOf(series)).not.toBe(before);
  });

  await test.step('the cursor of a chart', async () => {
    const chart = page.getByRole('application').first();
    await chart.press('ArrowLeft');
    await expect(chart.getByText('outlet')).toBeVisible();
    // The line and the points on both series.
    for (const part of await chart.locator('> div:not([hidden]):not(:has(div))').all())
      await expect(part).toHaveCSS('forced-color-adjust', 'none');
    await expect(chart.locator('> div:has(div)')).toHaveCSS('border-top-width', '1px');
  });

  await test.step('the highlighted option of a menu, a select and a list', async () => {
    await page.getByRole('button', { name: 'Share' }).press('Enter');
    const items = page.getByRole('menuitem');
    await expect(items.first()).toHaveAttribute('data-highlighted', '');
    expect(await paddingOf(items.first())).not.toBe(await paddingOf(items.last()));
    // The system removes shadows.
    await expect(page.getByRole('menu')).toHaveCSS('border-top-width', '1px');
    await page.keyboard.press('Escape');
    await expect(items).toHaveCount(0);
    await page.getByRole('combobox', { name: /compar/i }).press('Enter');
    const options = page.getByRole('option');
    await expect(options.first()).toHaveAttribute('data-highlighted', '');
    expect(await paddingOf(options.first())).not.toBe(await paddingOf(options.last()));
    await page.keyboard.press('Escape');
    await expect(options).toHaveCount(0);
    await expect(page.getByRole('combobox', { name: /compar/i })).toBeFocused();
    await page.getByRole('combobox', { name: 'Metrics' }).press('ArrowDown');
    await expect(options.first()).toHaveAttribute('data-highlighted', '');
    expect(await paddingOf(options.first())).not.toBe(await paddingOf(options.last()));
    await page.keyboard.press('Escape');
  });

  await test.step('the highlighted result of the palette', async () => {
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog');
    await expect(palette).toHaveCSS('border-top-width', '1px');
    const results = palette.getByRole('option');
    await expect(results.first()).toHaveAttribute('aria-selected', 'true');
    expect(await paddingOf(results.first())).not.toBe(await paddingOf(results.nth(1)));
    await page.keyboard.press('Escape');
  });

  await test.step('the metrics in the chart of a device', async () => {
    const { data } = await callAs<{ data: { id: string }[] }>(page, 'GET', '/v1/devices?q=forced-1');
    await page.goto(`${service.url}/devices/${data[0]?.id}?range=6h&metric=inlet`);
    const chartBoxes = (isOn: boolean) => page.getByRole('checkbox', { name: /^Chart /, checked: isOn });
    expect(await paddingOf(chartBoxes(true))).not.toBe(await paddingOf(chartBoxes(false)));
  });

  await test.step('the states of a filter', async () => {
    await page.goto(`${service.url}/pipelines?state=running`);
    const running = page.getByRole('button', { name: 'Running', exact: true });
    await expect(running).toHaveAttribute('aria-pressed', 'true');
    expect(await paddingOf(running)).not.toBe(
      await paddingOf(page.getByRole('button', { name: 'Paused', exact: true })),
    );
  });
});
