import { setTimeout as delay } from 'node:timers/promises';
import type { Browser } from '@playwright/test';
import { dashboardPages, type ShownResources } from '../../e2e/dashboard-pages.ts';
import type { SignedIn } from '../../e2e/open-session.ts';
import { observePage, readObservations, resetObservations } from './observe-page.ts';

const MINUTE_MS = 60_000;
const SETTLE_MS = 3_000;

export type PageFigures = {
  route: string;
  width: number;
  /** Layout shifts until the page has settled, and in all minutes afterwards. */
  loadShift: number;
  restShift: number;
  /** The layout shifts of these minutes, with the elements that moved. */
  moves: readonly string[];
  /** The heap after a garbage collection, in MiB, at the end of each minute. */
  heapMiB: number[];
};

type Options = {
  url: string;
  storageState: SignedIn;
  shown: ShownResources;
  minutes: number;
  /** Of the windows, in pixels: each page is opened in each. */
  widths: readonly number[];
};

const HEIGHT = 900;
const PHONE = { widest: 500, height: 740 };

/** Opens every page in a tab of its own, all at once, and leaves them open. */
export const measureLivePages = async (browser: Browser, options: Options): Promise<PageFigures[]> => {
  const { url, storageState, shown, minutes, widths } = options;
  const tabs = [];
  const opened = widths.flatMap((width) => dashboardPages.map((page) => ({ ...page, width })));
  for (const { route, path, width } of opened) {
    const viewport = { width, height: width > PHONE.widest ? HEIGHT : PHONE.height };
    // A profile per page: the tabs of one share a stream, whose memory would be counted once.
    const context = await browser.newContext({ storageState, viewport });
    const page = await context.newPage();
    await observePage(page);
    await page.goto(`${url}${path(shown)}`);
    await page.waitForTimeout(SETTLE_MS);
    const { shift } = await readObservations(page);
    await resetObservations(page);
    const session = await context.newCDPSession(page);
    tabs.push({ route, width, page, context, session, loadShift: shift, heapMiB: [] as number[] });
  }
  for (let minute = 0; minute < minutes; minute += 1) {
    await delay(MINUTE_MS);
    for (const { session, heapMiB } of tabs) {
      await session.send('HeapProfiler.collectGarbage');
      const { usedSize } = await session.send('Runtime.getHeapUsage');
      heapMiB.push(usedSize / 2 ** 20);
    }
  }
  const figures = [];
  for (const { route, width, page, context, loadShift, heapMiB } of tabs) {
    const { shift: restShift, moves } = await readObservations(page);
    figures.push({ route, width, loadShift, restShift, moves, heapMiB });
    await context.close();
  }
  return figures;
};
