import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import type { KeyActivityLog } from './access/key-activity.ts';
import type { KeyUsage } from './access/key-usage.ts';
import type { Config } from './config.ts';
import type { Presence } from './devices/device-presence.ts';
import type { Transact } from './events/event-store.ts';
import type { StorageGrowth } from './overview/storage-growth.ts';
import type { StorageWarning } from './overview/storage-warning.ts';
import type { LearnedRegistry } from './pipelines/ingest/learned-registry.ts';
import type { ReadLargeMessage } from './pipelines/formats/read-message.ts';
import type { ExpressionEvaluator } from './pipelines/mapping/expression-evaluator.ts';
import type { ThroughputRecorder } from './pipelines/runner/throughput-recorder.ts';
import type { Pipelines } from './pipelines/runner/pipelines.ts';
import type { Clock } from './platform/clock.ts';
import type { Authenticator, RecordRefusedWrite } from './platform/http/auth.ts';
import type { FailureLimit } from './platform/http/failure-limit.ts';
import type { Idempotency } from './platform/http/idempotency.ts';
import type { LiveBus } from './platform/live-bus.ts';
import type { SampleRate } from './platform/sample-rate.ts';
import type { BusiestDevices } from './telemetry/write/busiest-devices.ts';
import type { AllowedNetworks } from './platform/outbound/allowed-networks.ts';
import type { Peers } from './platform/peers.ts';
import type { Outbound } from './platform/outbound/outbound.ts';
import type { Db } from './platform/storage/database.ts';
import type { DiskGuard } from './platform/storage/disk-guard.ts';
import type { Lease } from './platform/storage/lease.ts';
import type { Timeouts } from './platform/timeouts.ts';
import type { Tracing } from './platform/tracing.ts';
import type { StreamHub } from './stream/stream-hub.ts';
import type { TelemetryFile } from './telemetry/store/opened-telemetry.ts';
import type { TelemetryStore } from './telemetry/store/telemetry-store.ts';
import type { Ingest } from './telemetry/write/ingest-samples.ts';
import type { StoreWrite } from './telemetry/write/store-write.ts';
import type { WebhookSender } from './webhooks/webhook-sender.ts';

/** All parts of a started service. Only the composition root uses this type; each part declares what it needs. */
export type ServiceParts = Pick<
  Config,
  'environment' | 'dataDir' | 'registrationLimit' | 'metricsPerDevice' | 'retentionMs' | 'spoolLimitBytes'
> & {
  config: Config;
  /** The directory of telemetry.db; undefined: telemetry is on a database server. */
  telemetryDir: string | undefined;
  /** Whether the service will stop soon, and should get no new connections. */
  isDraining: () => boolean;
  /** The URL for browsers, known once the service listens. */
  baseUrl: () => string;
  version: string;
  timeouts: Timeouts;
  /** Epoch ms. */
  now: () => number;
  clock: Clock;
  log: Logger;
  tracing: Tracing;
  db: Db;
  disk: DiskGuard;
  lease: Lease;
  peers: Peers;
  storageWarning: StorageWarning;
  /** Undefined: telemetry is on a database server. */
  storageGrowth: StorageGrowth | undefined;
  live: LiveBus;
  transact: Transact;
  telemetry: TelemetryStore;
  /** Undefined: telemetry is on a database server. */
  telemetryFile: TelemetryFile | undefined;
  ingest: Ingest;
  expressions: ExpressionEvaluator;
  readLargeMessage: ReadLargeMessage;
  learned: LearnedRegistry;
  storeWrite: StoreWrite;
  /** Counts samples without a value in the metrics of the process. */
  countNoValues: (samples: number) => void;
  ingestRate: Pick<SampleRate, 'perSecond'>;
  busiestDevices: Pick<BusiestDevices, 'read'>;
  throughput: ThroughputRecorder;
  presence: Presence;
  keyUsage: KeyUsage;
  keyActivity: KeyActivityLog;
  recordRefusedWrite: RecordRefusedWrite;
  authenticator: Authenticator;
  failureLimit: FailureLimit;
  idempotency: Idempotency;
  pipelines: Pipelines;
  /** Serves an MQTT client over another transport than TCP; undefined: the broker is disabled. */
  serveMqtt: ((stream: Duplex, address: string) => void) | undefined;
  outbound: Outbound;
  allowedNetworks: AllowedNetworks;
  /** CIDRs of ALLOWED_NETWORKS. */
  configuredNetworks: readonly string[];
  webhooks: WebhookSender;
  streams: StreamHub;
};
