import { openapiApi } from '#contract/openapi.ts';
import { probesApi } from '#contract/probes.ts';
import { serviceApi } from '#contract/service.ts';
import type { Pipelines } from '../pipelines/runner/pipelines.ts';
import { isAlive, type Db } from '../platform/storage/database.ts';
import type { DiskGuard } from '../platform/storage/disk-guard.ts';
import { TelemetryUnavailable } from '../platform/storage/store-errors.ts';
import type { TelemetryFile } from '../telemetry/store/opened-telemetry.ts';
import type { TelemetryStore } from '../telemetry/store/telemetry-store.ts';
import { openapiDocument } from './openapi-document.ts';
import { Answer } from '../platform/http/answer.ts';
import { route } from '../platform/http/route.ts';

type Dependencies = {
  db: Db;
  disk: Pick<DiskGuard, 'state'>;
  telemetry: Pick<TelemetryStore, 'stats'>;
  telemetryFile: Pick<TelemetryFile, 'problem'> | undefined;
  pipelines: Pick<Pipelines, 'mqtt'>;
  /** Devices that one key can register in an hour. */
  registrationLimit: number;
  /** Whether the service stops soon. */
  isDraining: () => boolean;
  /** The URL for browsers, known once the service listens. */
  baseUrl: () => string;
  version: string;
};

export const serviceRoutes = ({
  db,
  disk,
  telemetry,
  telemetryFile,
  pipelines,
  registrationLimit,
  baseUrl,
  isDraining,
  version,
}: Dependencies) => {
  const doDatabasesAnswer = async (isExcused: (error: unknown) => boolean): Promise<boolean> =>
    (await isAlive(db)) && (await telemetry.stats().then(() => true, isExcused));
  /** An operator accepts the loss on the dashboard, which needs a service that supervisors do not restart. */
  const isFileProblem = (error: unknown): boolean => error instanceof TelemetryUnavailable;
  let document: ReturnType<typeof openapiDocument> | undefined;
  return [
    route(serviceApi.health, async () =>
      (await doDatabasesAnswer(isFileProblem))
        ? {
            status:
              disk.state() === 'writable' && telemetryFile?.problem() === undefined
                ? ('ok' as const)
                : ('degraded' as const),
            storage: disk.state(),
          }
        : new Answer({ status: 'unavailable' as const, storage: disk.state() }, { status: 503 }),
    ),
    route(probesApi.live, async () => ({ status: 'ok' as const })),
    route(probesApi.ready, async () => {
      if (isDraining()) return new Answer({ status: 'stopping' as const }, { status: 503 });
      if (await doDatabasesAnswer(() => false)) return { status: 'ok' as const };
      return new Answer({ status: 'unavailable' as const }, { status: 503 });
    }),
    route(serviceApi.connection, async () => ({
      baseUrl: baseUrl(),
      mqtt: pipelines.mqtt() ?? null,
      registrationLimit,
      version,
    })),
    route(openapiApi.openapi, async () => (document ??= openapiDocument(baseUrl(), version))),
  ];
};
