import { findByExternalIds, findByIds, type DeviceRow } from '../devices/device-store.ts';
import type { RejectingDevice } from '../pipelines/ingest/rejecting-devices.ts';
import { listPipelineNames } from '../pipelines/definition/pipeline-store.ts';
import type { Db } from '../platform/storage/database.ts';
import { toIsoTime } from '../platform/iso-time.ts';
import { listNames, NO_DETAILS, partyOfPipeline, type KnownItem } from './attention-items.ts';

/** The devices that messages name by their external ID or their ID, by that name. */
const findNamed = async (db: Db, names: readonly string[]): Promise<ReadonlyMap<string, DeviceRow>> => {
  const [byId, byExternalId] = [await findByIds(db, names), await findByExternalIds(db, names)];
  return new Map([
    ...byId.map((row) => [row.id, row] as const),
    ...byExternalId.map((row) => [row.external_id, row] as const),
  ]);
};

/** One item for each pipeline and reason, with the number of its devices; about the device if there is only one. */
export const rejectionItems = async (db: Db, devices: readonly RejectingDevice[]): Promise<KnownItem[]> => {
  if (devices.length === 0) return [];
  const groups = [...Map.groupBy(devices, ({ pipelineId, reason }) => `${pipelineId} ${reason}`).values()];
  const ids = [...new Set(devices.map(({ pipelineId }) => pipelineId))];
  const pipelines = new Map((await listPipelineNames(db, ids)).map((row) => [row.id, row]));
  const named = await findNamed(
    db,
    groups.flatMap((alike) => (alike.length === 1 ? alike[0]!.device : [])),
  );
  return groups.flatMap((alike): KnownItem[] => {
    const { pipelineId, reason, device } = alike[0]!;
    const pipeline = pipelines.get(pipelineId);
    if (pipeline === undefined) return [];
    const only = alike.length === 1 ? named.get(device) : undefined;
    const isKnown = only !== undefined && only.deleted_at === null;
    const otherwise = alike.reduce((sum, each) => sum + each.otherwiseRejected, 0);
    return [
      {
        ...NO_DETAILS,
        id: `rejected ${pipelineId} ${reason}`,
        kind: 'samples-rejected',
        severity: 'critical',
        subject: isKnown ? { type: 'device', id: only.id, name: only.name } : partyOfPipeline(pipeline),
        reason,
        detail: [
          isKnown ? `In pipeline ${pipeline.name}.` : `From ${listNames(alike.map((each) => each.device))}.`,
          ...(otherwise === 0 ? [] : [`${otherwise} more for other reasons.`]),
        ].join(' '),
        devices: alike.length,
        count: alike.reduce((sum, { rejected }) => sum + rejected, 0),
        since: toIsoTime(Math.min(...alike.map(({ sinceMs }) => sinceMs))),
        lastAt: toIsoTime(Math.max(...alike.map(({ lastAtMs }) => lastAtMs))),
      },
    ];
  });
};
