import type { Page } from '@playwright/test';

type Shift = PerformanceEntry & {
  value: number;
  hadRecentInput: boolean;
  sources: { node: Node | null; previousRect: DOMRectReadOnly; currentRect: DOMRectReadOnly }[];
};

declare global {
  interface Window {
    observed: {
      /** Shifts within half a second of an input are not counted, as in the definition of CLS. */
      shift: number;
      /** Each of these shifts: when, how much, and which elements moved. */
      moves: string[];
      longestTaskMs: number;
      /** Resolves with the time of the first paint of this text in the first row, in ms since the page began to load. */
      firstRowPainted: (text: string) => Promise<number>;
      /** When the last key was pressed, likewise. */
      keyMs: number;
    };
  }
}

/** Observes layout shifts, long tasks and the first row of tables from the beginning of a page. */
export const observePage = (page: Page): Promise<unknown> =>
  page.addInitScript(() => {
    const paints = new Map<string, PromiseWithResolvers<number>>();
    const paintOf = (text: string) => {
      const paint = paints.get(text) ?? Promise.withResolvers<number>();
      paints.set(text, paint);
      return paint;
    };
    const observed = {
      shift: 0,
      moves: [] as string[],
      longestTaskMs: 0,
      firstRowPainted: (text: string) => paintOf(text).promise,
      keyMs: 0,
    };
    window.observed = observed;
    new PerformanceObserver((list) => {
      for (const { hadRecentInput, value, sources, startTime } of list.getEntries() as Shift[]) {
        if (hadRecentInput) continue;
        observed.shift += value;
        const moved = sources.map(({ node, previousRect: before, currentRect: after }) => {
          const element = node instanceof Element ? node : node?.parentElement;
          const name = element?.getAttribute('aria-label') ?? element?.textContent?.slice(0, 30);
          return `${element?.localName} “${name}” from ${before.x},${before.y} (${before.width} × ${before.height}) to ${after.x},${after.y} (${after.width} × ${after.height})`;
        });
        observed.moves.push(`${Math.round(startTime / 1_000)} s: ${value.toFixed(4)}, ${moved.join('; ')}`);
      }
    }).observe({ type: 'layout-shift', buffered: true });
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries())
        observed.longestTaskMs = Math.max(observed.longestTaskMs, duration);
    }).observe({ type: 'longtask', buffered: true });
    const onKey = ({ timeStamp }: KeyboardEvent) => {
      observed.keyMs = timeStamp;
    };
    document.addEventListener('keydown', onKey, { capture: true });
    // A message that is sent in a frame arrives after its paint.
    const afterPaint = (work: () => void) =>
      requestAnimationFrame(() => {
        const channel = new MessageChannel();
        channel.port1.addEventListener('message', work);
        channel.port1.start();
        channel.port2.postMessage(null);
      });
    const seen = new Set<string>();
    new MutationObserver(() => {
      const text = document.querySelector('[data-index="0"] [data-row-link]')?.textContent ?? '';
      if (text === '' || seen.has(text)) return;
      seen.add(text);
      afterPaint(() => {
        paintOf(text).resolve(performance.now());
      });
    }).observe(document, { childList: true, subtree: true, characterData: true });
  });

/** Reads the observations, after the frame in progress has been painted and reported. */
export const readObservations = (page: Page): Promise<Omit<Window['observed'], 'firstRowPainted'>> =>
  page.evaluate(async () => {
    for (let frame = 0; frame < 2; frame++)
      await new Promise((resolve) => {
        requestAnimationFrame(resolve);
      });
    const { firstRowPainted: _, ...values } = window.observed;
    return values;
  });

/** Forgets the shifts and tasks so far. */
export const resetObservations = (page: Page): Promise<void> =>
  page.evaluate(() => {
    window.observed.shift = 0;
    window.observed.moves = [];
    window.observed.longestTaskMs = 0;
  });
