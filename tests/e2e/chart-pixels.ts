import { expect, test, type Page } from '@playwright/test';

/** Measures the positions of the drawn line, and of the grid lines that recharts drew. */
async function measure(page: Page, harnessUrl: string) {
  await page.goto(`${harnessUrl}/?scene=pixels`);
  await page.waitForFunction(() => {
    const canvas = document.querySelector('canvas');
    const pixels = canvas?.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data;
    return pixels?.some((value) => value !== 0) ?? false;
  });
  return page.evaluate(() => {
    const canvas = document.querySelector('canvas');
    const context = canvas?.getContext('2d');
    if (!canvas || !context) throw new Error('There is no canvas.');
    const box = canvas.getBoundingClientRect();
    const scale = canvas.width / box.width;
    const { data, width, height } = context.getImageData(0, 0, canvas.width, canvas.height);
    const alpha = (x: number, y: number) => data[(y * width + x) * 4 + 3] ?? 0;

    /** The middle of the drawn pixels in a row or column of device pixels, in CSS pixels of the page. */
    const middle = (length: number, at: (n: number) => number, origin: number) => {
      let [sum, weight] = [0, 0];
      for (let n = 0; n < length; n += 1) {
        sum += at(n) * (n + 0.5);
        weight += at(n);
      }
      return weight === 0 ? undefined : origin + sum / weight / scale;
    };
    const column = (share: number) => {
      const x = Math.round(width * share);
      return middle(height, (y) => alpha(x, y), box.top);
    };
    const row = (share: number) => {
      const y = Math.round(height * share);
      return middle(width, (x) => alpha(x, y), box.left);
    };

    const labels = [...document.querySelectorAll('svg text')].map((label) => label.textContent);
    const lines = (group: string) =>
      [...document.querySelectorAll(`.recharts-cartesian-grid-${group} line`)].map((line) => {
        const frame = line.getBoundingClientRect();
        return { x: frame.left + frame.width / 2, y: frame.top + frame.height / 2 };
      });
    return {
      labels,
      horizontal: lines('horizontal').map(({ y }) => y),
      vertical: lines('vertical').map(({ x }) => x),
      lowY: column(0.25),
      highY: column(0.75),
      stepX: row(0.5),
    };
  });
}

/** Tests of the positions of drawn lines and labels. `charts.spec.ts` runs them: it builds the page with charts once. */
export const testPixels = (harnessUrl: () => string): void => {
  for (const deviceScaleFactor of [1, 1.5, 2]) {
    test.describe(`at ${deviceScaleFactor} device pixels per CSS pixel`, () => {
      test.use({ deviceScaleFactor, viewport: { width: 1_000, height: 400 } });

      test('lines are drawn at the ticks of their values', async ({ page }) => {
        const { labels, horizontal, vertical, lowY, highY, stepX } = await measure(page, harnessUrl());
        expect(labels).toEqual(expect.arrayContaining(['0', '10', '20', '30', '40', '12:30']));
        const values = labels
          .filter((label) => /^\d+$/u.test(label))
          .toSorted((a, b) => Number(a) - Number(b));
        const bottomUp = horizontal.toSorted((a, b) => b - a);
        expect(bottomUp).toHaveLength(values.length);
        const yOf = (value: string) => bottomUp[values.indexOf(value)] ?? Number.NaN;
        expect(Math.abs((lowY ?? Number.NaN) - yOf('10'))).toBeLessThanOrEqual(1);
        expect(Math.abs((highY ?? Number.NaN) - yOf('30'))).toBeLessThanOrEqual(1);

        const times = labels.filter((label) => label.includes(':')).toSorted();
        const leftToRight = vertical.toSorted((a, b) => a - b);
        expect(leftToRight).toHaveLength(times.length);
        const xOf = leftToRight[times.indexOf('12:30')] ?? Number.NaN;
        expect(Math.abs((stepX ?? Number.NaN) - xOf)).toBeLessThanOrEqual(1);
      });
    });
  }
};
