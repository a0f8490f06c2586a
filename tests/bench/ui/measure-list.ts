import type { Browser, Page } from '@playwright/test';
import type { SignedIn } from '../../e2e/open-session.ts';
import { observePage, readObservations, resetObservations } from './observe-page.ts';

const WHEEL_STEPS = 120;
/** A notch of the wheel, and as far as a fast flick scrolls in a frame. */
const WHEEL_PX = 100;
const FLICK_PX = 300;

export type ListFigures = {
  firstRowsMs: number;
  loadTaskMs: number;
  loadShift: number;
  /** Its code has not run before on the page. */
  firstKeystrokeMs: number;
  /** The longest of the others. */
  laterKeystrokeMs: number;
  keystrokeTaskMs: number;
  wheelFrameMs: number;
  flickFrameMs: number;
  rowsInPage: number;
};

const FIRST_ROW_LIMIT_MS = 30_000;

/** When the first row was painted. Does not poll: a poll in each frame would slow the page. */
const firstRow = (page: Page, name: string): Promise<number> =>
  page.evaluate(
    ([text, limitMs]) =>
      Promise.race([
        window.observed.firstRowPainted(text),
        new Promise<never>((_, reject) => {
          setTimeout(() => reject(new Error(`“${text}” was not painted in ${limitMs} ms.`)), limitMs);
        }),
      ]),
    [name, FIRST_ROW_LIMIT_MS] as const,
  );

/** Keys to press one after another, and the first device that the list then shows. */
export type Searches = readonly (readonly [key: string, firstName: string])[];

/** The time from each key to the painted rows of its search. */
const measureKeystrokes = async (page: Page, firstNames: Searches): Promise<number[]> => {
  await page.getByRole('searchbox', { name: 'Search devices' }).focus();
  const times: number[] = [];
  for (const [key, name] of firstNames) {
    await page.keyboard.press(key);
    const paintedMs = await firstRow(page, name);
    const { keyMs } = await readObservations(page);
    times.push(paintedMs - keyMs);
    await page.waitForTimeout(300);
  }
  return times;
};

/** The longest frame while the wheel scrolls `stepPx` as often as frames are drawn. */
const measureScroll = async (page: Page, stepPx: number): Promise<number> => {
  await page.evaluate(() => {
    const times: number[] = [];
    const frame = (time: number) => {
      times.push(time);
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
    Object.assign(window, { frameTimes: times });
  });
  await page.mouse.move(700, 600);
  for (let step = 0; step < WHEEL_STEPS; step += 1) await page.mouse.wheel(0, stepPx);
  return page.evaluate(async () => {
    // The last turn of the wheel is painted by then.
    for (let frames = 0; frames < 2; frames += 1)
      await new Promise((resolve) => {
        requestAnimationFrame(resolve);
      });
    const { frameTimes } = window as unknown as { frameTimes: number[] };
    return Math.max(...frameTimes.slice(1).map((time, index) => time - (frameTimes[index] ?? time)));
  });
};

/** Opens the list of devices in a new browser profile with a processor slowed down `slower` times, searches and scrolls. */
export const measureList = async (
  browser: Browser,
  url: string,
  storageState: SignedIn,
  { searches, slower }: { searches: Searches; slower: number },
): Promise<ListFigures> => {
  const context = await browser.newContext({ storageState, viewport: { width: 1_440, height: 900 } });
  const page = await context.newPage();
  await observePage(page);
  const session = await context.newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: slower });
  await page.goto(`${url}/devices`);
  const firstRowsMs = await firstRow(page, 'Device 0');
  await page.waitForTimeout(2_000);
  const { longestTaskMs: loadTaskMs, shift: loadShift } = await readObservations(page);
  await resetObservations(page);
  const [firstKeystrokeMs = Number.NaN, ...laterMs] = await measureKeystrokes(page, searches);
  const { longestTaskMs: keystrokeTaskMs } = await readObservations(page);
  const measureScrollOfNewPage = async (stepPx: number): Promise<number> => {
    await page.goto(`${url}/devices`);
    await firstRow(page, 'Device 0');
    await page.waitForTimeout(2_000);
    return measureScroll(page, stepPx);
  };
  const wheelFrameMs = await measureScrollOfNewPage(WHEEL_PX);
  const flickFrameMs = await measureScrollOfNewPage(FLICK_PX);
  const rowsInPage = await page.locator('[data-index]').count();
  await context.close();
  return {
    firstRowsMs,
    loadTaskMs,
    loadShift,
    firstKeystrokeMs,
    laterKeystrokeMs: Math.max(...laterMs),
    keystrokeTaskMs,
    wheelFrameMs,
    flickFrameMs,
    rowsInPage,
  };
};
