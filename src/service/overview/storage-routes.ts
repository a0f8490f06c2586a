import { storageApi } from '#contract/storage.ts';
import { partyOf, type Transact } from '../events/event-store.ts';
import type { Actor } from '../platform/http/auth.ts';
import { route } from '../platform/http/route.ts';
import type { DiskGuard } from '../platform/storage/disk-guard.ts';
import type { TelemetryFile } from '../telemetry/store/opened-telemetry.ts';
import { toIsoTime } from '../platform/iso-time.ts';
import type { StorageWarning } from './storage-warning.ts';

type Dependencies = {
  transact: Transact;
  now: () => number;
  disk: DiskGuard;
  storageWarning: Pick<StorageWarning, 'low'>;
  telemetryFile: TelemetryFile | undefined;
};

export const storageRoutes = ({ transact, now, disk, storageWarning, telemetryFile }: Dependencies) => {
  const storageOf = (actor: Actor) => {
    const sinceMs = disk.sinceMs();
    const problem = telemetryFile?.problem();
    // A token limited to devices gets no details of the machine.
    const isLimited = actor.devices !== null;
    return {
      state: disk.state(),
      canDelete: disk.state() !== 'read-only' && disk.readOnlyError() === undefined,
      detail: isLimited ? null : (disk.detail() ?? null),
      since: sinceMs === undefined ? null : toIsoTime(sinceMs),
      freeBytes: isLimited ? null : disk.freeBytes(),
      low: storageWarning.low() !== undefined,
      reserveBytes: isLimited ? null : disk.reserveBytes(),
      files: isLimited || problem === undefined ? [] : [problem],
    };
  };

  return [
    route(storageApi.get, async ({ actor }) => storageOf(actor)),

    route(storageApi.acceptLoss, async ({ actor, body }) => {
      const problem = await telemetryFile?.acceptLoss();
      if (problem === undefined) return storageOf(actor);
      await transact((_, recordEvents) =>
        recordEvents({
          type: 'telemetry.loss-accepted',
          subject: { type: 'file', id: '', name: body.file },
          actor: partyOf(actor),
          data: { problem: problem.problem, expectedSamples: problem.expectedSamples },
          at: now(),
        }),
      );
      return storageOf(actor);
    }),
  ];
};
