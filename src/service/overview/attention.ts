import { ATTENTION_ITEMS, attentionKinds, type Attention, type AttentionKind } from '#contract/attention.ts';
import { stateReasonCodes } from '#contract/pipeline-state.ts';
import type { Scope } from '#contract/scope.ts';
import { listRefusedKeys } from '../access/api-key-store.ts';
import { findExpiringKeys } from '../access/expiring-keys.ts';
import { findOfflineDevices } from '../devices/offline-devices.ts';
import { listRecentUnrouted } from '../mqtt/unrouted-store.ts';
import { listInStates } from '../pipelines/definition/pipeline-store.ts';
import { countRecentOverwrites } from '../pipelines/ingest/overwrite-store.ts';
import type { Pipelines } from '../pipelines/runner/pipelines.ts';
import type { Clock } from '../platform/clock.ts';
import type { Db } from '../platform/storage/database.ts';
import { listFailingWebhooks } from '../webhooks/webhook-store.ts';
import { expiringKeyItems } from './expiring-key-items.ts';
import {
  failingWebhookItem,
  overwriteItem,
  pipelineItem,
  refusedKeyItem,
  skippedRunItem,
  storageItems,
  unroutedItems,
  type KnownItem,
  type StorageParts,
} from './attention-items.ts';
import { offlineItems } from './offline-items.ts';
import { rejectionItems } from './rejection-items.ts';
import { pausedPipelineItems, splitUnroutedTopics } from './paused-pipeline-items.ts';

/** What happened only for a moment is listed for this long. */
const RECENT_MS = 3_600_000;
/** Many readers share one result: wall displays read the overview every few seconds. */
const FRESH_MS = 250;

export type AttentionDependencies = StorageParts & {
  db: Db;
  clock: Pick<Clock, 'now' | 'elapsed'>;
  pipelines: Pick<Pipelines, 'rejectingDevices' | 'pausedMessages' | 'skippedRuns'>;
};

/** The scope that a token needs to read a kind. The storage state is not secret. */
const scopesOf: Record<AttentionKind, Scope | undefined> = {
  'storage-full': undefined,
  'storage-read-only': undefined,
  'storage-damaged': undefined,
  'storage-low': undefined,
  'pipeline-failed': 'pipelines:read',
  'pipeline-degraded': 'pipelines:read',
  'pipeline-draft': 'pipelines:read',
  'pipeline-paused': 'pipelines:read',
  'samples-rejected': 'pipelines:read',
  'devices-offline': 'devices:read',
  'messages-skipped': 'pipelines:read',
  'samples-overwritten': 'pipelines:read',
  'messages-unrouted': 'pipelines:read',
  'webhook-failing': 'events:read',
  'api-key-refused': 'api-keys:manage',
  'api-key-expiring': 'api-keys:manage',
};

/** The place of the reason of a pipeline among the others, worst first. */
const rankOfReason = ({ reason }: KnownItem): number => stateReasonCodes.findIndex((code) => code === reason);

/** Worst first; of equal ones, the longest first. */
const bySeverity = (a: KnownItem, b: KnownItem): number =>
  Number(a.severity === 'warning') - Number(b.severity === 'warning') ||
  attentionKinds.indexOf(a.kind) - attentionKinds.indexOf(b.kind) ||
  rankOfReason(a) - rankOfReason(b) ||
  (a.since ?? '').localeCompare(b.since ?? '');

const readItems = async (deps: AttentionDependencies): Promise<KnownItem[]> => {
  const {
    db,
    clock: { now },
    pipelines,
  } = deps;
  const recentMs = now() - RECENT_MS;
  const rows = await listInStates(db, ['failed', 'degraded', 'draft', 'paused']);
  const [paused, troubled] = [
    rows.filter(({ state }) => state === 'paused'),
    rows.filter(({ state }) => state !== 'paused'),
  ];
  const topics = splitUnroutedTopics(paused, await listRecentUnrouted(db, recentMs));
  // The pipeline is listed for them already.
  const rejecting = new Set(
    troubled.filter(({ state_reason: reason }) => reason === 'rejections').map(({ id }) => id),
  );
  const devices = pipelines.rejectingDevices().filter(({ pipelineId }) => !rejecting.has(pipelineId));
  return [
    ...storageItems(deps),
    ...troubled.map(pipelineItem),
    ...(await rejectionItems(db, devices)),
    ...offlineItems(await findOfflineDevices(db)),
    ...pausedPipelineItems(paused, pipelines.pausedMessages(recentMs), topics.ofPaused),
    ...pipelines.skippedRuns(recentMs).map(skippedRunItem),
    ...(await countRecentOverwrites(db, recentMs)).map(overwriteItem),
    ...unroutedItems(topics.others),
    ...(await listFailingWebhooks(db)).map(failingWebhookItem),
    ...(await listRefusedKeys(db, now())).map(refusedKeyItem),
    ...expiringKeyItems(await findExpiringKeys(db, now()), now()),
  ].toSorted(bySeverity);
};

/** Finds what needs attention, from stored states and short lists: the cost does not depend on the number of devices. */
export const createAttention = (deps: AttentionDependencies) => {
  let last: { atMs: number; items: Promise<KnownItem[]> } | undefined;
  const items = (): Promise<KnownItem[]> => {
    const atMs = deps.clock.elapsed();
    if (last === undefined || atMs - last.atMs >= FRESH_MS) {
      const reading = { atMs, items: readItems(deps) };
      // The next read tries again.
      reading.items.catch(() => {
        if (last === reading) last = undefined;
      });
      last = reading;
    }
    return last.items;
  };
  return async (scopes: readonly Scope[]): Promise<Attention> => {
    const readable = (await items()).filter(({ kind }) => {
      const scope = scopesOf[kind];
      return scope === undefined || scopes.includes(scope);
    });
    return { total: readable.length, items: readable.slice(0, ATTENTION_ITEMS) };
  };
};
