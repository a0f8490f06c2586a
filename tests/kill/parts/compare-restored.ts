import { setTimeout as delay } from 'node:timers/promises';
import type { Ledger } from '#contract/pipeline-state.ts';
import { readFiles } from './arrivals.ts';
import { backupRoutes, hasPipeline, type BackupRoute, type ExpectedBackup } from './backup-load.ts';
import { compareArrivals, type Comparison } from './compare-arrivals.ts';
import { compareMetadata } from './compare-metadata.ts';
import type { KillableService } from './killable-service.ts';
import { listAll } from './list-all.ts';
import type { Reading } from './readings.ts';
import { countHistory, HISTORY_SAMPLES } from './stored-history.ts';
import { isBalanced } from './watch-ledgers.ts';

const DELIVERED_WITHIN_MS = 60_000;
const SHOWN = 5;

const count = (value: number): string => value.toLocaleString('en');
const some = (items: readonly unknown[]): string => JSON.stringify(items.slice(0, SHOWN)).slice(0, 300);

type ExportedRow = { externalId: string; metric: string; time: string; value: number | string };

const metricNames = new Set(backupRoutes.map(({ metric }) => metric));

/** All samples of the load in the built-in store, by route. */
const readStored = async (
  service: KillableService,
): Promise<{ of: Map<string, Reading[]>; rows: number; faults: string[] }> => {
  const of = new Map(backupRoutes.map(({ name }) => [name, [] as Reading[]]));
  const metrics = new Map(backupRoutes.map(({ name, metric }) => [name, metric]));
  const faults: string[] = [];
  let rows = 0;
  let end: number | undefined;
  const take = (line: string) => {
    if (line === '') return;
    const row = JSON.parse(line) as ExportedRow | { end: true; rows: number };
    if ('end' in row) {
      end = row.rows;
      return;
    }
    rows += 1;
    const name = row.externalId.replace(/-\d+$/, '');
    const readings = of.get(name);
    if (readings === undefined || metrics.get(name) !== row.metric) faults.push(`Never sent: ${line}`);
    else readings.push({ device: row.externalId, ts: Date.parse(row.time), value: row.value });
  };
  const selected = [...metricNames].map((metric) => `&metric=${metric}`).join('');
  const response = await fetch(`${service.url}/v1/telemetry/export?format=ndjson&from=0${selected}`, {
    headers: { authorization: `Bearer ${service.token()}` },
  });
  if (response.status !== 200 || response.body === null) throw new Error(await response.text());
  let rest = '';
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop()!;
    lines.forEach(take);
  }
  take(rest);
  if (end !== rows) faults.push(`The export has ${rows} rows, its last line says ${end}`);
  return { of, rows, faults };
};

type Pipeline = { name: string; ledger: Ledger };

const readLedgers = async (service: KillableService): Promise<Map<string, Ledger>> =>
  new Map((await listAll<Pipeline>(service, '/v1/pipelines')).map(({ name, ledger }) => [name, ledger]));

/** The ledgers after all samples of the spool are delivered. */
const readDrainedLedgers = async (service: KillableService): Promise<Map<string, Ledger>> => {
  const until = performance.now() + DELIVERED_WITHIN_MS;
  for (;;) {
    const ledgers = await readLedgers(service);
    if (performance.now() > until || ledgers.values().every(({ pending }) => pending === 0)) return ledgers;
    await delay(50);
  }
};

const comparisonFaults = ({ lost, duplicated, neverSent }: Comparison): string[] => [
  ...(lost.length > 0 ? [`${count(lost.length)} answered samples are missing, such as ${some(lost)}`] : []),
  ...(duplicated.length > 0
    ? [`${count(duplicated.length)} samples are there twice, such as ${some(duplicated)}`]
    : []),
  ...(neverSent.length > 0
    ? [
        `${count(neverSent.length)} samples were never sent before the backup ended, such as ${some(neverSent)}`,
      ]
    : []),
];

/**
 * The ledger must count every answered sample, and no sample that is not there. A store may hold more than the ledger counts:
 * those that were stored between the copies of both.
 */
const ledgerFaults = (
  { to }: BackupRoute,
  ledger: Ledger | undefined,
  acknowledged: number,
  found: number,
): string[] => {
  if (ledger === undefined) return ['the pipeline is missing'];
  const { received, delivered, pending, rejected } = ledger;
  return [
    ...(isBalanced(ledger) ? [] : [`the ledger does not balance: ${JSON.stringify(ledger)}`]),
    ...(pending > 0 ? [`${count(pending)} samples are still pending`] : []),
    ...(rejected > 0 ? [`${count(rejected)} samples are rejected`] : []),
    ...(received < acknowledged
      ? [`the ledger counts ${count(received)} samples, ${count(acknowledged)} were answered`]
      : []),
    ...(delivered > found || (to === 'file' && delivered < found)
      ? [`the ledger counts ${count(delivered)} delivered samples, ${count(found)} are there`]
      : []),
  ];
};

type RestoredData = {
  readonly answered: number;
  readonly found: number;
  /** Samples in the built-in store. */
  readonly stored: number;
  /** Samples that their ledger does not count yet. */
  readonly uncounted: number;
  /** Devices, pipelines and API keys. */
  readonly items: number;
  readonly faults: string[];
};

/**
 * Compares everything that a service has with what was answered and sent.
 * @param exports the data directory into which the service has delivered the samples of its spool; undefined: they wait
 */
export const compareRestored = async (
  service: KillableService,
  { samples, metadata }: ExpectedBackup,
  exports: string | undefined,
): Promise<RestoredData> => {
  const stored = await readStored(service);
  const { items, faults: metadataFaults } = await compareMetadata(service, metadata);
  const ledgers = await (exports === undefined ? readLedgers(service) : readDrainedLedgers(service));
  const history = await countHistory(service);
  const faults = [...stored.faults, ...metadataFaults];
  if (history !== HISTORY_SAMPLES)
    faults.push(`${count(history)} of ${count(HISTORY_SAMPLES)} samples of the history are there`);
  let [answered, found, uncounted] = [0, 0, 0];
  for (const route of backupRoutes) {
    const { name, to } = route;
    if (to === 'file' && exports === undefined) continue;
    const arrivals = to === 'file' ? readFiles(exports!, name) : stored.of.get(name)!;
    const comparison = compareArrivals(name, samples.get(name)!, arrivals);
    answered += comparison.acknowledged;
    found += arrivals.length;
    const ofRoute = comparisonFaults(comparison);
    if (comparison.acknowledged === 0) ofRoute.push('no sample was answered, so the run shows nothing');
    if (hasPipeline(route)) {
      const ledger = ledgers.get(name);
      ofRoute.push(...ledgerFaults(route, ledger, comparison.acknowledged, arrivals.length));
      uncounted += arrivals.length - (ledger?.delivered ?? 0);
    }
    faults.push(...ofRoute.map((fault) => `${name}: ${fault}`));
  }
  return { answered, found, uncounted, items, stored: stored.rows + history, faults };
};
