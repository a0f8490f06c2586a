import type { Logger } from 'pino';
import type { Config } from './config.ts';
import { UnusableDatabase } from './platform/storage/database.ts';
import { createFailureLog, isCertificateFault, whenReady } from './platform/storage/database-outages.ts';
import { codeOf, DatabaseUnavailable } from './platform/storage/dialects/database-unavailable.ts';
import type { DatabaseTimeouts } from './platform/storage/postgres-lock.ts';
import { unfinishedMigration } from './migrate/migration-record.ts';
import type { ClickHouseAddress } from './telemetry/store/clickhouse/clickhouse-address.ts';
import {
  createClickHouseOpener,
  type OpenClickHouse,
} from './telemetry/store/clickhouse/clickhouse-client.ts';
import { CLICKHOUSE_CODE, ClickHouseFailure } from './telemetry/store/clickhouse/clickhouse-failure.ts';
import { holdsUnfinishedMigration } from './telemetry/store/clickhouse/clickhouse-migration.ts';
import { openClickHouseTelemetryStore } from './telemetry/store/clickhouse/clickhouse-telemetry-store.ts';
import type { WriteCoordinator } from './telemetry/store/write-coordinator.ts';
import type { OpenedTelemetry } from './telemetry/store/opened-telemetry.ts';

type ClickHouseDependencies = {
  config: Pick<Config, 'metricsPerDevice'>;
  /** Coordinates the writes of the processes that share the metadata. */
  coordinator: WriteCoordinator;
  timeouts: DatabaseTimeouts;
  log: Logger;
};

const PRODUCT = 'ClickHouse';
const ANSWER_WITHIN_MS = 30_000;

const explainFailure = (code: number, { place, database }: ClickHouseAddress): string | undefined => {
  switch (code) {
    case CLICKHOUSE_CODE.unknownUser:
    case CLICKHOUSE_CODE.wrongPassword:
    case CLICKHOUSE_CODE.requiredPassword:
    case CLICKHOUSE_CODE.authenticationFailed:
      return `ClickHouse at ${place} rejects the user or the password of TELEMETRY_URL. Correct them`;
    case CLICKHOUSE_CODE.unknownDatabase:
      return `ClickHouse at ${place} has no database "${database}". Create it, or set TELEMETRY_URL to another`;
    case CLICKHOUSE_CODE.readOnly:
    case CLICKHOUSE_CODE.accessDenied:
      return `The user of TELEMETRY_URL cannot create tables or change settings at ${place}. Grant it all privileges on the database, and a profile that is not read-only`;
    default:
      return undefined;
  }
};

const explainError = (error: Error, address: ClickHouseAddress): string | undefined => {
  const { place } = address;
  if (error instanceof ClickHouseFailure) return explainFailure(error.code, address);
  if (error instanceof DatabaseUnavailable)
    return `No ClickHouse server answers at ${place}. Start it, or correct TELEMETRY_URL`;
  if (isCertificateFault(error))
    return `The certificate of ClickHouse at ${place} is not trusted. Set NODE_EXTRA_CA_CERTS to the certificate of the authority, and use the host name of the certificate in TELEMETRY_URL`;
  if (codeOf(error).startsWith('HPE_') || /port for HTTP|clickhouse-client program/i.test(error.message))
    return `The server at ${place} does not speak HTTP. Set the HTTP port of ClickHouse in TELEMETRY_URL, usually 8123, or 8443 with tls=true`;
  return undefined;
};

/** @throws UnusableDatabase with one line that says what to do, and errors that are not known */
const explainStart = async <T>(address: ClickHouseAddress, open: () => Promise<T>): Promise<T> => {
  try {
    return await open();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const line = explainError(error, address);
    if (line === undefined) throw error;
    const reason = error instanceof DatabaseUnavailable ? error.reason : error.message;
    throw new UnusableDatabase(`${line} (${reason.trim().replace(/\.$/, '')}).`, { cause: error });
  }
};

/** Prevents a start while only a part of the data is copied. @throws UnusableDatabase */
const requireFinishedMigration = async (open: OpenClickHouse): Promise<void> => {
  const clickhouse = open({ connections: 1, answerWithinMs: ANSWER_WITHIN_MS });
  try {
    if (await holdsUnfinishedMigration(clickhouse)) throw unfinishedMigration('TELEMETRY_URL');
  } finally {
    await clickhouse.close();
  }
};

/**
 * Opens telemetry in ClickHouse. It waits for a server that starts. While the server does not answer, calls are
 * rejected.
 * @throws UnusableDatabase
 */
export const openClickHouseTelemetry = async (
  address: ClickHouseAddress,
  { config: { metricsPerDevice }, coordinator, timeouts, log }: ClickHouseDependencies,
): Promise<OpenedTelemetry> => {
  const { place } = address;
  const logged = { product: PRODUCT, place, log };
  const logFailure = createFailureLog({ ...logged, content: 'telemetry' });
  let [isOpen, isDown] = [false, false];
  const onFailure = (error: unknown): void => {
    if (!isOpen) return;
    logFailure(error);
    isDown ||= error instanceof DatabaseUnavailable;
  };
  const onAnswer = (): void => {
    if (isDown) log.info({ content: 'telemetry', database: place }, 'ClickHouse answers again');
    isDown = false;
  };
  const onUnsynced = (): void =>
    log.warn(
      { database: place },
      'this version of ClickHouse does not wait for the disk: a power failure may lose acknowledged samples',
    );
  const connect = createClickHouseOpener(address);
  const open: OpenClickHouse = (options) => connect({ ...options, onFailure, onAnswer });
  const store = await explainStart(address, () =>
    whenReady({ ...logged, timeouts }, async () => {
      await requireFinishedMigration(open);
      return openClickHouseTelemetryStore(open, {
        cluster: address.cluster,
        metricsPerDevice,
        coordinator,
        onUnsynced,
      });
    }),
  );
  isOpen = true;
  return { store, close: () => store.close() };
};
