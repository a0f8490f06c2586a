import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readArrivals } from './arrivals.ts';
import { compareArrivals, type Comparison } from './compare-arrivals.ts';
import { deliveriesUnderWay } from './deliveries-under-way.ts';
import { startKillParts, type KillParts } from './kill-parts.ts';
import { lockDatabase } from './lock-database.ts';
import { planKills, type Kill, type PartName } from './kill-plan.ts';
import { startClient } from './start-client.ts';
import { watchLedgers, type LedgerWatch } from './watch-ledgers.ts';
import { routes, type Route } from './routes.ts';

export type Outcome = Comparison & {
  readonly route: Route;
  readonly checks: number;
  readonly unbalanced: number;
  readonly rejected: number;
  /** A description of each error. */
  readonly faults: readonly string[];
};

type Print = (line: string) => void;

const MOMENT_WITHIN_MS = 4_000;
/** The run gives up if nothing arrives for this long although all parts are up. Longer than the longest retry delay. */
const STILL_FOR_MS = 120_000;

const ms = (value: number): string => `${Math.round(value).toLocaleString('en')} ms`;

const isOf = (part: PartName, { source, to }: Route): boolean =>
  part === 'service' ||
  (part === 'broker' ? source === 'nats' : to === (part === 'influxd' ? 'influxdb' : part));

/** Resolves with a route that is delivering samples while others wait. */
const whileDelivering = async (
  watch: LedgerWatch,
  parts: readonly PartName[],
): Promise<string | undefined> => {
  const affected = routes.filter((route) => parts.some((part) => isOf(part, route)));
  for (const until = performance.now() + MOMENT_WITHIN_MS; performance.now() < until;) {
    const before = new Map(affected.map(({ name }) => [name, watch.ledgerOf(name)?.delivered ?? 0]));
    await watch.check();
    for (const { name } of affected) {
      const ledger = watch.ledgerOf(name);
      if (ledger !== undefined && ledger.pending > 0 && ledger.delivered > (before.get(name) ?? 0))
        return `${name}, ${ledger.pending} pending`;
    }
  }
  return undefined;
};

const createKiller = (parts: KillParts, watch: LedgerWatch, client: ReturnType<typeof startClient>) => {
  const { killable, service } = parts;
  let startMs = 1_000;

  /** Returns the time from the end of a part until it answers again. */
  const restart = async (part: PartName, downMs: number): Promise<number> => {
    const from = performance.now();
    await delay(downMs);
    const startedAt = performance.now();
    await killable[part].start();
    if (part === 'service') startMs = performance.now() - startedAt;
    return performance.now() - from;
  };

  return async ({
    parts: names,
    moment,
    pauseMs,
    aimMs,
    answers,
    lockMs,
    downMs,
    startShare,
  }: Kill): Promise<string> => {
    await delay(pauseMs);
    const words: string[] = [];
    if (moment === 'delivering') {
      const what = await whileDelivering(watch, names);
      words.push(what === undefined ? 'while nothing was delivered' : `while delivering (${what})`);
      await delay(aimMs);
    }
    const isLocked = moment === 'committing' || moment === 'rejecting';
    const lock = isLocked ? lockDatabase(service.dataDir) : undefined;
    if (moment === 'hanging') {
      parts.signalDestinations('SIGSTOP');
      await delay(lockMs);
      words.push(`after destinations hung for ${ms(lockMs)}`);
    }
    if (lock !== undefined) {
      await delay(lockMs);
      words.push(`after ${ms(lockMs)} without a commit`);
    }
    if (moment === 'answering') {
      await service.endBy((pid) => client.killAtAnswer(pid, answers));
      words.push('at an acknowledgement');
    } else await Promise.all(names.map((name) => killable[name].kill()));
    lock?.unlock();
    if (moment === 'hanging') parts.signalDestinations('SIGCONT');
    if (names.includes('service')) words.push(`${deliveriesUnderWay(service.dataDir)} deliveries under way`);
    if (moment === 'starting') {
      service.launch();
      const share = startShare * startMs * 1.3;
      await delay(share);
      await service.kill();
      words.push(`killed again ${ms(share)} into its start`);
    }
    const back = await Promise.all(
      names.map(async (name, i) => `${name} answered after ${ms(await restart(name, downMs[i] ?? 0))}`),
    );
    lock?.close();
    return `${names.join(' + ')}: ${[...words, ...back].join('; ')}`;
  };
};

/** Resolves when no sample is pending in the service or at the broker. After a timeout, returns what is still pending. */
const drained = async (parts: KillParts, watch: LedgerWatch): Promise<string | undefined> => {
  let [last, lastAt] = ['', performance.now()];
  for (;;) {
    const held = await parts.heldByBroker();
    const isSeen = await watch.check();
    const waiting = routes.map(({ name }) => `${name} ${watch.ledgerOf(name)?.pending}`).join(', ');
    const isDone = isSeen && held === 0 && routes.every(({ name }) => watch.ledgerOf(name)?.pending === 0);
    if (isDone) return undefined;
    const now = `${waiting}, broker ${held}`;
    if (now !== last) [last, lastAt] = [now, performance.now()];
    if (performance.now() - lastAt > STILL_FOR_MS) return now;
    await delay(50);
  }
};

const some = (items: readonly unknown[]): string => JSON.stringify(items.slice(0, 5));

const faultsOf = (
  { lost, duplicated, neverSent }: Comparison,
  { unbalanced, rejected, pending }: { unbalanced: number; rejected: number; pending: number },
): string[] => [
  ...(lost.length > 0 ? [`lost ${lost.length}, such as ${some(lost)}`] : []),
  ...(duplicated.length > 0 ? [`${duplicated.length} duplicated, such as ${some(duplicated)}`] : []),
  ...(neverSent.length > 0 ? [`${neverSent.length} that were never sent, such as ${some(neverSent)}`] : []),
  ...(unbalanced > 0 ? [`${unbalanced} checks with an unbalanced ledger`] : []),
  ...(rejected > 0 ? [`${rejected} rejected`] : []),
  ...(pending > 0 ? [`${pending} still pending`] : []),
];

/** Kills parts while a client sends, and compares what arrived with what was acknowledged. */
export const runKills = async ({
  times,
  seed,
  print,
}: {
  times: number;
  seed: number;
  print: Print;
}): Promise<{ outcomes: Outcome[]; hasPassed: boolean; keptAt: string | undefined }> => {
  const dir = mkdtempSync(join(tmpdir(), 'penstock-kill-'));
  const parts = await startKillParts(dir);
  const { service, broker, pipelines } = parts;
  const watch = watchLedgers(service);
  const client = startClient({
    url: service.url,
    token: service.token(),
    mqttPort: service.mqttPort,
    brokerUrl: broker.url,
    pipelines,
  });
  let hasPassed = false;
  try {
    const from = performance.now();
    const kill = createKiller(parts, watch, client);
    for (const [index, planned] of planKills(times, seed).entries()) {
      const line = await kill(planned);
      print(`#${index + 1} at ${((performance.now() - from) / 1_000).toFixed(1)} s: ${line}`);
    }
    const ledgers = await client.stop();
    print('Sending has stopped.');
    const still = await drained(parts, watch);
    await watch.stop();
    service.assertAlive();
    if (still !== undefined) print(`Still pending: ${still}`);
    for (const imbalance of watch.imbalances().slice(0, 10)) print(`Unbalanced: ${imbalance}`);
    const outcomes: Outcome[] = [];
    for (const route of routes) {
      const { name } = route;
      const compared = compareArrivals(name, ledgers[name], await readArrivals(parts, route));
      const { rejected = 0, pending = 0 } = watch.ledgerOf(name) ?? {};
      const counts = { ...watch.countsOf(name), rejected, pending };
      outcomes.push({ ...compared, ...counts, route, faults: faultsOf(compared, counts) });
    }
    for (const { route, faults } of outcomes) for (const fault of faults) print(`${route.name}: ${fault}`);
    hasPassed = still === undefined && outcomes.every(({ faults }) => faults.length === 0);
    return { outcomes, hasPassed, keptAt: hasPassed ? undefined : dir };
  } finally {
    client.kill();
    await watch.stop();
    await parts.close();
    if (hasPassed) rmSync(dir, { recursive: true, force: true });
  }
};

/** A Markdown row for each route. */
export const lossesTable = (outcomes: readonly Outcome[]): string => {
  const heads = [
    'route',
    'sent',
    'acknowledged',
    'delivered',
    'lost',
    'duplicated',
    'checks',
    'unbalanced checks',
  ];
  const rows = outcomes.map(
    ({ route, sent, acknowledged, delivered, lost, duplicated, checks, unbalanced }) =>
      [route.name, sent, acknowledged, delivered, lost.length, duplicated.length, checks, unbalanced].map(
        (cell) => (typeof cell === 'number' ? cell.toLocaleString('en') : cell),
      ),
  );
  const lines = [heads, heads.map((_, i) => (i === 0 ? '---' : '--:')), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
};
