// Main-thread time of charts in a real browser, compared with uPlot and echarts on the same data: npm run bench -- charts
import { cpus, loadavg } from 'node:os';
import type { CDPSession, Page } from '@playwright/test';
import { serveHarness } from '../e2e/chart-harness/serve-harness.ts';
import { percentile } from './data/percentile.ts';
import { launchChromium } from './ui/launch-chromium.ts';

const UPDATES = 100;
const MOVES = 100;
/** An odd number. Rounds rotate the order, so that a slow phase does not always affect the same library. */
const ROUNDS = Number(process.env['ROUNDS'] ?? 3);
/** Per measurement. */
const BUSY_SECONDS = Number(process.env['SECONDS'] ?? 5);
const SCENES = ['bench', 'uplot', 'echarts'] as const;
type Scene = (typeof SCENES)[number];
const SIZES = [
  [1, 1_000],
  [1, 20_000],
  [12, 1_000],
] as const;

const ARGS = [
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The time that the main thread has spent on tasks so far, in ms. */
async function workedMs(devTools: CDPSession): Promise<number> {
  const { metrics } = await devTools.send('Performance.getMetrics');
  return 1_000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN);
}

async function costOf(devTools: CDPSession, work: () => Promise<unknown>): Promise<number> {
  const before = await workedMs(devTools);
  await work();
  return (await workedMs(devTools)) - before;
}

/** Runs one step in every second frame. The loop is in the page, so that no message to the page is measured. */
const inFrames = (page: Page, count: number, step: 'push' | 'idle') =>
  page.evaluate(
    async ([frames, kind]) => {
      for (let frame = 0; frame < frames; frame += 1) {
        if (kind === 'push') window.pushSamples?.();
        await new Promise(requestAnimationFrame);
        await new Promise(requestAnimationFrame);
      }
    },
    [count, step] as const,
  );

/** Moves the pointer over the first chart, one step in every second frame. */
const hover = (page: Page, count: number) =>
  page.evaluate(async (moves) => {
    const target = document.querySelector('[data-hover]') ?? document.querySelector('[role=application]');
    if (target === null) return;
    const box = target.getBoundingClientRect();
    for (let move = 0; move < moves; move += 1) {
      const event = {
        bubbles: true,
        clientX: box.left + box.width * (0.1 + (0.8 * move) / moves),
        clientY: box.top + box.height / 2,
        pointerType: 'mouse',
      };
      target.dispatchEvent(new PointerEvent('pointermove', event));
      target.dispatchEvent(new MouseEvent('mousemove', event));
      await new Promise(requestAnimationFrame);
      await new Promise(requestAnimationFrame);
    }
  }, count);

/** Adds samples once a second, and counts the long tasks meanwhile. */
const followed = (page: Page, seconds: number) =>
  page.evaluate(async (wanted) => {
    let longTasks = 0;
    const observer = new PerformanceObserver((list) => {
      longTasks += list.getEntries().length;
    });
    observer.observe({ entryTypes: ['longtask'] });
    await new Promise<void>((resolve) => {
      let left = wanted;
      const timer = setInterval(() => {
        window.pushSamples?.();
        left -= 1;
        if (left > 0) return;
        clearInterval(timer);
        resolve();
      }, 1_000);
    });
    observer.disconnect();
    return longTasks;
  }, seconds);

const harness = await serveHarness({ hasPolicy: false });
const browser = await launchChromium(ARGS);
const rows: Record<string, Record<string, string>> = {};

interface Cost {
  update: number;
  hover: number;
  busy: number;
  longTasks: number;
}

async function measure(scene: Scene, charts: number, points: number): Promise<Cost> {
  const page = await browser.newPage({ viewport: { width: 1_400, height: 900 } });
  await page.goto(`${harness.url}/?scene=${scene}&charts=${charts}&points=${points}`);
  await page.waitForSelector('canvas');
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('Performance.enable', { timeDomain: 'threadTicks' });
  await inFrames(page, 20, 'push');
  await hover(page, 20);
  const idle = (await costOf(devTools, () => inFrames(page, UPDATES, 'idle'))) / UPDATES;
  const update = (await costOf(devTools, () => inFrames(page, UPDATES, 'push'))) / UPDATES;
  const move = (await costOf(devTools, () => hover(page, MOVES))) / MOVES;
  let longTasks = 0;
  const followedMs = await costOf(devTools, async () => {
    longTasks = await followed(page, BUSY_SECONDS);
  });
  await page.close();
  return { update: update - idle, hover: move - idle, busy: followedMs / (BUSY_SECONDS * 10), longTasks };
}

/** Ours, theirs, and the ratio to the best of theirs. */
const compared = (ours: number, ...theirs: number[]) =>
  `${[ours, ...theirs].map((each) => each.toFixed(2)).join(' : ')} = ${(ours / Math.min(...theirs)).toFixed(2)}`;

for (const [charts, points] of SIZES) {
  const costs: Record<Scene, Cost[]> = { bench: [], uplot: [], echarts: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    const order = [...SCENES.slice(round % SCENES.length), ...SCENES.slice(0, round % SCENES.length)];
    for (const scene of order) costs[scene].push(await measure(scene, charts, points));
  }
  const compare = (read: (cost: Cost) => number) => {
    const median = (scene: Scene) => percentile(costs[scene].map(read), 0.5);
    return compared(median('bench'), median('uplot'), median('echarts'));
  };
  rows[`${charts} × 4 × ${points.toLocaleString('en')} points`] = {
    'live update, ms': compare(({ update }) => update),
    'hover, ms': compare((cost) => cost.hover),
    'busy at 1 Hz, %': compare(({ busy }) => busy),
    'long tasks, most': SCENES.map((scene) =>
      Math.max(...costs[scene].map(({ longTasks }) => longTasks)),
    ).join(' : '),
  };
}

console.log(
  `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, ${browser.version()}, load ${loadavg()[0]?.toFixed(1)}, medians of ${ROUNDS} rounds; ` +
    'ours : uPlot : echarts = ratio to the best of these two',
);
console.table(rows);
await browser.close();
await harness.close();
