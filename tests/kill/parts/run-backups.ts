import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Ledger } from '#contract/pipeline-state.ts';
import { LAUNCH } from '#tests/service/built-service.ts';
import { runProgram } from '#tests/service/run-program.ts';
import { readFiles } from './arrivals.ts';
import { compareArrivals } from './compare-arrivals.ts';
import { startHttpSender } from './http-sender.ts';
import { startKillableService, type KillableService } from './killable-service.ts';
import { startMqttSender } from './mqtt-sender.ts';
import { METRIC, type Reading } from './readings.ts';
import { seededRandom } from './seeded-random.ts';
import { createSentLedger, type Sender, type SentLedger, type SentSummary } from './sent-ledger.ts';

type Print = (line: string) => void;

const FIRST_PAUSE_MS = 2_000;
const PAUSE_WITHIN_MS = 6_000;
const DELIVERED_WITHIN_MS = 60_000;

/**
 * The pipeline whose samples wait in the spool: where its destination would create a folder, the original service has a file.
 * Only restored services, which have no such file, deliver them.
 */
const FILE = 'backup-file';
const pipelines = [
  { name: 'backup-http', type: 'http', destination: 'telemetry' },
  { name: 'backup-mqtt', type: 'mqtt', destination: 'telemetry' },
  { name: FILE, type: 'http', destination: FILE },
] as const;
/** Each sends to the pipeline of its name without the number. */
const routeNames = ['backup-http-1', 'backup-http-2', 'backup-mqtt-1', 'backup-mqtt-2', FILE];

type Route = { name: string; ledger: SentLedger; sender: Sender };
type Listed = { name: string; ledger: Ledger };

const create = async (service: KillableService, path: string, body: object): Promise<string> => {
  const answer = await service.call('POST', path, body);
  if (answer.status !== 201) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
  return (answer.body as { id: string }).id;
};

/** Creates the pipelines, and sends values to all of them. */
const startRoutes = async (service: KillableService): Promise<Route[]> => {
  mkdirSync(join(service.dataDir, 'exports'), { recursive: true });
  writeFileSync(join(service.dataDir, 'exports', FILE), '');
  await create(service, '/v1/destinations', { name: FILE, type: 'file', options: { folder: FILE } });
  const idOf = new Map<string, string>();
  for (const pipeline of pipelines)
    idOf.set(pipeline.name, await create(service, '/v1/pipelines', { ...pipeline, interval: 1 }));
  return routeNames.map((name) => {
    const ledger = createSentLedger();
    const to = { route: name, ledger, token: service.token() };
    const pipeline = name.replace(/-\d$/, '');
    const url = `${service.url}/v1/pipelines/${idOf.get(pipeline)}/messages`;
    const sender =
      pipeline === 'backup-mqtt'
        ? startMqttSender({ ...to, url: `mqtt://127.0.0.1:${service.mqttPort}` })
        : startHttpSender({ ...to, url, isSentOnce: false });
    return { name, ledger, sender };
  });
};

/** Runs a command of Penstock, which must succeed. */
const runCommand = async (command: string, file: string, dataDir: string): Promise<void> => {
  const { code, stdout, stderr } = await runProgram([LAUNCH, command, file], { DATA_DIR: dataDir }).ended;
  if (code !== 0) throw new Error(`penstock ${command} ended with ${code}:\n${stdout}${stderr}`);
};

type Exported = { externalId: string; time: string; value: number };

/** Samples that are in the store before the first backup, so that copies take a while. */
const FILLER = {
  device: 'filler',
  metric: 'x',
  count: 2_000_000,
  perWrite: 5_000,
  fromMs: 1_600_000_000_000,
};

const fill = async (service: KillableService): Promise<void> => {
  const { device, metric, count, perWrite, fromMs } = FILLER;
  for (let first = 0; first < count; first += perWrite) {
    const samples = Array.from({ length: perWrite }, (_, index) => ({
      device,
      ts: fromMs + (first + index) * 100,
      values: { [metric]: (first + index) % 977 },
    }));
    const { status, body } = await service.call('POST', '/v1/telemetry', { samples });
    if (status !== 200) throw new Error(JSON.stringify(body));
  }
};

/** How many of the first samples a service has. */
const countFiller = async (service: KillableService): Promise<number> => {
  const { device, metric, count, fromMs } = FILLER;
  const { body } = await service.call('POST', '/v1/telemetry/query', {
    devices: [device],
    metrics: [metric],
    from: fromMs,
    to: fromMs + count * 100,
    points: 1,
    agg: ['count'],
  });
  const { series } = body as { series: { count: number[] }[] };
  return (series[0]?.count ?? []).reduce((sum, each) => sum + each, 0);
};

/** All values of the routes in the store of a service. */
const readStored = async (service: KillableService): Promise<Reading[]> => {
  const response = await fetch(
    `${service.url}/v1/telemetry/export?format=ndjson&metric=${METRIC}&from=0&to=now`,
    {
      headers: { authorization: `Bearer ${service.token()}` },
    },
  );
  const text = await response.text();
  if (response.status !== 200) throw new Error(text);
  // The last line says that the export is complete.
  return text
    .trimEnd()
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Exported)
    .map(({ externalId, time, value }) => ({ device: externalId, ts: Date.parse(time), value }));
};

const readLedgers = async (service: KillableService): Promise<Listed[]> =>
  ((await service.call('GET', '/v1/pipelines?limit=100')).body as { data: Listed[] }).data;

/** The ledgers once nothing waits in the spool. */
const readSettledLedgers = async (service: KillableService): Promise<Listed[]> => {
  const until = performance.now() + DELIVERED_WITHIN_MS;
  for (;;) {
    const ledgers = await readLedgers(service);
    if (ledgers.every(({ ledger }) => ledger.pending === 0) || performance.now() > until) return ledgers;
    await delay(50);
  }
};

/** What was sent and acknowledged, by route. */
type Summaries = ReadonlyMap<string, SentSummary>;

/** A sentence for each kind of difference between the samples of a route and those that it should have. */
const differences = (name: string, sent: SentSummary, arrivals: readonly Reading[]): string[] => {
  const { lost, duplicated, neverSent } = compareArrivals(name, sent, arrivals);
  return [
    ...(lost.length > 0 ? [`${name}: ${lost.length} samples are missing.`] : []),
    ...(duplicated.length > 0 ? [`${name}: ${duplicated.length} samples are there twice.`] : []),
    ...(neverSent.length > 0 ? [`${name}: ${neverSent.length} samples were never sent.`] : []),
  ];
};

/**
 * Compares the store and the ledgers of a restored service with what was sent `before` the backup began and `after` it
 * ended. Prints the figures.
 */
const compareRestored = async (
  service: KillableService,
  { before, after }: { before: Summaries; after: Summaries },
  print: Print,
): Promise<string[]> => {
  const ledgers = await readSettledLedgers(service);
  const found = [...(await readStored(service)), ...readFiles(service.dataDir, FILE)];
  const faults: string[] = [];
  const filler = await countFiller(service);
  if (filler !== FILLER.count) faults.push(`${filler} instead of ${FILLER.count} samples of the filler.`);
  for (const name of routeNames) {
    const [{ acknowledged }, { sent }] = [before.get(name)!, after.get(name)!];
    const arrivals = found.filter(({ device }) => device.startsWith(name));
    print(`  ${name}: ${acknowledged.length} acknowledged before, ${arrivals.length} found, ${sent} sent`);
    faults.push(...differences(name, { sent, acknowledged }, arrivals));
  }
  for (const { name, ledger } of ledgers) {
    const { received, delivered, pending, rejected, skipped } = ledger;
    const routes = routeNames.filter((route) => route.startsWith(name));
    const acknowledged = routes.flatMap((route) => before.get(route)!.acknowledged).length;
    print(`  ledger of ${name}: ${received} received, ${delivered} delivered, ${rejected} rejected`);
    if (received !== delivered + pending + rejected + skipped)
      faults.push(`${name}: the ledger is not balanced: ${JSON.stringify(ledger)}`);
    if (pending > 0) faults.push(`${name}: ${pending} samples are still in the spool.`);
    if (received < acknowledged) faults.push(`${name}: ${received} received, ${acknowledged} acknowledged.`);
    const here = found.filter(({ device }) => device.startsWith(name)).length;
    if (delivered > here) faults.push(`${name}: ${delivered} delivered, but ${here} found.`);
  }
  if (ledgers.length !== pipelines.length) faults.push(`${ledgers.length} pipelines were restored.`);
  return faults;
};

type BackupOptions = { times: number; seed: number; print: Print };

/** Takes and restores backups under load. Returns a sentence for each difference. */
export const runBackups = async ({ times, seed, print }: BackupOptions): Promise<string[]> => {
  const random = seededRandom(seed);
  const folder = mkdtempSync(join(tmpdir(), 'penstock-kill-backup-'));
  const service = await startKillableService(mkdirSync(join(folder, 'original'), { recursive: true })!);
  const stop = (each: KillableService) => each.endBy((pid) => void process.kill(pid, 'SIGTERM'));
  const faults: string[] = [];
  try {
    await fill(service);
    const routes = await startRoutes(service);
    const summaries = () => new Map(routes.map(({ name, ledger }) => [name, ledger.summary()]));
    for (let number = 1; number <= times && faults.length === 0; number += 1) {
      await delay(FIRST_PAUSE_MS + random() * PAUSE_WITHIN_MS);
      const file = join(folder, `${number}.tar`);
      const restoredTo = join(folder, `restored-${number}`);
      const [before, startedAt] = [summaries(), performance.now()];
      await runCommand('backup', file, service.dataDir);
      const [after, tookMs] = [summaries(), performance.now() - startedAt];
      print(`backup ${number}: ${statSync(file).size} bytes in ${Math.round(tookMs)} ms`);
      await runCommand('verify', file, service.dataDir);
      await runCommand('restore', file, join(restoredTo, 'data'));
      const restored = await startKillableService(restoredTo, service.token());
      faults.push(...(await compareRestored(restored, { before, after }, print)));
      await stop(restored);
    }
    await Promise.all(routes.map(({ sender }) => sender.stop()));
    return faults;
  } finally {
    await stop(service);
    rmSync(folder, { recursive: true, force: true });
  }
};
