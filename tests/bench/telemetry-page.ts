// A chart of a million samples on the Telemetry page, from the service to the screen: npm run bench -- telemetry-page
import { cpus, loadavg } from 'node:os';
import type { Browser, Page } from '@playwright/test';
import { openSession, tokenOf, type SignedIn } from '../e2e/open-session.ts';
import { startRunningService } from '../e2e/running-service.ts';
import { callWith } from '../e2e/service-api.ts';
import { percentile } from './data/percentile.ts';
import { launchChromium } from './ui/launch-chromium.ts';

const SAMPLES = 1_000_000;
/** The samples fill 30 days. */
const STEP_MS = (30 * 86_400_000) / SAMPLES;
const PER_WRITE = 50_000;
const REPEATS = 15;

/** `requestMs`: until the query is sent; `answerMs`: until its response has arrived. */
type Measured = { requestMs: number; answerMs: number; paintedMs: number; bytes: number; sentBytes: number };

declare global {
  interface Window {
    /** Resolves after the first paint of a chart whose data came after this call's next click or release. */
    measured?: Promise<Measured>;
  }
}

/** A walk of tenths, as a temperature. */
const writeSamples = async (url: string, token: string): Promise<string> => {
  const fromMs = Date.now() - SAMPLES * STEP_MS;
  let value = 200;
  for (let start = 0; start < SAMPLES; start += PER_WRITE) {
    const rows = Array.from({ length: PER_WRITE }, (_, row) => start + row);
    await callWith(url, token, 'POST', '/v1/telemetry', {
      series: [
        {
          device: 'large',
          metric: 'temperature',
          ts: rows.map((row) => fromMs + row * STEP_MS),
          values: rows.map(() => (value += Math.round(Math.random() * 4) - 2) / 10),
        },
      ],
    });
  }
  const { data } = await callWith<{ data: { id: string }[] }>(url, token, 'GET', '/v1/devices?q=large');
  return data[0]?.id ?? '';
};

/** Measures from the next click or release of the pointer to the paint of the data that it asks for. */
const startMeasuring = (page: Page) =>
  page.evaluate(() => {
    window.measured = new Promise((resolve) => {
      let startMs = Infinity;
      const begin = (event: Event) => {
        startMs = Math.min(startMs, event.timeStamp);
      };
      for (const kind of ['click', 'pointerup']) document.addEventListener(kind, begin, { capture: true });
      const { stroke } = CanvasRenderingContext2D.prototype;
      CanvasRenderingContext2D.prototype.stroke = function (...args: unknown[]) {
        Reflect.apply(stroke, this, args);
        const answer = performance
          .getEntriesByType('resource')
          .findLast(
            (entry) => entry instanceof PerformanceResourceTiming && entry.name.endsWith('/telemetry/query'),
          );
        if (!(answer instanceof PerformanceResourceTiming) || answer.startTime < startMs) return;
        CanvasRenderingContext2D.prototype.stroke = stroke;
        // A message that is sent in a frame arrives after its paint.
        requestAnimationFrame(() => {
          const channel = new MessageChannel();
          channel.port1.addEventListener('message', () =>
            resolve({
              requestMs: answer.startTime - startMs,
              answerMs: answer.responseEnd - answer.startTime,
              paintedMs: performance.now() - startMs,
              bytes: answer.decodedBodySize,
              sentBytes: answer.encodedBodySize,
            }),
          );
          channel.port1.start();
          channel.port2.postMessage(null);
        });
      };
    });
  });

const finish = (page: Page): Promise<Measured> =>
  page.evaluate(() => window.measured ?? Promise.reject(new Error('Nothing is measured.')));

/** Drags over a part of the chart, as shares of its width. */
const zoom = async (page: Page, from: number, to: number) => {
  const box = await page.getByRole('application').boundingBox();
  if (box === null) throw new Error('There is no chart.');
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width * from, y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * to, y, { steps: 5 });
  await startMeasuring(page);
  await page.mouse.up();
  return finish(page);
};

/** Opens the page with a range without the samples in the cache, then clicks and zooms. */
const measureOnce = async (browser: Browser, url: string, storageState: SignedIn, device: string) => {
  const context = await browser.newContext({ storageState, viewport: { width: 1_440, height: 900 } });
  const page = await context.newPage();
  await page.goto(`${url}/telemetry?device=${device}&metric=temperature&range=1h`);
  await page.waitForSelector('canvas');
  // The stream opens, and the code of the page that is not needed at first has loaded.
  await page.waitForLoadState('load');
  await page.waitForTimeout(1_500);
  await startMeasuring(page);
  await page.getByText('30 d', { exact: true }).click();
  const click = await finish(page);
  await page.waitForTimeout(500);
  const first = await zoom(page, 0.7, 0.9);
  await page.waitForTimeout(500);
  const second = await zoom(page, 0.4, 0.42);
  await context.close();
  return { 'click on 30 d': click, 'zoom to a fifth': first, 'zoom to a fiftieth of it': second };
};

const service = await startRunningService({ SEED: 'none' });
const browser = await launchChromium();
try {
  const signedIn = await openSession(service.signinLink, 'Bench');
  const device = await writeSamples(service.url, tokenOf(signedIn));
  const found = new Map<string, Measured[]>();
  for (let repeat = 0; repeat <= REPEATS; repeat += 1)
    for (const [name, measured] of Object.entries(await measureOnce(browser, service.url, signedIn, device)))
      // The first round warms up the service.
      if (repeat > 0) found.set(name, [...(found.get(name) ?? []), measured]);
  const rows = [...found].map(([name, all]) => {
    const at = (share: number, of: (measured: Measured) => number) =>
      percentile(all.map(of), share).toFixed(0);
    const median = (of: (measured: Measured) => number) => at(0.5, of);
    const kilobytes = (bytes: readonly number[]) => (Math.max(...bytes) / 1_000).toFixed(1);
    return {
      step: name,
      'painted, ms p50': median(({ paintedMs }) => paintedMs),
      max: at(1, ({ paintedMs }) => paintedMs),
      'until the request': median(({ requestMs }) => requestMs),
      'until the answer': median(({ answerMs }) => answerMs),
      'until the paint': median(({ paintedMs, requestMs, answerMs }) => paintedMs - requestMs - answerMs),
      'answer, kB': kilobytes(all.map(({ bytes }) => bytes)),
      'compressed, kB': kilobytes(all.map(({ sentBytes }) => sentBytes)),
    };
  });
  console.log(
    `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, ${browser.version()}, load ${loadavg()[0]?.toFixed(1)}`,
  );
  console.table(rows);
} finally {
  await browser.close();
  await service.remove();
}
