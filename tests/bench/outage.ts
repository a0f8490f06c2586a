import { availableParallelism } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { startFaultyReceiver, type Misbehaviour } from '../service/faulty-receiver.ts';
import { startTestService } from '../service/start-test-service.ts';
import { percentile } from './data/percentile.ts';

/**
 * A destination that fails for a simulated day, once in each of several ways. 10 samples per second pass through the real
 * spool, the clock of the service advances as fast as they are accepted, and another pipeline keeps working. Then the
 * destination recovers. Prints lost, unordered and repeated samples, and how much faster than live the spool drains.
 */
const SECONDS = 86_400;
const DEVICES = 10;
/** Number of concurrent messages. */
const WINDOW = 200;
/** Simulated seconds between checks of the ledgers, and between messages of the other pipeline. */
const CHECK_EVERY_S = 600;

type Ledger = { received: number; delivered: number; pending: number; rejected: number };
const isBalanced = ({ received, delivered, pending, rejected }: Ledger): boolean =>
  received === delivered + pending + rejected;

const runDay = async (how: Misbehaviour): Promise<void> => {
  let clockMs = Date.now();
  const receiver = await startFaultyReceiver();
  const service = await startTestService({
    env: { ALLOWED_NETWORKS: '127.0.0.0/8' },
    now: () => clockMs,
    timeouts: { deliverMs: 1_000 },
  });
  const { secret: token } = await service.mintKey(['pipelines:read', 'pipelines:write', 'telemetry:write']);
  const ask = (method: string, path: string, body?: unknown) =>
    service.request(method, path, { body, token });
  const { body: destination } = await ask('POST', '/v1/destinations', {
    name: 'Fails for a day',
    type: 'webhook',
    url: receiver.url,
  });
  const create = async (name: string, to: string): Promise<string> =>
    (await ask('POST', '/v1/pipelines', { name, type: 'http', interval: 10, destination: to })).body.id;
  const id = await create('Live', destination.name);
  const otherId = await create('Beside', 'telemetry');
  const ledgerOf = async (pipeline: string): Promise<Ledger> =>
    (await ask('GET', `/v1/pipelines/${pipeline}`)).body.ledger;
  const { pipelines } = service.service.parts;
  const send = (pipeline: string, body: unknown) =>
    pipelines.receive(
      pipeline,
      { bytes: Buffer.from(JSON.stringify(body)), topic: null, device: undefined },
      { actor: null, devices: null },
    );

  let unbalanced = 0;
  const waits: number[] = [];
  const checkLedgers = async (second: number) => {
    const begun = performance.now();
    await send(otherId, { samples: [{ device: 'beside', ts: clockMs, values: { second } }] });
    waits.push(performance.now() - begun);
    if (!isBalanced(await ledgerOf(id)) || !isBalanced(await ledgerOf(otherId))) unbalanced += 1;
  };

  receiver.how = how;
  const begun = performance.now();
  const underWay = new Set<Promise<unknown>>();
  for (let second = 0; second < SECONDS; second += 1) {
    clockMs += 1_000;
    const samples = Array.from({ length: DEVICES }, (_, n) => ({
      device: `device-${n}`,
      ts: clockMs,
      values: { second },
    }));
    const sent = send(id, { samples }).finally(() => underWay.delete(sent));
    underWay.add(sent);
    if (underWay.size >= WINDOW) await Promise.race(underWay);
    if (second % CHECK_EVERY_S === 0) await checkLedgers(second);
    // The service checks for due retries about ten times a second, so the simulated day must leave it time to retry.
    if (second % 60 === 0) await wait(20);
  }
  await Promise.all(underWay);
  const tookS = (performance.now() - begun) / 1_000;
  const { spool, state } = (await ask('GET', `/v1/pipelines/${id}`)).body;
  const failed = receiver.connections;
  const early = receiver.samples.length;
  receiver.how = 'fine';
  clockMs += 60_000;
  const drainBegun = performance.now();
  while ((await ledgerOf(id)).pending > 0) {
    clockMs += 50;
    await wait(50);
    await checkLedgers(SECONDS);
  }
  const drainS = (performance.now() - drainBegun) / 1_000;

  const last = new Map<string, number>();
  let outOfOrder = 0;
  for (const { device, values } of receiver.samples) {
    const second = Number(values['second']);
    if (second !== (last.get(device) ?? -1) + 1) outOfOrder += 1;
    last.set(device, second);
  }
  const total = SECONDS * DEVICES;
  const lost = total - receiver.samples.length;
  const rate = total / drainS;
  process.stdout.write(
    `| ${how} | ${state} | ${failed} | ${early} | ${(spool.bytes / 1_048_576).toFixed(0)} | ${lost} | ${outOfOrder} | ${receiver.repeats} | ${unbalanced} | ${percentile(waits, 0.5).toFixed(1)} | ${percentile(waits, 0.99).toFixed(1)} | ${tookS.toFixed(0)} | ${drainS.toFixed(1)} | ${(rate / DEVICES).toFixed(0)} × |\n`,
  );
  await service.close();
  await receiver.close();
};

process.stdout.write(
  `${SECONDS} s of ${DEVICES} samples a second; ${availableParallelism()} cores\n\n` +
    '| destination | pipeline | failed attempts | delivered before recovery | spool MiB | lost | out of order | repeated | ledger off | other pipeline: ms p50 | p99 | the day took s | drained in s | of the live rate |\n' +
    '|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n',
);
for (const how of ['refuses', 'hangs', 'resets', 'errs', 'drips', 'sips'] as const) await runDay(how);
