import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { countByState } from '../devices/device-store.ts';
import type { Db } from '../platform/storage/database.ts';
import type { DiskGuard } from '../platform/storage/disk-guard.ts';
import type { TelemetryStore } from '../telemetry/store/telemetry-store.ts';

export type MetricsDependencies = {
  db: Db;
  disk: Pick<DiskGuard, 'state' | 'freeBytes'>;
  telemetry: Pick<TelemetryStore, 'stats'>;
  version: string;
};

const DURATION_BUCKETS_S = [0.005, 0.02, 0.1, 0.5, 2, 10];
const LEDGER = ['received', 'delivered', 'rejected', 'skipped', 'overwritten'] as const;

/** The metrics of this process in the text format of Prometheus. Names and labels: docs/monitoring.md. */
export type PrometheusMetrics = {
  readonly contentType: string;
  countAccepted(samples: number): void;
  countNoValues(samples: number): void;
  /** Measures the requests of an application. */
  observe(app: FastifyInstance): void;
  /** Reads stored counts, and returns all metrics. */
  read(): Promise<string>;
};

/** Metrics that are read from a database: `read` sets them, `clear` removes them while it does not answer. */
type Reading = {
  readonly database: 'metadata' | 'telemetry';
  read(): Promise<void>;
  clear(): void;
};

const addDevices = (registry: Registry, db: Db): Reading => {
  const devices = new Gauge({
    name: 'penstock_devices',
    help: 'Number of devices.',
    labelNames: ['state'],
    registers: [registry],
  });
  return {
    database: 'metadata',
    read: async () => {
      for (const [state, count] of Object.entries(await countByState(db, null)))
        devices.set({ state }, count);
    },
    clear: () => devices.reset(),
  };
};

/** A pipeline is labelled with its ID, which stays the same when it is renamed. */
const addPipelines = (registry: Registry, db: Db): Reading => {
  const registers = [registry];
  const labelNames = ['pipeline'];
  const states = new Gauge({
    name: 'penstock_pipeline_state',
    help: '1 for the state of a pipeline.',
    labelNames: ['pipeline', 'name', 'state'],
    registers,
  });
  const samples = new Counter({
    name: 'penstock_pipeline_samples_total',
    help: 'Samples in the ledger of a pipeline, by outcome. `overwritten` is included in `delivered`.',
    labelNames: ['pipeline', 'outcome'],
    registers,
  });
  const pending = new Gauge({
    name: 'penstock_pipeline_pending_samples',
    help: 'Samples that wait for the destination of a pipeline.',
    labelNames,
    registers,
  });
  const spool = new Gauge({
    name: 'penstock_pipeline_spool_bytes',
    help: 'Size of the spool of a pipeline.',
    labelNames,
    registers,
  });
  const clear = () => {
    for (const metric of [states, samples, pending, spool]) metric.reset();
  };
  const read = async () => {
    const rows = await db
      .selectFrom('pipeline')
      .select(['id', 'name', 'state', 'pending', 'spool_bytes', ...LEDGER])
      .execute();
    // Deleted pipelines and former states go.
    clear();
    for (const row of rows) {
      const pipeline = row.id;
      states.set({ pipeline, name: row.name, state: row.state }, 1);
      for (const outcome of LEDGER) samples.inc({ pipeline, outcome }, Number(row[outcome]));
      pending.set({ pipeline }, Number(row.pending));
      spool.set({ pipeline }, Number(row.spool_bytes));
    }
  };
  return { database: 'metadata', read, clear };
};

const addGauge = (registry: Registry, name: string, help: string): Gauge =>
  new Gauge({ name, help, registers: [registry] });

const addTelemetry = (registry: Registry, telemetry: MetricsDependencies['telemetry']): Reading => {
  const samples = addGauge(registry, 'penstock_telemetry_samples', 'Number of stored samples.');
  const bytes = addGauge(registry, 'penstock_telemetry_bytes', 'Size of the telemetry store.');
  return {
    database: 'telemetry',
    read: async () => {
      const stats = await telemetry.stats();
      samples.set(stats.samples);
      bytes.set(stats.bytes);
    },
    clear: () => {
      // `reset` would set them to 0.
      samples.remove();
      bytes.remove();
    },
  };
};

/** Returns a function that sets the metrics. */
const addDisk = (registry: Registry, disk: MetricsDependencies['disk']): (() => void) => {
  const free = addGauge(registry, 'penstock_disk_free_bytes', 'Free space on the disk of DATA_DIR.');
  const writable = addGauge(
    registry,
    'penstock_disk_writable',
    '1 if the disk of DATA_DIR accepts writes, 0 if it is full or read-only.',
  );
  return () => {
    free.set(disk.freeBytes());
    writable.set(disk.state() === 'writable' ? 1 : 0);
  };
};

export const createPrometheusMetrics = (deps: MetricsDependencies): PrometheusMetrics => {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'penstock_build_info',
    help: '1, labelled with the version.',
    labelNames: ['version'],
    registers,
  }).set({ version: deps.version }, 1);
  const accepted = new Counter({
    name: 'penstock_accepted_samples_total',
    help: 'Samples that this process stored or spooled.',
    registers,
  });
  const noValues = new Counter({
    name: 'penstock_no_value_samples_total',
    help: 'Samples of remote writes and OTLP without a value: staleness markers, NaN and infinity.',
    registers,
  });
  const durations = new Histogram({
    name: 'penstock_http_request_duration_seconds',
    help: 'Duration of requests until the response is sent.',
    labelNames: ['method', 'route', 'status'],
    buckets: DURATION_BUCKETS_S,
    registers,
  });
  const answers = new Gauge({
    name: 'penstock_database_up',
    help: '1 if the database answers, otherwise 0.',
    labelNames: ['database'],
    registers,
  });
  const readDisk = addDisk(registry, deps.disk);
  const readings = [
    addDevices(registry, deps.db),
    addPipelines(registry, deps.db),
    addTelemetry(registry, deps.telemetry),
  ];
  const readDatabases = async (): Promise<void> => {
    const outcomes = await Promise.allSettled(readings.map(({ read }) => read()));
    const failed = readings.filter((_, at) => outcomes[at]?.status === 'rejected');
    for (const { clear } of failed) clear();
    for (const database of ['metadata', 'telemetry'] as const)
      answers.set({ database }, failed.some((reading) => reading.database === database) ? 0 : 1);
  };
  return {
    contentType: registry.contentType,
    countAccepted: (samples) => accepted.inc(samples),
    countNoValues: (samples) => noValues.inc(samples),
    observe: (app) => {
      app.addHook('onResponse', async (request, reply) => {
        // Addresses without a route have one label, so that clients cannot add series.
        const route = request.routeOptions.url ?? 'none';
        const labels = { method: request.method, route, status: reply.statusCode };
        durations.observe(labels, reply.elapsedTime / 1_000);
      });
    },
    read: async () => {
      readDisk();
      await readDatabases();
      return registry.metrics();
    },
  };
};
