import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { jetstreamManager } from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import { startInfluxd } from '../../service/influxd.ts';
import { startPostgres } from '../../service/start-postgres.ts';
import type { PartName } from './kill-plan.ts';
import { startKillableNats } from './killable-nats.ts';
import { startKillableService } from './killable-service.ts';
import { freePort } from '../../service/free-port.ts';
import { subjectOf, tableOf, routes, type Route, type RouteName } from './routes.ts';

const DATABASE = 'plant';
const SOURCE_STREAM = 'PLANT';
export const SINK_STREAM = 'SINK';
const DAY_MS = 86_400_000;
/** The redelivery timeout for messages left unacknowledged by a kill, instead of a minute. */
const ACKNOWLEDGE_WITHIN_MS = 5_000;
const BATCH = 25;
const START_WITHIN_MS = 60_000;

type Killable = { kill(): Promise<void>; start(): Promise<void> };

/** PostgreSQL does not start while a child process of the killed server still runs. */
const startAgain = async (start: () => Promise<void>): Promise<void> => {
  for (const until = performance.now() + START_WITHIN_MS; ;)
    try {
      return await start();
    } catch (error) {
      if (performance.now() > until) throw error;
      await delay(50);
    }
};

/** All parts of a run, with a pipeline for each route. */
export const startKillParts = async (dir: string) => {
  mkdirSync(dir, { recursive: true });
  const broker = await startKillableNats(join(dir, 'broker'));
  const nats = await startKillableNats(join(dir, 'nats'));
  const influxd = await startInfluxd({ port: await freePort(), backupPort: await freePort() });
  const postgres = await startPostgres({ port: await freePort() });
  const service = await startKillableService(dir);

  await influxd.query(`create database ${DATABASE}`);
  await broker.ask(async (connection) => {
    const { streams } = await jetstreamManager(connection);
    await streams.add({ name: SOURCE_STREAM, subjects: [subjectOf('*')] });
  });
  await nats.ask(async (connection) => {
    const { streams } = await jetstreamManager(connection);
    // Longer than any run, so that JetStream recognises every repeated delivery.
    await streams.add({ name: SINK_STREAM, subjects: ['sink.>'], duplicate_window: nanos(DAY_MS) });
  });

  const create = async (path: string, body: unknown): Promise<string> => {
    const { status, body: made } = await service.call('POST', path, body);
    if (status !== 201) throw new Error(`${path} was answered ${status}: ${JSON.stringify(made)}`);
    return (made as { id: string }).id;
  };
  const destinationOf = (name: string): Record<Route['to'], object> => ({
    influxdb: {
      url: influxd.url,
      options: { database: DATABASE, username: 'owner', password: influxd.password, batchSize: BATCH },
    },
    postgres: { url: postgres.url, options: { table: tableOf(name), batchSize: BATCH } },
    nats: { url: nats.url, options: { subject: 'sink.{device}', batchSize: BATCH } },
    file: { options: { folder: name, batchSize: BATCH } },
  });
  const sourceOf = { nats: { url: broker.url, subject: subjectOf('*') }, http: {}, mqtt: {} };
  const made: [RouteName, string][] = [];
  for (const { name, source, to } of routes) {
    await create('/v1/destinations', { name, type: to, ...destinationOf(name)[to] });
    const pipeline = { name, type: source, interval: 1, destination: name, config: sourceOf[source] };
    made.push([name, await create('/v1/pipelines', pipeline)]);
  }
  const pipelines = Object.fromEntries(made) as Record<RouteName, string>;

  const consumer = `penstock-${pipelines['nats-influxdb']}`;
  const askBroker = <T>(
    work: (manager: Awaited<ReturnType<typeof jetstreamManager>>) => Promise<T>,
  ): Promise<T> => broker.ask(async (connection) => work(await jetstreamManager(connection)));
  const findConsumer = () =>
    askBroker(({ consumers }) => consumers.info(SOURCE_STREAM, consumer)).catch(() => undefined);
  while ((await findConsumer()) === undefined) await delay(20);
  await askBroker(({ consumers }) =>
    consumers.update(SOURCE_STREAM, consumer, { ack_wait: nanos(ACKNOWLEDGE_WITHIN_MS) }),
  );

  const killable: Record<PartName, Killable> = {
    service,
    broker,
    nats,
    influxd: { kill: influxd.stop, start: influxd.start },
    postgres: { kill: postgres.kill, start: () => startAgain(postgres.start) },
  };
  return {
    /** Suspends or resumes every destination. */
    signalDestinations: (signal: 'SIGSTOP' | 'SIGCONT') => {
      for (const destination of [nats, influxd, postgres]) destination.signal(signal);
    },
    service,
    broker,
    nats,
    influxd,
    postgres,
    killable,
    pipelines,
    database: DATABASE,
    /** The number of messages that the service has not acknowledged to the broker. NaN if the broker does not answer. */
    heldByBroker: async (): Promise<number> => {
      const info = await findConsumer();
      return info === undefined ? Number.NaN : info.num_pending + info.num_ack_pending;
    },
    /** Calls `work` with a manager of the JetStream of the broker. */
    askBroker,
    sourceStream: SOURCE_STREAM,
    close: async () => {
      for (const part of [service, broker, nats]) await part.kill().catch(() => undefined);
      await influxd.close();
      await postgres.kill();
      await postgres.close();
    },
  };
};
export type KillParts = Awaited<ReturnType<typeof startKillParts>>;
