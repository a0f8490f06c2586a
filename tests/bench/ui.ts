// The dashboard in Chromium, from the service to the screen: npm run bench -- ui (… ui lists, … ui live)
import { cpus, loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Browser } from '@playwright/test';
import { openSession, tokenOf, type SignedIn } from '../e2e/open-session.ts';
import { startRunningService, type RunningService } from '../e2e/running-service.ts';
import { callWith } from '../e2e/service-api.ts';
import { fillDevices, firstNameWith } from './data/fill-devices.ts';
import { percentile } from './data/percentile.ts';
import { launchChromium } from './ui/launch-chromium.ts';
import { measureList, type ListFigures } from './ui/measure-list.ts';
import { measureLivePages } from './ui/measure-live-pages.ts';

/** DEVICES and MINUTES shorten a run; WIDTHS=360,1440 opens every live page in windows of these widths. */
const SIZES = (process.env['DEVICES'] ?? '100000,1000000').split(',').map(Number);
const MINUTES = Number(process.env['MINUTES'] ?? 15);
const WIDTHS = (process.env['WIDTHS'] ?? '1440').split(',').map(Number);
const REPEATS = 3;
/** How many times the processor is slowed down: a small computer, and this one. */
const SLOWER = [4, 1];
const LIVE_DEVICES = 200;
const MAX_SHIFT = 0.02;
const [, , , part = 'all'] = process.argv;

const print = (line: string) => process.stdout.write(`${line}\n`);
const fixed = (value: number, digits = 0) => value.toFixed(digits);

const measures: [name: string, aim: string, read: (figures: ListFigures) => number, digits: number][] = [
  ['first rows painted, ms', '1,500', ({ firstRowsMs }) => firstRowsMs, 0],
  ['longest task of the load, ms', '200', ({ loadTaskMs }) => loadTaskMs, 0],
  ['layout shift of the load', '0.02', ({ loadShift }) => loadShift, 4],
  ['first keystroke to rows, ms', '150', ({ firstKeystrokeMs }) => firstKeystrokeMs, 0],
  ['later keystroke to rows, ms', '150', ({ laterKeystrokeMs }) => laterKeystrokeMs, 0],
  ['longest task of a keystroke, ms', '200', ({ keystrokeTaskMs }) => keystrokeTaskMs, 0],
  ['longest frame of a scroll by 100 px, ms', '50', ({ wheelFrameMs }) => wheelFrameMs, 0],
  ['longest frame of a scroll by 300 px, ms', '50', ({ flickFrameMs }) => flickFrameMs, 0],
  ['rows in the page after it', '60', ({ rowsInPage }) => rowsInPage, 0],
];

const printLists = async (browser: Browser, service: RunningService, storageState: SignedIn) => {
  const columns: { head: string; figures: ListFigures[] }[] = [];
  let filled = 0;
  for (const size of SIZES) {
    await service.restart(() => fillDevices(service.dataDir, filled, size));
    filled = size;
    const searches = ['9', '99', '999'].map((digits) => ['9', firstNameWith(size, digits)] as const);
    // The first round warms up the service.
    await measureList(browser, service.url, storageState, { searches, slower: 1 });
    for (const slower of SLOWER) {
      const figures: ListFigures[] = [];
      while (figures.length < REPEATS)
        figures.push(await measureList(browser, service.url, storageState, { searches, slower }));
      columns.push({ head: `${size.toLocaleString('en')} devices, ${slower} × slower`, figures });
      process.stderr.write(`${columns.at(-1)?.head}: measured\n`);
    }
  }
  print(`\n| list of devices | aim | ${columns.map(({ head }) => `${head}: median | worst`).join(' | ')} |`);
  print(`|---|---:|${columns.map(() => '---:|---:|').join('')}`);
  for (const [name, aim, read, digits] of measures) {
    const cells = columns.map(({ figures }) => {
      const values = figures.map(read);
      return `${fixed(percentile(values, 0.5), digits)} | ${fixed(Math.max(...values), digits)}`;
    });
    print(`| ${name} | ${aim} | ${cells.join(' | ')} |`);
  }
};

/** Writes a sample of each device every second, and through a pipeline that rejects one message in ten. */
const keepSending = async (service: RunningService, token: string, pipeline: string, signal: AbortSignal) => {
  for (let second = 0; !signal.aborted; second += 1) {
    const samples = Array.from({ length: LIVE_DEVICES }, (_, number) => ({
      device: `live-${number}`,
      values: { temperature: 20 + Math.sin(second / 60 + number) * 5 },
    }));
    const { status } = await callWith<{ status: number }>(service.url, token, 'POST', '/v1/telemetry', {
      samples,
    });
    if (status >= 400) throw new Error(`The service answered ${status} to samples.`);
    const bad = second % 10 === 0;
    const message = { device: 'live-1', values: { pressure: bad ? {} : second } };
    await callWith(service.url, token, 'POST', `/v1/pipelines/${pipeline}/messages`, message);
    await delay(1_000, undefined, { signal }).catch(() => undefined);
  }
};

const printLive = async (
  browser: Browser,
  service: RunningService,
  storageState: SignedIn,
  token: string,
) => {
  const { id: pipeline } = await callWith<{ id: string }>(service.url, token, 'POST', '/v1/pipelines', {
    name: 'Live',
    type: 'http',
    interval: 10,
    destination: 'telemetry',
  });
  const stop = new AbortController();
  const sending = keepSending(service, token, pipeline, stop.signal);
  await delay(3_000);
  const { data } = await callWith<{ data: { id: string; externalId: string }[] }>(
    service.url,
    token,
    'GET',
    '/v1/devices?q=live-1',
  );
  const device = data.find(({ externalId }) => externalId === 'live-1');
  if (device === undefined) throw new Error('The service has not registered live-1.');
  const shown = { device: device.id, pipeline };
  const options = { url: service.url, storageState, shown, minutes: MINUTES, widths: WIDTHS };
  const [pages] = await Promise.all([
    measureLivePages(browser, options).finally(() => stop.abort()),
    sending,
  ]);
  print(
    `\n| page, ${MINUTES} live minutes | shift of the load | at rest | heap MiB, minute 2 | half | last | growth an hour |`,
  );
  print('|---|---:|---:|---:|---:|---:|---:|');
  print(`| aim | ${MAX_SHIFT} | ${MAX_SHIFT} | | | | 0 |`);
  for (const { route, width, loadShift, restShift, heapMiB } of pages) {
    // The first minute warms up, unless it is the only one.
    const [first = NaN, last = NaN] = [heapMiB[1] ?? heapMiB[0], heapMiB.at(-1)];
    // Of the second half: until then, code is compiled and the charts of a new service fill.
    const middle = Math.floor((heapMiB.length - 1) / 2);
    const half = heapMiB[middle] ?? NaN;
    const perHour = ((last - half) * 60) / Math.max(1, heapMiB.length - 1 - middle);
    const cells = [
      fixed(loadShift, 4),
      fixed(restShift, 4),
      fixed(first, 1),
      fixed(half, 1),
      fixed(last, 1),
      fixed(perHour, 1),
    ];
    print(`| ${route}, ${width} px | ${cells.join(' | ')} |`);
  }
  for (const { route, width, restShift, moves } of pages)
    if (restShift > MAX_SHIFT) print(`\n${route}, ${width} px, at rest:\n\n- ${moves.join('\n- ')}`);
};

const service = await startRunningService({ SEED: 'none' });
let browser: Browser | undefined;
try {
  browser = await launchChromium();
  const signedIn = await openSession(service.signinLink, 'Bench');
  const token = tokenOf(signedIn);
  print(
    `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, Chromium ${browser.version()}, load ${loadavg()[0]?.toFixed(1)}`,
  );
  if (part !== 'lists') await printLive(browser, service, signedIn, token);
  if (part !== 'live') await printLists(browser, service, signedIn);
} finally {
  await browser?.close();
  await service.remove();
}
