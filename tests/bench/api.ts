import { availableParallelism } from 'node:os';
import { startTestService, type TestService } from '../service/start-test-service.ts';

/** p50 and p99 over HTTP of what the dashboard's lists and details ask for, with 20 clients at once. */
const CLIENTS = 20;
const REQUESTS = 300;
const SIZES = [1_000, 100_000];
const STATES = ['pump', 'fan', 'boiler', 'meter'];

const fill = async (test: TestService, from: number, to: number): Promise<void> => {
  for (let start = from; start < to; start += 1_000) {
    const items = Array.from({ length: Math.min(1_000, to - start) }, (_, index) => {
      const number = start + index;
      return {
        externalId: `device-${number}`,
        name: `Device ${(number * 7_919) % 1_000_003}`,
        type: STATES[number % STATES.length],
        tags: { site: `site-${number % 50}` },
      };
    });
    await test.request('POST', '/v1/devices/batch', { body: { operation: 'upsert', items } });
  }
};

type Figures = { p50: number; p99: number };

const measure = async (test: TestService, path: (round: number) => string): Promise<Figures> => {
  const times: number[] = [];
  let next = 0;
  const client = async () => {
    while (next < REQUESTS) {
      const round = next++;
      const begun = performance.now();
      const { status } = await test.request('GET', path(round));
      times.push(performance.now() - begun);
      if (status !== 200) throw new Error(`${path(round)} answered ${status}.`);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(share * (times.length - 1))] ?? NaN;
  return { p50: at(0.5), p99: at(0.99) };
};

const test = await startTestService();
const cases: Record<string, (size: number) => Promise<(round: number) => string>> = {
  'list, first page': async () => () => '/v1/devices',
  'list, a page in the middle': async () => {
    let cursor = '';
    for (let page = 0; page < 3; page++)
      cursor = (await test.request('GET', `/v1/devices?limit=200${cursor === '' ? '' : `&cursor=${cursor}`}`))
        .body.nextCursor;
    return () => `/v1/devices?limit=200&cursor=${cursor}`.replace('limit=200', 'limit=50');
  },
  'list by last seen': async () => () => '/v1/devices?sort=-lastSeenAt',
  'list of one state': async () => () => '/v1/devices?state=never-seen',
  'list of one type': async () => () => '/v1/devices?type=pump',
  'list of one tag': async () => (round) => `/v1/devices?tag=site:site-${round % 50}`,
  'search, 4 characters': async () => (round) => `/v1/devices?q=${1_000 + (round % 9_000)}`,
  'search, 1 character': async () => (round) => `/v1/devices?q=${round % 10}`,
  'list with total': async () => () => '/v1/devices?total=true',
  'one device': async (size) => {
    const { body } = await test.request('GET', '/v1/devices?limit=200');
    const ids = body.data.map(({ id }: { id: string }) => id);
    return (round) => `/v1/devices/${ids[round % Math.min(size, ids.length)]}`;
  },
  overview: async () => () => '/v1/overview',
  events: async () => () => '/v1/events',
};

process.stdout.write(
  `${CLIENTS} clients at once, ${REQUESTS} requests each line; ${availableParallelism()} cores; ms\n\n`,
);
process.stdout.write(
  `| ${'what'.padEnd(28)} | ${SIZES.map((size) => `${size} devices: p50 | p99`).join(' | ')} |\n|---|${SIZES.map(() => '---|---|').join('')}\n`,
);
const rows = new Map<string, Figures[]>();
let filled = 0;
for (const size of SIZES) {
  await fill(test, filled, size);
  filled = size;
  for (const [name, path] of Object.entries(cases)) {
    const figures = await measure(test, await path(size));
    process.stderr.write(`${size} devices, ${name}: ${figures.p50.toFixed(1)} | ${figures.p99.toFixed(1)}\n`);
    rows.set(name, [...(rows.get(name) ?? []), figures]);
  }
}
for (const [name, figures] of rows)
  process.stdout.write(
    `| ${name.padEnd(28)} | ${figures.map(({ p50, p99 }) => `${p50.toFixed(1)} | ${p99.toFixed(1)}`).join(' | ')} |\n`,
  );
await test.close();
