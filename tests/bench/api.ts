import { availableParallelism, cpus, loadavg } from 'node:os';
import { startRunningService } from '../e2e/running-service.ts';
import { cases } from './api/cases.ts';
import { agent, ask, type Call } from './api/client.ts';
import { fillOtherLists } from './api/fill-other-lists.ts';
import { CLIENTS, sendLoad } from './api/send-load.ts';
import { fillDevices } from './data/fill-devices.ts';
import { percentile } from './data/percentile.ts';
import { cpuSeconds } from './mqtt-load/process-figures.ts';

/**
 * CPU time, p50 and p99 over HTTP of every list and detail endpoint, with 20 concurrent clients. The service runs in a
 * separate process, as with `npm start`. `npm run bench -- api TEXT` measures only the lines that contain the text.
 */
const SIZES = (process.env['DEVICES'] ?? '1000,100000,1000000').split(',').map(Number);
/** After a start, until Node has compiled the code of lists; and before each line. */
const WARM_UP_SECONDS = { start: 15, line: 1 };
const SECONDS = Number(process.env['SECONDS'] ?? 2);
/** How often each line is measured, with all others in between. The table has the medians. */
const ROUNDS = Number(process.env['ROUNDS'] ?? 3);
const [, , , wanted = ''] = process.argv;

/** `cpuUs`: CPU time of the main thread of the service per request, which other programs barely change. */
type Figures = { cpuUs: number; p50: number; p99: number };
const measure = async (
  { url, token, pid }: { url: string; token: string; pid: number },
  path: (round: number) => string,
): Promise<Figures> => {
  const load = (seconds: number) => sendLoad({ url, token, path, seconds });
  await load(WARM_UP_SECONDS.line);
  const before = cpuSeconds(pid).main;
  const { requests, p50, p99 } = await load(SECONDS);
  return { cpuUs: ((cpuSeconds(pid).main - before) / requests) * 1e6, p50, p99 };
};

const medianOf = (rounds: readonly Figures[]): Figures => {
  const median = (figure: keyof Figures) =>
    percentile(
      rounds.map((round) => round[figure]),
      0.5,
    );
  return { cpuUs: median('cpuUs'), p50: median('p50'), p99: median('p99') };
};

const cellsOf = ({ cpuUs, p50, p99 }: Figures): string =>
  `${cpuUs.toFixed(0)} | ${p50.toFixed(1)} | ${p99.toFixed(1)}`;

const service = await startRunningService({ SEED: 'none', LOG_LEVEL: 'info' });
try {
  const signin = { token: service.signinLink.split('=').at(-1), remember: false };
  const { token } = (await ask(service, '', '/v1/sessions', 'POST', signin)).json();
  const call: Call = (path, method, body) => ask(service, token, path, method, body);
  const rows = new Map<string, Figures[]>();
  let filled = 0;
  for (const size of SIZES) {
    const from = filled;
    await service.restart(() => fillDevices(service.dataDir, from, size));
    if (filled === 0) await fillOtherLists(call);
    filled = size;
    await sendLoad({ url: service.url, token, path: () => '/v1/devices', seconds: WARM_UP_SECONDS.start });
    const measured = new Map<string, Figures[]>();
    const lines = Object.entries(cases).filter(([name]) => name.includes(wanted));
    for (let round = 0; round < ROUNDS; round += 1)
      for (const [name, prepare] of lines) {
        const figures = await measure({ url: service.url, token, pid: service.pid() }, await prepare(call));
        process.stderr.write(`${size} devices, ${name}: ${cellsOf(figures)}\n`);
        measured.set(name, [...(measured.get(name) ?? []), figures]);
      }
    for (const [name, rounds] of measured) rows.set(name, [...(rows.get(name) ?? []), medianOf(rounds)]);
  }
  const load = loadavg()[0]?.toFixed(1);
  process.stdout.write(
    `${CLIENTS} concurrent clients, medians of ${ROUNDS} rounds of ${SECONDS} s per line; ${availableParallelism()} × ${cpus()[0]?.model}, load ${load}\n` +
      'CPU in µs, p50 and p99 in ms. Target: a p99 of 20 ms (100 ms for lines marked *).\n\n' +
      `| request | ${SIZES.map((size) => `${size.toLocaleString('en')}: CPU | p50 | p99`).join(' | ')} |\n` +
      `|---|${SIZES.map(() => '---:|---:|---:|').join('')}\n`,
  );
  for (const [name, figures] of rows)
    process.stdout.write(`| ${name} | ${figures.map(cellsOf).join(' | ')} |\n`);
} finally {
  agent.destroy();
  await service.remove();
}
