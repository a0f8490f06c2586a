import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Ledger } from '#contract/pipeline-state.ts';
import type { KillableService } from './killable-service.ts';
import { FILTER, FILTERED_TOPIC, startSoakLoad, type Expected } from './soak-load.ts';

type Print = (line: string) => void;
type Plan = { minutes: number; rate: number; streams: number; print: Print };

const MAX_RSS_MEBIBYTES = 512;
/** The largest accepted ratio of the mean memory in the last quarter to that in the second. */
const MAX_GROWTH = 1.1;
const MEASURE_EVERY_MS = 5_000;
/** Timestamps start this long ago, so that none lies in the future. */
const BACKDATED_MS = 6 * 3_600_000;

const count = (value: number): string => value.toLocaleString('en');

const rssMebibytes = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;

const create = async (service: KillableService, more: object): Promise<void> => {
  const { status, body } = await service.call('POST', '/v1/pipelines', {
    type: 'mqtt',
    interval: 5,
    destination: 'telemetry',
    ...more,
  });
  if (status !== 201) throw new Error(JSON.stringify(body));
};

/** Opens a stream of all devices and counts its bytes. */
const openStream = (service: KillableService) => {
  let bytes = 0;
  const devices = Array.from({ length: 20 }, (_, index) => `device=soak-${index}`).join('&');
  const request = get(
    `${service.url}/v1/stream?${devices}`,
    { headers: { authorization: `Bearer ${service.token()}` } },
    (response) => response.on('data', (chunk: Buffer) => (bytes += chunk.length)),
  );
  let failure: string | undefined;
  request.on('error', (error) => (failure ??= error.message));
  return { bytes: () => bytes, failure: () => failure, close: () => request.destroy() };
};

const sumLedgers = async (service: KillableService): Promise<Ledger> => {
  const { body } = await service.call('GET', '/v1/pipelines?limit=100');
  const sum = { received: 0, delivered: 0, pending: 0, rejected: 0, skipped: 0, overwritten: 0 };
  for (const { ledger } of (body as { data: { ledger: Ledger }[] }).data)
    for (const part of Object.keys(sum) as (keyof Ledger)[]) sum[part] += ledger[part];
  return sum;
};

type Columns = { externalId: string; metric: string; count: number[]; sum: number[] };

const totalOf = (column: readonly number[]): number => column.reduce((sum, value) => sum + value, 0);

/** The number of samples in the query API, and each difference from the expected ones. */
const compareStored = async (
  service: KillableService,
  expected: Expected,
  firstTs: number,
): Promise<{ stored: number; faults: string[] }> => {
  let stored = 0;
  const faults: string[] = [];
  for (const [device, { timestamps, sumOfA }] of expected.ofDevice) {
    const { status, body } = await service.call('POST', '/v1/telemetry/query', {
      devices: [device],
      from: firstTs,
      to: firstTs + 2 * BACKDATED_MS,
      points: 1,
      agg: ['count', 'sum'],
    });
    if (status !== 200) throw new Error(JSON.stringify(body));
    const { series } = body as { series: Columns[] };
    for (const { metric, count: counts, sum } of series) {
      const found = totalOf(counts);
      stored += found;
      if (found !== timestamps) faults.push(`${device} ${metric}: ${found} samples instead of ${timestamps}`);
      if (metric === 'a' && totalOf(sum) !== sumOfA)
        faults.push(`${device} a: the sum is ${totalOf(sum)} instead of ${sumOfA}`);
    }
    if (series.length !== 2) faults.push(`${device} has ${series.length} metrics instead of 2`);
  }
  return { stored, faults };
};

const mean = (values: readonly number[]): number => totalOf(values) / values.length;

const memoryFaults = (memory: readonly number[]): string[] => {
  const most = Math.max(...memory);
  const quarter = Math.floor(memory.length / 4);
  const [early, late] = [mean(memory.slice(quarter, 2 * quarter)), mean(memory.slice(-quarter))];
  return [
    ...(most > MAX_RSS_MEBIBYTES ? [`RSS reached ${most.toFixed(0)} MiB.`] : []),
    ...(late > early * MAX_GROWTH
      ? [`RSS grows: ${early.toFixed(0)} MiB in the second quarter, ${late.toFixed(0)} MiB in the last.`]
      : []),
  ];
};

/** Runs the load and prints measurements. Returns a sentence for each failed expectation. */
export const runSoak = async (
  service: KillableService,
  { minutes, rate, streams: streamCount, print }: Plan,
): Promise<string[]> => {
  await create(service, { name: 'Soak' });
  await create(service, {
    name: 'Filtered',
    config: { topic: FILTERED_TOPIC },
    mapping: { format: 'expression', expression: FILTER },
  });
  const firstTs = Date.now() - BACKDATED_MS;
  const url = `mqtt://127.0.0.1:${service.mqttPort}`;
  const load = await startSoakLoad({ url, token: service.token(), rate }, firstTs);
  // A stream needs registered devices, and each registers with its first message.
  while (load.acknowledged() < 100) await delay(50);
  const streams = Array.from({ length: streamCount }, () => openStream(service));

  const memory: number[] = [];
  const began = performance.now();
  for (let minute = 1; performance.now() - began < minutes * 60_000;) {
    await delay(MEASURE_EVERY_MS);
    memory.push(rssMebibytes(service.pid()));
    if (performance.now() - began < minute * 60_000) continue;
    const most = Math.max(...memory.slice(-60_000 / MEASURE_EVERY_MS));
    print(
      `minute ${minute}: RSS ${memory.at(-1)?.toFixed(0)} MiB (most ${most.toFixed(0)}), ` +
        `${count(load.sent())} sent, ${count(load.acknowledged())} acknowledged`,
    );
    minute += 1;
  }
  const tookS = (performance.now() - began) / 1_000;
  const expected = await load.stop();
  const [sent, acknowledged] = [load.sent(), load.acknowledged()];
  const streamed = totalOf(streams.map(({ bytes }) => bytes()));
  const broken = streams.flatMap((stream) => stream.failure() ?? []);
  for (const stream of streams) stream.close();

  const ledger = await sumLedgers(service);
  const { stored, faults } = await compareStored(service, expected, firstTs);
  const { duplicates } = expected;
  print(`RSS: at most ${Math.max(...memory).toFixed(0)} MiB`);
  print(
    `messages: ${count(sent)} sent (${Math.round(sent / tookS)}/s), ${count(acknowledged)} acknowledged, ` +
      `${count(sent - acknowledged)} lost; streams: ${count(streamed)} bytes`,
  );
  print(
    `ledger: ${count(ledger.received)} received = ${count(stored)} stored + ${count(ledger.overwritten)} overwritten + ` +
      `${count(duplicates)} duplicates + ${count(ledger.rejected)} rejected + ${count(ledger.skipped)} skipped + ` +
      `${count(ledger.pending)} pending`,
  );
  const rest = ledger.overwritten + duplicates + ledger.rejected + ledger.skipped + ledger.pending;
  const compared: [string, number, number][] = [
    ['received', ledger.received, expected.received],
    ['rejected', ledger.rejected, expected.rejected],
    ['skipped', ledger.skipped, expected.skipped],
    ['overwritten', ledger.overwritten, expected.overwritten],
    ['stored and accounted for', stored + rest, ledger.received],
  ];
  return [
    ...faults,
    ...compared.flatMap(([name, is, should]) =>
      is === should ? [] : [`${name}: ${count(is)} instead of ${count(should)}`],
    ),
    ...(acknowledged < sent ? [`${count(sent - acknowledged)} messages were not acknowledged.`] : []),
    ...Array.from(load.failures, ([why, times]) => `${why} (${times} times)`),
    ...broken,
    ...memoryFaults(memory),
  ];
};
