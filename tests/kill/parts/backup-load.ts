import { createMetadataHistory, type ExpectedMetadata } from './metadata-history.ts';
import { startHttpSender } from './http-sender.ts';
import type { KillableService } from './killable-service.ts';
import { startMetadataSender } from './metadata-sender.ts';
import { startMqttSender } from './mqtt-sender.ts';
import { METRIC, TEXT_ROUTE, type Reading } from './readings.ts';
import { createSentLedger, type Sender, type SentLedger, type SentSummary } from './sent-ledger.ts';

/** A route of samples, named like its devices and its pipeline. */
export type BackupRoute = {
  readonly name: string;
  readonly source: 'http' | 'mqtt' | 'influxdb';
  /** `file`: its samples wait in the spool. */
  readonly to: 'telemetry' | 'file';
  readonly metric: string;
  /** In each message. */
  readonly values?: number;
};

const MEASUREMENT = 'plant';
export const backupRoutes: readonly BackupRoute[] = [
  { name: 'http', source: 'http', to: 'telemetry', metric: METRIC },
  { name: TEXT_ROUTE, source: 'http', to: 'telemetry', metric: METRIC, values: 40 },
  { name: 'mqtt', source: 'mqtt', to: 'telemetry', metric: METRIC },
  { name: 'influxdb', source: 'influxdb', to: 'telemetry', metric: `${MEASUREMENT}.${METRIC}`, values: 50 },
  { name: 'waiting', source: 'http', to: 'file', metric: METRIC },
];
/** Writes to the addresses of InfluxDB belong to no pipeline. */
export const hasPipeline = ({ source }: BackupRoute): boolean => source !== 'influxdb';

const toLines = (readings: readonly Reading[]) => ({
  type: 'text/plain',
  body: readings
    .map(({ device, ts, value }) => `${MEASUREMENT},device=${device} ${METRIC}=${value} ${ts}`)
    .join('\n'),
});

const create = async (service: KillableService, path: string, body: object): Promise<string> => {
  const { status, body: answer } = await service.call('POST', path, body);
  if (status !== 201) throw new Error(`${path} is answered with ${status}: ${JSON.stringify(answer)}`);
  return (answer as { id: string }).id;
};

const startSender = async (
  service: KillableService,
  { name, source, values }: BackupRoute,
  pipeline: string | undefined,
  ledger: SentLedger,
): Promise<Sender> => {
  const token = service.token();
  if (source === 'mqtt')
    return startMqttSender({ route: name, ledger, url: `mqtt://127.0.0.1:${service.mqttPort}`, token });
  return startHttpSender({
    route: name,
    ledger,
    token,
    // A message that is sent again would be counted twice.
    isSentOnce: true,
    ...(values !== undefined && { values }),
    ...(pipeline === undefined
      ? { url: `${service.url}/api/v2/write?precision=ms`, encode: toLines }
      : { url: `${service.url}/v1/pipelines/${pipeline}/messages` }),
  });
};

export type ExpectedBackup = {
  readonly samples: ReadonlyMap<string, SentSummary>;
  readonly metadata: ExpectedMetadata;
};

/** Sends numbered samples over HTTP, MQTT and line protocol, and changes devices, pipelines and API keys meanwhile. */
export const startBackupLoad = async (service: KillableService) => {
  const history = createMetadataHistory();
  history.begin('api-keys', 'Kill', { name: 'Kill' })();
  await create(service, '/v1/destinations', {
    name: 'Waiting',
    type: 'file',
    options: { folder: 'waiting' },
  });
  const ledgers = new Map<string, SentLedger>();
  const senders = [startMetadataSender(service, history)];
  for (const route of backupRoutes) {
    const { name, source, to } = route;
    const pipeline = hasPipeline(route)
      ? await create(service, '/v1/pipelines', {
          name,
          type: source,
          interval: 5,
          destination: to === 'file' ? 'Waiting' : 'telemetry',
        })
      : undefined;
    if (pipeline !== undefined) history.begin('pipelines', name, { name, enabled: true })();
    const ledger = createSentLedger();
    ledgers.set(name, ledger);
    senders.push(await startSender(service, route, pipeline, ledger));
  }
  return {
    /** What was answered before a time, and what was sent until now. */
    expectedAt: (beforeMs: number): ExpectedBackup => ({
      samples: new Map(ledgers.entries().map(([name, ledger]) => [name, ledger.summary(beforeMs)])),
      metadata: history.expectedAt(beforeMs),
    }),
    stop: async (): Promise<void> => {
      for (const sender of senders) await sender.stop();
    },
  };
};
