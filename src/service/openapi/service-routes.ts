import { serviceApi } from '#contract/service.ts';
import type { Deps } from '../deps.ts';
import { isAlive } from '../platform/storage/database.ts';
import { openapiDocument } from './openapi-document.ts';
import { Answer } from '../platform/http/answer.ts';
import { route } from '../platform/http/route.ts';

export const serviceRoutes = ({ db, disk, baseUrl, pipelines, telemetry, telemetryFile, version }: Deps) => {
  let document: ReturnType<typeof openapiDocument> | undefined;
  return [
    route(serviceApi.health, async () =>
      (await isAlive(db)) && (await telemetry.stats().then(Boolean, () => false))
        ? {
            status:
              disk.state() === 'writable' && telemetryFile.problem() === undefined
                ? ('ok' as const)
                : ('degraded' as const),
            storage: disk.state(),
          }
        : new Answer({ status: 'unavailable' as const, storage: disk.state() }, { status: 503 }),
    ),
    route(serviceApi.connection, async () => ({ baseUrl: baseUrl(), mqtt: pipelines.mqtt() ?? null })),
    route(serviceApi.openapi, async () => (document ??= openapiDocument(baseUrl(), version))),
  ];
};
