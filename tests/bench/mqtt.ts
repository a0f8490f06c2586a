// QoS 1 messages per second through broker, mapping and store, compared with mosquitto: npm run bench -- mqtt
import { fork, type ChildProcess } from 'node:child_process';
import { availableParallelism, cpus } from 'node:os';
import { measureMapping, measureStore } from './mqtt-load/isolated-parts.ts';
import { runMeasuredService, type MeasuredService, type Stall } from './mqtt-load/measured-service.ts';
import { startBareBroker, startSubscriber, startTrivialSink } from './mqtt-load/mqtt-sinks.ts';
import { cpuSeconds, peakMebibytes } from './mqtt-load/process-figures.ts';
import { publishLoad, type Load, type LoadReport } from './mqtt-load/publish-load.ts';
import { startBenchMosquitto } from './mqtt-load/start-mosquitto.ts';

const CONNECTIONS = 20;
const DEVICES_PER_CONNECTION = 5;
const WINDOW = 100;
/** The target, and the rate of the paced runs, in messages per second. */
const PACE = 20_000;
const WARM_UP_MS = 3_000;
const MEASURED_MS = Number(process.env['MEASURED_MS'] ?? 10_000);
const HOUR_MS = 3_600_000;

/** The roles of the other processes, which also run this file. */
const roles: Record<string, () => Promise<void>> = {
  load: async () => {
    const load = await new Promise<Load>((resolve) => process.once('message', resolve));
    const report = await publishLoad(load, (isMeasuring) => process.send?.({ isMeasuring }));
    process.send?.({ report }, () => process.disconnect());
  },
  service: runMeasuredService,
  sink: async () => void process.send?.({ port: await startTrivialSink() }),
  broker: async () => void process.send?.({ port: await startBareBroker() }),
  subscriber: async () => {
    const port = await new Promise<number>((resolve) => process.once('message', resolve));
    const count = await startSubscriber(port);
    process.on('message', () => process.send?.({ count: count() }));
    process.send?.({});
  },
  mapping: async () => void process.send?.(measureMapping()),
  store: async () => void process.send?.(await measureStore()),
};

const next = <T>(child: ChildProcess): Promise<T> =>
  new Promise((resolve, reject) => {
    const onExit = () => reject(new Error('A process of the measurement ended.'));
    child.once('exit', onExit);
    child.once('message', (message) => {
      child.off('exit', onExit);
      resolve(message as T);
    });
  });

const start = (role: string, execArgv: string[] = []): ChildProcess =>
  fork(import.meta.filename, [role], { execArgv: [...process.execArgv, ...execArgv] });

const exited = (child: ChildProcess): Promise<unknown> =>
  new Promise((resolve) => child.once('exit', resolve));

type Run = LoadReport & { cpuMain: number; cpuAll: number };

/** Runs the load against a port, and measures the CPU time of the process `pid` meanwhile. */
const runLoad = async (
  target: { port: number; pid: number; login?: Load['login'] },
  { values, pace }: { values: number; pace?: number | undefined },
  onBegun: () => void = () => undefined,
): Promise<Run> => {
  const child = start('load');
  const now = () => ({ at: performance.now(), ...cpuSeconds(target.pid) });
  let [before, after] = [now(), now()];
  const report = new Promise<LoadReport>((resolve, reject) => {
    child.once('exit', () => reject(new Error('The load ended too soon.')));
    child.on('message', (message: { isMeasuring: boolean } | { report: LoadReport }) => {
      if ('report' in message) resolve(message.report);
      else if (message.isMeasuring) {
        before = now();
        onBegun();
      } else after = now();
    });
  });
  child.send({
    port: target.port,
    login: target.login,
    connections: CONNECTIONS,
    devicesPerConnection: DEVICES_PER_CONNECTION,
    window: WINDOW,
    values,
    pace,
    firstTs: Date.now() - HOUR_MS,
    warmUpMs: WARM_UP_MS,
    measuredMs: MEASURED_MS,
  } satisfies Load);
  const result = await report;
  const seconds = (after.at - before.at) / 1_000;
  return {
    ...result,
    cpuMain: (after.main - before.main) / seconds,
    cpuAll: (after.all - before.all) / seconds,
  };
};

const percent = (part: number): string => `${(100 * part).toFixed(0)} %`;
const whole = (number: number): string => Math.round(number).toLocaleString('en');
const microseconds = (cpu: number, perSecond: number): string => ((1e6 * cpu) / perSecond).toFixed(1);
const print = (...cells: (string | number)[]) => process.stdout.write(`| ${cells.join(' | ')} |\n`);

const runMosquitto = async (values: number): Promise<Run | undefined> => {
  const mosquitto = await startBenchMosquitto();
  if (mosquitto === undefined) return undefined;
  const subscriber = start('subscriber');
  subscriber.send(mosquitto.port);
  await next(subscriber);
  const run = await runLoad(mosquitto, { values });
  // mosquitto may still hold acknowledged messages. The final count shows whether it lost any.
  let came = -1;
  for (;;) {
    subscriber.send('count');
    const { count } = await next<{ count: number }>(subscriber);
    if (count === came) break;
    came = count;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  print(
    'mosquitto (memory)',
    values,
    whole(run.perSecond),
    '',
    run.p50Ms.toFixed(1),
    run.p99Ms.toFixed(1),
    run.mostMs.toFixed(0),
    run.acknowledged - came,
    percent(run.cpuMain),
    percent(run.cpuAll),
    whole(run.perSecond / run.cpuAll),
    peakMebibytes(mosquitto.pid).toFixed(0),
    '',
    percent(run.cpu),
  );
  subscriber.kill();
  await mosquitto.close();
  return run;
};

const runService = async (
  values: number,
  { limit, pace }: { limit?: Run | undefined; pace?: number },
): Promise<void> => {
  const profile = process.env['CPU_PROFILE_DIR'];
  const child = start(
    'service',
    profile === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', `${profile}/${values}`],
  );
  const { url, token, mqttPort } = await next<MeasuredService>(child);
  // oxlint-disable-next-line typescript/no-explicit-any
  const call = async (path: string, body?: unknown): Promise<any> => {
    const answer = await fetch(`${url}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  const { id } = await call('/v1/pipelines', {
    name: 'Bench',
    type: 'mqtt',
    interval: 10,
    destination: 'telemetry',
  });
  const { secret } = await call('/v1/api-keys', { name: 'Bench', scopes: ['telemetry:write'] });
  const firstTs = Date.now() - 2 * HOUR_MS;
  let unbalanced = 0;
  const checkLedger = async () => {
    const { ledger } = await call(`/v1/pipelines/${id}`);
    if (ledger.received !== ledger.delivered + ledger.pending + ledger.rejected) unbalanced += 1;
  };
  const checks = setInterval(() => void checkLedger(), 500);
  const run = await runLoad(
    { port: mqttPort, pid: child.pid ?? 0, login: { username: 'bench', password: secret } },
    { values, pace },
    () => child.send('reset'),
  );
  clearInterval(checks);
  child.send('stall');
  const { longestMs } = await next<Stall>(child);
  const devices = Object.keys(run.ofDevice);
  let stored = 0;
  for (const device of devices) {
    const { series } = await call('/v1/telemetry/query', {
      devices: [device],
      from: String(firstTs),
      to: 'now',
      points: 1,
      agg: ['count'],
    });
    for (const { count = [], value = [] } of series)
      stored +=
        count.length === 0 ? value.length : count.reduce((sum: number, each: number) => sum + each, 0);
  }
  const { ledger } = await call(`/v1/pipelines/${id}`);
  const counted = run.acknowledged * values;
  if (unbalanced > 0 || ledger.received !== counted || ledger.delivered !== counted)
    process.stdout.write(
      `The ledger says ${JSON.stringify(ledger)} instead of ${counted} values, and was unbalanced ${unbalanced} times.\n`,
    );
  print(
    pace === undefined ? 'Penstock (on disk)' : `Penstock at ${whole(pace)}/s`,
    values,
    whole(run.perSecond),
    limit === undefined ? '' : (run.perSecond / limit.perSecond).toFixed(2),
    run.p50Ms.toFixed(1),
    run.p99Ms.toFixed(1),
    run.mostMs.toFixed(0),
    counted - stored,
    percent(run.cpuMain),
    percent(run.cpuAll),
    whole(run.perSecond / run.cpuAll),
    peakMebibytes(child.pid ?? 0).toFixed(0),
    longestMs.toFixed(0),
    percent(run.cpu),
  );
  child.send('close');
  await exited(child);
};

const runSink = async (role: 'sink' | 'broker', name: string): Promise<void> => {
  for (const values of [1, 10]) {
    const child = start(role);
    const { port } = await next<{ port: number }>(child);
    const run = await runLoad({ port, pid: child.pid ?? 0 }, { values });
    print(name, values, whole(run.perSecond), microseconds(run.cpuAll, run.perSecond), percent(run.cpu));
    child.kill();
    await exited(child);
  }
};

const runBench = async (): Promise<void> => {
  /** `whole`, `service` (whole without mosquitto) or `parts`. Defaults to whole and parts. */
  const only = process.argv[3];
  process.stdout.write(
    `${CONNECTIONS} connections, ${DEVICES_PER_CONNECTION} devices each, ${WINDOW} messages of each in flight; ` +
      `${MEASURED_MS / 1_000} s after ${WARM_UP_MS / 1_000} s of warm-up; ${availableParallelism()} × ${cpus()[0]?.model}\n\n`,
  );
  if (only !== 'parts') {
    print(
      'what',
      'values in a message',
      'messages/s',
      'of mosquitto',
      'PUBACK ms p50',
      'p99',
      'most',
      'values lost',
      'CPU: main thread',
      'all threads',
      'messages/s for one core of CPU',
      'RSS MiB',
      'longest stall ms',
      'CPU of the client',
    );
    print(...Array.from({ length: 14 }, () => '---'));
    for (const values of [1, 10])
      await runService(values, { limit: only === 'service' ? undefined : await runMosquitto(values) });
    for (const values of [1, 10]) await runService(values, { pace: PACE });
  }
  if (only === undefined || only === 'parts') {
    process.stdout.write('\n');
    print('part alone', 'values in a message', 'messages/s', 'CPU µs a message', 'CPU of the client');
    print(...Array.from({ length: 5 }, () => '---'));
    await runSink('sink', 'client, against a sink that only acknowledges');
    await runSink('broker', 'broker: the protocol alone');
    for (const role of ['mapping', 'store'] as const) {
      const child = start(role);
      const figures = await next<Record<string, { perSecond: number; cpu: number }>>(child);
      for (const [values, { perSecond, cpu }] of Object.entries(figures))
        print(
          role === 'mapping' ? 'mapping: message to samples' : 'store: writes of 500 messages',
          values,
          whole(perSecond),
          microseconds(cpu, perSecond),
          '',
        );
      child.kill();
      await exited(child);
    }
  }
};

const role = process.send === undefined ? undefined : process.argv[2];
await (role === undefined ? runBench() : roles[role]?.());
