import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { createApp } from './app.ts';
import { correctStoredTimes } from './clock-correction.ts';
import type { Config } from './config.ts';
import { startHousekeeping } from './housekeeping.ts';
import type { ServiceParts } from './service-parts.ts';
import { createAuthenticator } from './access/authenticate.ts';
import { createKeyActivityLog } from './access/key-activity.ts';
import { createKeyUsage } from './access/key-usage.ts';
import { isUntouched } from './access/session-store.ts';
import { BASE_URL_FACT, makeSigninLink } from './access/signin-link.ts';
import { createClientRejectionLog } from './devices/client-rejection-log.ts';
import { startPresence } from './devices/device-presence.ts';
import { createDeviceRegistry } from './devices/device-registry.ts';
import { findEventDevices } from './devices/device-store.ts';
import { createRegistrationLimit } from './devices/registration-limit.ts';
import { createTransact, partyOf } from './events/event-store.ts';
import { recordStart } from './events/record-start.ts';
import { openSharedEventLog } from './events/shared-event-log.ts';
import { followOtherProcesses } from './follow-other-processes.ts';
import { startMetricsServer } from './monitoring/metrics-server.ts';
import { startMqttBroker } from './mqtt/mqtt-broker.ts';
import { keepSnapshot, openMetadata, openTelemetry } from './open-databases.ts';
import { listNetworks } from './networks/network-store.ts';
import { startStorageGrowth } from './overview/storage-growth.ts';
import { readDiskSpace, startStorageWarning, type DiskSpace } from './overview/storage-warning.ts';
import { reviewDestinations } from './pipelines/definition/review-destinations.ts';
import { seedDestinations } from './pipelines/definition/seed-destinations.ts';
import { createExpressionEvaluator } from './pipelines/mapping/expression-evaluator.ts';
import { seedPipelines } from './pipelines/runner/seed-pipelines.ts';
import { startThroughputRecorder } from './pipelines/runner/throughput-recorder.ts';
import { createLearnedRegistry } from './pipelines/ingest/learned-registry.ts';
import { startPipelines } from './pipelines/runner/start-pipelines.ts';
import { createClock } from './platform/clock.ts';
import { actorGroupOf, type RefusedWrite } from './platform/http/auth.ts';
import { createFailureLimit } from './platform/http/failure-limit.ts';
import { createIdempotency } from './platform/http/idempotency.ts';
import { createLiveBus } from './platform/live-bus.ts';
import { noPeers } from './platform/peers.ts';
import { createSampleRate } from './platform/sample-rate.ts';
import { createBusiestDevices } from './telemetry/write/busiest-devices.ts';
import { shareLiveBus } from './share-live-bus.ts';
import { createAllowedNetworks } from './platform/outbound/allowed-networks.ts';
import { createOutbound, type Lookup } from './platform/outbound/outbound.ts';
import { setFact, type UnusableDatabase } from './platform/storage/database.ts';
import { isDiskFull, isUnwritable, ignoreUnwritable } from './platform/storage/disk-full.ts';
import { createDiskGuard } from './platform/storage/disk-guard.ts';
import { lockDirectory } from './platform/storage/lock-directory.ts';
import { explainDamage, hasMetadata } from './platform/storage/metadata-file.ts';
import { findReadOnlyState, type ReadOnlyState } from './platform/storage/read-only-state.ts';
import { noTracing } from './platform/tracing.ts';
import { TIMEOUTS, type Timeouts } from './platform/timeouts.ts';
import { VERSION } from './platform/version.ts';
import { createBodyReader } from './body-reader/body-reader.ts';
import { createStreamHub } from './stream/stream-hub.ts';
import { startRetention } from './telemetry/telemetry-retention.ts';
import { traceStore } from './telemetry/store/trace-store.ts';
import { createIngest } from './telemetry/write/ingest-samples.ts';
import { createStoreWrite } from './telemetry/write/store-write.ts';
import { createWebhookDeliveryQueue } from './webhooks/webhook-delivery-queue.ts';
import { createWebhookSender } from './webhooks/webhook-sender.ts';

type Options = {
  config: Config;
  log: Logger;
  /** The built dashboard; undefined or missing: only the API is served. */
  dashboardDir?: string | undefined;
  /** Whether each start is an event. */
  recordsStart?: boolean;
  /** Epoch ms. */
  now?: () => number;
  /** Monotonic clock, in ms. Defaults to `now` if that is given: a jump of `now` is then elapsed time. */
  elapsed?: () => number;
  /** Replaces the DNS lookup and the usual timeout of calls to other services. */
  outbound?: { lookup?: Lookup; timeoutMs?: number };
  /** Replaces the size and free space of the disk of the data directory in the warning about little space. */
  diskSpace?: () => Promise<DiskSpace>;
  /** Overrides of the default timeouts. */
  timeouts?: Partial<Timeouts>;
  /** Called when a sync of the disk failed. Must end the process, which cannot know what is on the disk. */
  onSyncFailure?: (error: unknown) => void;
  /** Called when another process took the lock of a PostgreSQL database, or migrated it. Must end the process. */
  onDatabaseUnusable?: (error: UnusableDatabase) => void;
  /**
   * Called when the telemetry thread has ended, for example out of memory. Must end the process, which lost its
   * telemetry.
   */
  onTelemetryEnd?: (error: Error) => void;
};

export type Service = {
  /** The URL for browsers. */
  url: string;
  /** The first sign-in link; undefined if someone has signed in before. */
  signinLink: string | undefined;
  /** Why the service only reads until it is restarted; undefined: it writes too. */
  readOnlyState: ReadOnlyState | undefined;
  parts: ServiceParts;
  /** Reports from now on that the service is not ready. It still answers. */
  drain(): void;
  /** Stops accepting requests, writes what is in memory and closes the databases. */
  close(): Promise<void>;
};

/** The window of `ingest.perSecond`, in seconds. */
const CURRENT_RATE_S = 60;

const hostInUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/**
 * Opens the data directory, starts all parts in the order of their dependencies, and listens. On a read-only disk, or a
 * full disk without a reserve, the service only reads.
 */
export const startService = (options: Options): Promise<Service> =>
  explainDamage(options.config.dataDir, () => startWithDisk(options));

const startWithDisk = async (options: Options): Promise<Service> => {
  const { dataDir, database } = options.config;
  // In PostgreSQL, the metadata does not depend on the disk of the data directory.
  if (database !== undefined) return startParts(options, undefined);
  const readOnlyState = findReadOnlyState(dataDir);
  const hasData = hasMetadata(dataDir);
  if (readOnlyState === 'read-only' || (readOnlyState === 'full' && hasData))
    return startParts(options, readOnlyState);
  try {
    return await startParts(options, undefined);
  } catch (error) {
    // A quota can be exhausted while the disk has free space.
    if (!hasData || !isDiskFull(error)) throw error;
    return startParts(options, 'full');
  }
};

const isBrokerEnabled = ({ mqttPort, mqttsPort, tls }: Config): boolean =>
  mqttPort !== 0 || (tls !== undefined && mqttsPort !== 0);

const startParts = async (
  {
    config,
    log,
    dashboardDir,
    recordsStart = false,
    now: wallClock,
    elapsed: monotonicClock = wallClock ?? (() => performance.now()),
    outbound: outboundOptions = {},
    diskSpace = () => readDiskSpace(config.dataDir),
    timeouts: otherTimeouts = {},
    onSyncFailure = (error) => {
      throw error;
    },
    onDatabaseUnusable = (error) => {
      throw error;
    },
    onTelemetryEnd = (error) => {
      throw error;
    },
  }: Options,
  readOnlyState: ReadOnlyState | undefined,
): Promise<Service> => {
  const closers: (() => Promise<unknown>)[] = [];
  const close = async () => {
    const failures: unknown[] = [];
    // If one part cannot be closed, the others are closed anyway.
    for (const closer of closers.toReversed())
      await closer().catch((error: unknown) => {
        // The disk guard has already logged the state of the disk.
        if (!isUnwritable(error)) failures.push(error);
      });
    if (failures.length > 0) throw failures[0];
  };
  const isReadOnly = readOnlyState !== undefined;
  try {
    const timeouts = { ...TIMEOUTS, ...otherTimeouts };
    const clock = createClock({
      checkEveryMs: timeouts.clockCheckMs,
      now: wallClock ?? Date.now,
      elapsed: monotonicClock,
    });
    const { now, elapsed } = clock;
    closers.push(async () => clock.close());
    // The packages are loaded only where traces are exported.
    const tracing =
      config.tracing === undefined
        ? noTracing
        : (await import('./monitoring/otlp-tracing.ts')).createOtlpTracing(config.tracing, {
            log,
            version: VERSION,
          });
    closers.push(() => tracing.close());
    const disk = createDiskGuard({
      directory: config.dataDir,
      reserveBytes: config.reserveBytes,
      readOnlyState,
      log,
      now,
      onSyncFailure,
    });
    closers.push(() => disk.close());
    // A read-only disk needs no lock, because nothing writes.
    const unlock =
      readOnlyState === 'read-only'
        ? () => undefined
        : lockDirectory(config.dataDir, { mayCreate: !isReadOnly });
    closers.push(async () => unlock());
    const databases = {
      config,
      disk,
      readOnlyState,
      timeouts,
      log,
      tracing,
      onDatabaseUnusable,
      onTelemetryEnd,
    };
    await keepSnapshot(databases);
    const {
      db,
      lease,
      peers = noPeers,
      openCoordinator,
      onResumed,
      close: closeMetadata,
    } = await openMetadata(databases);
    closers.push(closeMetadata);
    closers.push(() => peers.close());
    closers.push(() => lease.close());
    const live = createLiveBus();
    const shared =
      peers === noPeers ? undefined : await openSharedEventLog({ db, live, peers, log, onResumed, timeouts });
    closers.push(async () => shared?.close());
    const transact = createTransact({ db, live, shared, hook: createWebhookDeliveryQueue(findEventDevices) });
    // Before anything else can be an event of this run.
    if (recordsStart) await recordStart({ transact, now, log });
    const {
      store,
      file: telemetryFile,
      close: closeTelemetry,
    } = await openTelemetry(databases, {
      db,
      openCoordinator,
      now,
      onProblem: () => live.publish('storage', { state: disk.state() }),
    });
    closers.push(closeTelemetry);
    const telemetry = tracing === noTracing ? store : traceStore(store, tracing);
    // The library is loaded only where its metrics are read.
    const metrics =
      config.metricsPort === 0
        ? undefined
        : (await import('./monitoring/prometheus-metrics.ts')).createPrometheusMetrics({
            db,
            disk,
            telemetry,
            version: VERSION,
          });
    const stopWatchingDisk = disk.watch((state) => live.publish('storage', { state }));
    closers.push(async () => stopWatchingDisk());
    const presence = await startPresence({
      timeouts,
      db,
      transact,
      live,
      log,
      clock,
      disk,
      lease,
      isShared: shared !== undefined,
      onDatabaseResumed: onResumed,
      correctTimes: correctStoredTimes,
    });
    closers.push(() => presence.close());
    const storageWarning = await startStorageWarning({
      db,
      transact,
      live,
      disk,
      lease,
      log,
      now,
      diskSpace,
      everyMs: timeouts.storageCheckMs,
    });
    closers.push(() => storageWarning.close());
    // The disk of PostgreSQL is unknown.
    const storageGrowth =
      config.telemetry === undefined
        ? await startStorageGrowth({ db, telemetry, log, now, everyMs: timeouts.storageCheckMs })
        : undefined;
    closers.push(async () => storageGrowth?.close());
    const keyUsage = createKeyUsage({ db, log, elapsed, flushEveryMs: timeouts.keyUsageFlushMs });
    closers.push(() => keyUsage.close());
    const keyActivity = createKeyActivityLog(now);
    const recordRejection = createClientRejectionLog({ type: 'http.refused', db, transact, log, now, clock });
    const ingestRate = createSampleRate(elapsed, CURRENT_RATE_S);
    peers.subscribe('accepted', ({ samples }) => ingestRate.count(samples));
    const busiestDevices = createBusiestDevices(elapsed);
    const throughput = startThroughputRecorder({
      db,
      log,
      clock,
      checkEveryMs: timeouts.throughputCheckMs,
    });
    closers.push(() => throughput.close());
    const ingest = createIngest({
      store: telemetry,
      resolveDevices: createDeviceRegistry({
        db,
        transact,
        now,
        live,
        registrations: createRegistrationLimit(config.registrationLimit, clock, peers),
      }),
      clock: now,
      retentionMs: config.retentionMs,
      metricsPerDevice: config.metricsPerDevice,
      onAccepted: async (accepted) => {
        const { at, seenDevices, registered, stored, routed } = accepted;
        presence.markSeen(seenDevices, at);
        if (accepted.isLive) {
          ingestRate.count(stored + routed);
          peers.send('accepted', { samples: stored + routed });
          throughput.countAccepted(stored + routed);
          busiestDevices.count(accepted.samplesByDevice);
        }
        metrics?.countAccepted(stored + routed);
        if (live.hasListeners('telemetry'))
          for (const columns of accepted.series) live.publish('telemetry', columns);
        // The sender of the first message must see its new device as online.
        if (registered.length > 0) await presence.flush();
      },
    });
    const expressions = createExpressionEvaluator({ now, elapsed });
    closers.push(async () => expressions.close());
    const reader = createBodyReader();
    closers.push(() => reader.close());
    const authenticator = createAuthenticator({ db, keyUsage, log, now, isShared: shared !== undefined });
    const streams = createStreamHub({ db, disk, live, log, now, authenticator });
    closers.push(() => streams.close());
    if (shared !== undefined) {
      const sharedBus = shareLiveBus({ live, peers, followed: streams.followed });
      closers.push(async () => sharedBus.close());
    }
    let url = config.baseUrl ?? '';
    let isDraining = false;
    let httpPort = config.port;
    const allowedNetworks = createAllowedNetworks(config.allowedNetworks);
    for (const each of await listNetworks(db)) allowedNetworks.add(each.id, each);
    const outbound = createOutbound({
      tracing,
      ...outboundOptions,
      allowedNetworks,
      ownPorts: () => [
        httpPort,
        config.mqttPort,
        config.metricsPort,
        ...(config.tls === undefined ? [] : [config.mqttsPort]),
      ],
    });
    closers.push(() => outbound.close());
    const webhooks = createWebhookSender({
      db,
      transact,
      live,
      lease,
      log,
      now,
      tracing,
      outbound,
      version: VERSION,
      checkEveryMs: timeouts.webhookCheckMs,
    });
    closers.push(() => webhooks.close());
    const { environment, dataDir, registrationLimit, metricsPerDevice, retentionMs, spoolLimitBytes } =
      config;
    const common = {
      config,
      environment,
      dataDir,
      telemetryDir: config.telemetry === undefined ? dataDir : undefined,
      registrationLimit,
      metricsPerDevice,
      retentionMs,
      spoolLimitBytes,
      baseUrl: () => url,
      isDraining: () => isDraining,
      version: VERSION,
      timeouts,
      now,
      clock,
      log,
      tracing,
      db,
      disk,
      lease,
      peers,
      storageWarning,
      storageGrowth,
      live,
      transact,
      telemetry,
      telemetryFile,
      ingest,
      expressions,
      readLargeMessage: reader.readLargeMessage,
      learned: createLearnedRegistry(db),
      storeWrite: createStoreWrite({
        ingest,
        readLargeWrite: reader.readLargeWrite,
        keyActivity,
        recordRejection,
      }),
      countNoValues: (samples: number) => metrics?.countNoValues(samples),
      ingestRate,
      busiestDevices,
      throughput,
      presence,
      keyUsage,
      keyActivity,
      recordRefusedWrite: (refused: RefusedWrite) => {
        keyActivity.recordRefused(refused);
        const { reason, detail, from, actor } = refused;
        recordRejection({
          reason,
          detail,
          username: '',
          address: from,
          actor: actor === undefined ? null : partyOf(actor),
          group: actor && actorGroupOf(actor),
        });
      },
      authenticator,
      failureLimit: createFailureLimit(peers),
      idempotency: createIdempotency(db, now),
      outbound,
      allowedNetworks,
      configuredNetworks: config.allowedNetworks,
      webhooks,
      streams,
    };
    await ignoreUnwritable(seedDestinations(common));
    await ignoreUnwritable(reviewDestinations(common));
    await ignoreUnwritable(seedPipelines({ ...common, seed: config.seed }));
    const broker = await startMqttBroker({
      ...common,
      listen: config,
      unroutedMessages: config.mqttUnrouted,
    });
    const pipelines = await startPipelines({ ...common, broker });
    closers.push(() => pipelines.close());
    if (shared !== undefined) followOtherProcesses({ events: shared, pipelines, allowedNetworks, live, log });
    const serveMqtt = isBrokerEnabled(config) ? broker.serve : undefined;
    const parts: ServiceParts = { ...common, pipelines, serveMqtt };
    const housekeeping = await startHousekeeping({ ...parts, everyMs: timeouts.cleanupEveryMs });
    closers.push(() => housekeeping.close());

    const app = await createApp(parts, dashboardDir);
    metrics?.observe(app);
    tracing.observe(app);
    closers.push(() => app.close());
    // Before the server, which waits for requests that wait for an expression.
    closers.push(async () => expressions.close());
    await app.listen({ host: config.host, port: config.port });
    const address = app.server.address() as AddressInfo;
    httpPort = address.port;
    url =
      config.baseUrl ??
      `${config.tls === undefined ? 'http' : 'https'}://${hostInUrl(config.host)}:${address.port}`;
    if (metrics !== undefined) {
      const server = await startMetricsServer({
        host: config.metricsHost,
        port: config.metricsPort,
        metrics,
        log,
      });
      closers.push(() => server.close());
      log.info({ host: config.metricsHost, port: config.metricsPort }, 'serving metrics');
    }
    await ignoreUnwritable(setFact(db, BASE_URL_FACT, url));
    webhooks.start();
    const retention = startRetention({
      db,
      telemetry,
      disk,
      lease,
      log,
      clock,
      retentionMs: config.retentionMs,
      everyMs: timeouts.cleanupEveryMs,
    });
    closers.push(() => retention.close());
    // If the service only reads, `penstock signin` cannot create a link.
    const signinLink =
      isReadOnly || (await isUntouched(db))
        ? await ignoreUnwritable(disk.withReserve(() => makeSigninLink(db, url, now())))
        : undefined;
    const drain = () => {
      isDraining = true;
    };
    return { url, signinLink, readOnlyState, parts, drain, close };
  } catch (error) {
    await close();
    throw error;
  }
};
