import { serviceApi } from '#contract/service.ts';
import type { Pipelines } from '../pipelines/runner/pipelines.ts';
import { isAlive, type Db } from '../platform/storage/database.ts';
import type { DiskGuard } from '../platform/storage/disk-guard.ts';
import type { TelemetryFile } from '../telemetry/store/embedded/telemetry-file.ts';
import type { TelemetryStore } from '../telemetry/store/telemetry-store.ts';
import { openapiDocument } from './openapi-document.ts';
import { Answer } from '../platform/http/answer.ts';
import { route } from '../platform/http/route.ts';

type Dependencies = {
  db: Db;
  disk: Pick<DiskGuard, 'state'>;
  telemetry: Pick<TelemetryStore, 'stats'>;
  telemetryFile: Pick<TelemetryFile, 'problem'>;
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
  const doDatabasesAnswer = async (): Promise<boolean> =>
    (await isAlive(db)) && (await telemetry.stats().then(Boolean, () => false));
  let document: ReturnType<typeof openapiDocument> | undefined;
  return [
    route(serviceApi.health, async () =>
      (await doDatabasesAnswer())
        ? {
            status:
              disk.state() === 'writable' && telemetryFile.problem() === undefined
                ? ('ok' as const)
                : ('degraded' as const),
            storage: disk.state(),
          }
        : new Answer({ status: 'unavailable' as const, storage: disk.state() }, { status: 503 }),
    ),
    route(serviceApi.live, async () => ({ status: 'ok' as const })),
    route(serviceApi.ready, async () => {
      if (isDraining()) return new Answer({ status: 'stopping' as const }, { status: 503 });
      if (await doDatabasesAnswer()) return { status: 'ok' as const };
      return new Answer({ status: 'unavailable' as const }, { status: 503 });
    }),
    route(serviceApi.connection, async () => ({
      baseUrl: baseUrl(),
      mqtt: pipelines.mqtt() ?? null,
      registrationLimit,
      version,
    })),
    route(serviceApi.openapi, async () => (document ??= openapiDocument(baseUrl(), version))),
  ];
};
