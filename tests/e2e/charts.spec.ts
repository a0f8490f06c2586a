import { AxeBuilder } from '@axe-core/playwright';
import { expect, test, type Locator, type Page } from '@playwright/test';
import { isFullRun } from '../service/sized.ts';
import { serveHarness, type Harness } from './chart-harness/serve-harness.ts';
import { testPixels } from './chart-pixels.ts';

let harness: Harness;

test.beforeAll(async () => {
  harness = await serveHarness();
});
test.afterAll(() => harness.close());

const problems: string[] = [];

/** Opens a scene, and collects its errors, warnings and violations of the content security policy. */
async function open(page: Page, query: string) {
  problems.length = 0;
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text());
  });
  await page.goto(`${harness.url}/?${query}`);
  await expect.poll(() => inkOf(page.locator('canvas').first())).toBeGreaterThan(0);
  // Labels in the font of the system have other widths.
  await page.evaluate(() => document.fonts.ready);
}

/** A sum over the drawn pixels of a canvas, which changes with their number and their colours. */
const inkOf = (canvas: Locator) =>
  canvas.evaluate((element: HTMLCanvasElement) => {
    const data = element.getContext('2d')?.getImageData(0, 0, element.width, element.height).data ?? [];
    let sum = 0;
    for (let i = 0; i < data.length; i += 4)
      sum += (data[i + 3] ?? 0) * (1 + (data[i] ?? 0) + 3 * (data[i + 2] ?? 0));
    return sum;
  });

const chart = (page: Page, name: string) => page.getByRole('application', { name, exact: true });
/** The picture of the page's charts. */
const svgOf = async (page: Page): Promise<string> => {
  const url = await page.evaluate(() => window.harness.picture('svg'));
  return Buffer.from(url.split(',')[1] ?? '', 'base64').toString();
};
const readout = (page: Page, name: string) => chart(page, name).locator('.shadow-pop');

interface TimeAxis {
  labels: { text: string; left: number }[];
  lines: number[];
}

/** The time axis, in CSS pixels of the page, after some seconds at once and the frames to show them. */
const timeAxisAfter = (page: Page, seconds: number): Promise<TimeAxis> =>
  page.evaluate(async (count) => {
    for (let second = 0; second < count; second += 1) window.pushSamples?.();
    for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
    const leftOf = (part: Element) => part.getBoundingClientRect().left;
    const labels = [...document.querySelectorAll('.recharts-xAxis-tick-labels text')];
    const lines = [...document.querySelectorAll('.recharts-cartesian-grid-vertical line')];
    return {
      labels: labels.map((label) => ({ text: label.textContent, left: leftOf(label) })),
      lines: lines.map(leftOf),
    };
  }, seconds);

async function pointAt(page: Page, name: string, share: number) {
  const box = await chart(page, name).boundingBox();
  if (box === null) throw new Error(`The chart ${name} has no box.`);
  await page.mouse.move(box.x + box.width * share, box.y + box.height / 2);
}

test.describe('a chart', () => {
  test.use({ viewport: { width: 1_200, height: 1_500 } });

  test('is drawn under the content security policy, and passes the accessibility check', async ({ page }) => {
    await open(page, 'scene=all&table');
    await pointAt(page, 'day', 0.4);
    await expect(readout(page, 'day')).toBeVisible();
    const { violations } = await new AxeBuilder({ page }).disableRules(['page-has-heading-one']).analyze();
    expect(violations).toEqual([]);
    expect(problems).toEqual([]);
    expect(await page.locator('style').count()).toBe(0);
  });

  test('shows its values at the pointer, together with the other charts on the page', async ({ page }) => {
    await open(page, 'scene=states');
    await pointAt(page, 'states', 0.5);
    await expect(readout(page, 'states')).toContainText('Boiler 1 flow temperature');
    await expect(readout(page, 'states')).toContainText(/Nov 2[01], 2026, \d\d:\d\d\s*–\s*\d\d:\d\d/u);
    await expect(readout(page, 'states')).toContainText(/\d\d\.\d+\s°C/u);
    await expect(readout(page, 'States')).toContainText(/Burner mode(standby|firing)/u);
    await page.mouse.move(5, 5);
    await expect(readout(page, 'states')).toBeHidden();
    await expect(readout(page, 'States')).toBeHidden();
  });

  test('shows each state in its own colour, in whichever row', async ({ page }) => {
    await open(page, 'scene=states');
    const colours: Record<string, Set<string>> = {};
    for (const share of [0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 0.88, 0.95]) {
      // The chart reacts once it is drawn.
      await expect(async () => {
        await pointAt(page, 'States', share - 0.01);
        await pointAt(page, 'States', share);
        await expect(readout(page, 'States')).toBeVisible({ timeout: 200 });
      }).toPass();
      const rows = await readout(page, 'States')
        .locator('div:has(line)')
        .evaluateAll((all) =>
          all.map((row) => ({
            state: row.children[2]?.textContent ?? '',
            colour: getComputedStyle(row.querySelector('line')!).stroke,
          })),
        );
      for (const { state, colour } of rows) if (state !== '–') (colours[state] ??= new Set()).add(colour);
    }
    const found = Object.values(colours);
    expect(found.length).toBeGreaterThan(2);
    expect(found.map(({ size }) => size)).toEqual(found.map(() => 1));
    expect(new Set(found.flatMap((each) => [...each])).size).toBe(found.length);
  });

  test('shows no values in a gap', async ({ page }) => {
    await open(page, 'scene=day');
    // 04:00 of a day from noon to noon lies in the gap from 03:00 to 05:00.
    await pointAt(page, 'day', 0.67);
    await expect(readout(page, 'day')).toContainText('Boiler 1 flow temperature–');
  });

  test('has a focus ring on all four sides', async ({ page }) => {
    await open(page, 'scene=raw');
    const { x, y, width, height } = (await chart(page, 'raw').boundingBox())!;
    const [right, bottom] = [x + width, y + height];
    const sides = () =>
      Promise.all(
        [
          { x, y: y + height / 2 },
          { x: right - 2, y: y + height / 2 },
          { x: x + width / 2, y },
          { x: x + width / 2, y: bottom - 2 },
        ].map(async (corner) =>
          (await page.screenshot({ clip: { ...corner, width: 2, height: 2 } })).toString('base64'),
        ),
      );
    const before = await sides();
    await chart(page, 'raw').focus();
    const focused = await sides();
    expect(focused.map((side, index) => side === before[index])).toEqual([false, false, false, false]);
  });

  test('is read and zoomed by keyboard', async ({ page }) => {
    await open(page, 'scene=raw');
    await chart(page, 'raw').focus();
    await page.keyboard.press('Home');
    await expect(readout(page, 'raw')).toContainText('11:50:00');
    await page.keyboard.press('ArrowRight');
    await expect(readout(page, 'raw')).toContainText('11:50:05');
    await page.keyboard.press('Shift+ArrowRight');
    await expect(readout(page, 'raw')).toContainText('11:50:55');
    await page.keyboard.press('End');
    await expect(readout(page, 'raw')).toContainText('11:59:55');
    await expect(page.locator('[aria-live=polite]')).toHaveText(/11:59:55, Level 1\.\d+\sm/u);
    await page.keyboard.press('Home');
    await page.keyboard.press('+');
    await page.keyboard.press('-');
    const noon = Date.UTC(2026, 10, 21, 12);
    expect(await page.evaluate(() => window.harness.zooms)).toEqual([
      [noon - 600_000, noon - 300_000],
      [noon - 600_000, noon + 600_000],
    ]);
  });

  test('has a description of its content', async ({ page }) => {
    await open(page, 'scene=raw');
    await expect(chart(page, 'raw')).toHaveAccessibleDescription(
      /^Level, 10\smin: between 0\.9\d* and 1\.5\d*\sm, last/u,
    );
  });

  test('is zoomed by a drag, and not by a click', async ({ page }) => {
    await open(page, 'scene=raw');
    await pointAt(page, 'raw', 0.3);
    await page.mouse.down();
    await page.mouse.up();
    await page.mouse.down();
    await pointAt(page, 'raw', 0.5);
    await expect(chart(page, 'raw').locator('.border-accent')).toBeVisible();
    await page.mouse.up();
    // The pointer is over another time now.
    await expect(readout(page, 'raw')).toBeHidden();
    const zooms = await page.evaluate(() => window.harness.zooms);
    expect(zooms).toHaveLength(1);
    const widths = zooms.map(([fromMs, toMs]) => toMs - fromMs);
    expect(widths[0]).toBeGreaterThan(100_000);
    expect(widths[0]).toBeLessThan(140_000);
  });

  test('uses the colours of the theme, and follows a change immediately', async ({ page }) => {
    await open(page, 'scene=day');
    const canvas = page.locator('canvas').first();
    const light = await inkOf(canvas);
    await page.evaluate(() => {
      document.documentElement.dataset['theme'] = 'dark';
    });
    await expect.poll(() => inkOf(canvas)).not.toBe(light);
  });

  test('fills its parent, also after a resize', async ({ page }) => {
    await open(page, 'scene=day');
    const canvas = page.locator('canvas').first();
    const before = await canvas.boundingBox();
    await page.setViewportSize({ width: 700, height: 900 });
    await expect.poll(async () => (await canvas.boundingBox())?.width).toBe((before?.width ?? 0) - 500);
    await page.setViewportSize({ width: 360, height: 900 });
    await expect.poll(async () => (await canvas.boundingBox())?.width).toBe((before?.width ?? 0) - 840);
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollWidth))
      .toBeLessThanOrEqual(360);
  });

  for (const format of ['png', 'svg'] as const)
    test(`is saved as ${format.toUpperCase()} with axes, legend and lines`, async ({ page }) => {
      await open(page, 'scene=units');
      const found = await page.evaluate(async (format) => {
        const image = new Image();
        image.src = await window.harness.picture(format);
        await image.decode();
        const canvas = new OffscreenCanvas(image.naturalWidth, image.naturalHeight);
        const context = canvas.getContext('2d');
        context?.drawImage(image, 0, 0);
        const data = context?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
        const colours = new Set<number>();
        for (let i = 0; i < data.length; i += 4)
          colours.add(((data[i] ?? 0) << 16) | ((data[i + 1] ?? 0) << 8) | (data[i + 2] ?? 0));
        const section = document.querySelector('section')?.getBoundingClientRect();
        return { width: canvas.width, wanted: (section?.width ?? 0) + 32, colours: [...colours] };
      }, format);
      expect(found.width).toBe(found.wanted * (format === 'png' ? 2 : 1));
      // The surface, a grid line and the swatches of the three series.
      for (const colour of [0xffffff, 0xdfe3e3, 0x0262c3, 0x853f00, 0x560437]) {
        expect(found.colours).toContain(colour);
      }
      expect(problems).toEqual([]);
    });

  test('is text and paths as SVG, clipped to the plots', async ({ page }) => {
    await open(page, 'scene=units&theme=dark');
    const svg = await svgOf(page);
    expect(svg).toContain('>Boilers</text>');
    expect(svg).toContain('>°C</text>');
    // The background of the theme.
    expect(svg).toContain('fill="#15191a"');
    // Not the edges of the bands, which are translucent.
    const lines = [
      ...svg.matchAll(/<path d="([^"]+)" fill="none"[^>]*stroke-linejoin="round" clip-path="url/g),
    ];
    expect(lines).toHaveLength(3);
    expect(lines.every(([, d]) => (d ?? '').length > 1_000)).toBe(true);
  });

  test('has texts of fixed widths as SVG, whatever the font', async ({ page, context }) => {
    await open(page, 'scene=units');
    const reader = await context.newPage();
    await reader.setContent(await svgOf(page));
    const widths = await reader.locator('text').evaluateAll((texts) =>
      (texts as SVGTextElement[]).map((text) => {
        const before = text.getBoundingClientRect().width;
        text.style.fontSize = '20px';
        return [before, text.getBoundingClientRect().width];
      }),
    );
    expect(widths.length).toBeGreaterThan(10);
    for (const [before = Number.NaN, after = Number.NaN] of widths)
      expect(Math.abs(after - before)).toBeLessThan(1);
  });

  const movesItsTimeAxis: Parameters<typeof test>[2] = async ({ page }) => {
    const seconds = [61, 66, 71, 76, 81, 86, 91];
    const moved: TimeAxis[] = [];
    await open(page, 'scene=bench&charts=1&points=300');
    for (let second = 1; second <= seconds.at(-1)!; second += 1) {
      const axis = await timeAxisAfter(page, 1);
      if (seconds.includes(second)) moved.push(axis);
    }
    for (const [index, count] of seconds.entries()) {
      await open(page, 'scene=bench&charts=1&points=300');
      // Over a minute at once, so that no tick stays.
      const rendered = await timeAxisAfter(page, count);
      const { labels, lines } = moved[index]!;
      expect(labels.map(({ text }) => text)).toEqual(rendered.labels.map(({ text }) => text));
      expect(lines).toHaveLength(rendered.lines.length);
      const offsets = [
        ...labels.map(({ left }, n) => left - rendered.labels[n]!.left),
        ...lines.map((left, n) => left - rendered.lines[n]!),
      ];
      expect(Math.max(...offsets.map(Math.abs))).toBeLessThan(0.1);
    }
  };
  // Loads fourteen pages.
  if (isFullRun)
    test('moves its time axis with live samples to where a new rendering puts it', movesItsTimeAxis);

  test('renders its axes only when a tick or a label changes', async ({ page }) => {
    await open(page, 'scene=bench&charts=2&points=1000');
    const changes = await page.evaluate(async () => {
      let steps = 0;
      let renders = 0;
      const observer = new MutationObserver((records) => {
        if (records.some(({ type }) => type === 'childList')) renders += 1;
        if (records.some(({ type }) => type === 'attributes')) steps += 1;
      });
      const svg = document.querySelector('svg.recharts-surface')!;
      observer.observe(svg, { childList: true, subtree: true, attributeFilter: ['transform'] });
      for (let second = 0; second < 120; second += 1) {
        window.pushSamples?.();
        await new Promise(requestAnimationFrame);
      }
      return { steps, renders };
    });
    // The window moves every five seconds. In two minutes, a few ticks and labels come and go.
    expect(changes.steps).toBeGreaterThan(18);
    expect(changes.renders).toBeLessThan(changes.steps / 2);
  });

  test('follows live samples, and pauses while it is not visible', async ({ page }) => {
    await open(page, 'scene=bench&charts=1&points=300');
    const canvas = page.locator('canvas').first();
    const ticks = page.locator('svg text');
    const before = await ticks.allTextContents();
    const ink = await inkOf(canvas);
    await page.evaluate(() => window.pushSamples?.());
    await expect.poll(() => inkOf(canvas)).not.toBe(ink);
    await page.evaluate(() => {
      for (let second = 0; second < 120; second += 1) window.pushSamples?.();
    });
    await expect.poll(() => ticks.allTextContents()).not.toEqual(before);

    await page.evaluate(() => {
      document.querySelector('main')?.style.setProperty('margin-top', '5000px');
    });
    const drawings = () =>
      page.evaluate(async () => {
        const prototype = CanvasRenderingContext2D.prototype;
        const original = prototype.clearRect;
        let count = 0;
        prototype.clearRect = function counted(...box) {
          count += 1;
          original.apply(this, box);
        };
        window.pushSamples?.();
        for (let frame = 0; frame < 5; frame += 1) await new Promise(requestAnimationFrame);
        prototype.clearRect = original;
        return count;
      });
    await expect.poll(drawings).toBe(0);
  });
});

test.describe('on a touch screen', () => {
  test.use({ viewport: { width: 360, height: 800 }, hasTouch: true, isMobile: true });

  test('the cursor follows a touch, and stays after it', async ({ page }) => {
    await open(page, 'scene=day');
    const box = await chart(page, 'day').boundingBox();
    if (box === null) throw new Error('The chart has no box.');
    const touch = await page.context().newCDPSession(page);
    const at = (share: number) => [{ x: box.x + box.width * share, y: box.y + box.height / 2 }];
    await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: at(0.3) });
    await expect(readout(page, 'day')).toContainText(/Nov 20, 2026, 1\d:/u);
    await touch.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: at(0.9) });
    await expect(readout(page, 'day')).toContainText(/Nov 21, 2026, (09|10):/u);
    await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    await expect(readout(page, 'day')).toBeVisible();
    expect(await page.evaluate(() => window.harness.zooms)).toEqual([]);
  });
});

testPixels(() => harness.url);
