import type { AttentionItem, AttentionKind } from '#contract/attention.ts';
import { describeProblem } from '#contract/problem.ts';
import type { listRefusedKeys } from '../access/api-key-store.ts';
import { groupTopics } from '../mqtt/group-topics.ts';
import type { listRecentUnrouted } from '../mqtt/unrouted-store.ts';
import { problemsOf, stateReasonOf, type PipelineRow } from '../pipelines/definition/pipeline-store.ts';
import type { Pipelines } from '../pipelines/runner/pipelines.ts';
import type { countRecentOverwrites } from '../pipelines/ingest/overwrite-store.ts';
import { toIsoTime, toIsoTimeOrNull } from '../platform/iso-time.ts';
import type { listFailingWebhooks } from '../webhooks/webhook-store.ts';
import type { DiskGuard } from '../platform/storage/disk-guard.ts';
import type { TelemetryFile } from '../telemetry/store/opened-telemetry.ts';
import type { StorageWarning } from './storage-warning.ts';

export type KnownItem = AttentionItem & { kind: AttentionKind };

/** The fields of an item that most kinds leave empty. */
export const NO_DETAILS = {
  subject: null,
  reason: null,
  detail: '',
  devices: null,
  count: null,
  groups: null,
  since: null,
  lastAt: null,
  lastSeenAt: null,
} satisfies Omit<AttentionItem, 'id' | 'kind' | 'severity'>;

export const partyOfPipeline = ({ id, name }: Pick<PipelineRow, 'id' | 'name'>) => ({
  type: 'pipeline',
  id,
  name,
});

const NAMED = 3;
/** “boiler-7, boiler-8, boiler-9 and 4 more”. */
export const listNames = (names: readonly string[]): string => {
  const more = names.length - NAMED;
  return `${names.slice(0, NAMED).join(', ')}${more > 0 ? ` and ${more.toLocaleString('en')} more` : ''}`;
};

const formatSpace = (bytes: number): string =>
  bytes < 1e9 ? `${Math.round(bytes / 1e6)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;

export type StorageParts = {
  disk: Pick<DiskGuard, 'state' | 'sinceMs' | 'detail'>;
  storageWarning: Pick<StorageWarning, 'low'>;
  telemetryFile: Pick<TelemetryFile, 'problem'> | undefined;
};

export const storageItems = ({ disk, storageWarning, telemetryFile }: StorageParts): KnownItem[] => {
  const items: KnownItem[] = [];
  const [state, sinceMs, problem] = [disk.state(), disk.sinceMs(), telemetryFile?.problem()];
  const low = storageWarning.low();
  if (state !== 'writable')
    items.push({
      ...NO_DETAILS,
      id: 'storage',
      kind: `storage-${state}`,
      severity: 'critical',
      detail: disk.detail() ?? '',
      since: sinceMs === undefined ? null : toIsoTime(sinceMs),
    });
  else if (low !== undefined)
    items.push({
      ...NO_DETAILS,
      id: 'storage',
      kind: 'storage-low',
      severity: 'warning',
      detail: `${formatSpace(low.freeBytes)} of ${formatSpace(low.diskBytes)} are free.`,
      since: toIsoTime(low.sinceMs),
    });
  if (problem !== undefined)
    items.push({
      ...NO_DETAILS,
      id: `file ${problem.file}`,
      kind: 'storage-damaged',
      severity: 'critical',
      detail: problem.detail,
    });
  return items;
};

export const pipelineItem = (row: PipelineRow): KnownItem => {
  const reason = stateReasonOf(row);
  const { state } = row;
  const [problem] = problemsOf(row);
  return {
    ...NO_DETAILS,
    id: `pipeline ${row.id}`,
    kind: `pipeline-${state as 'failed' | 'degraded' | 'draft'}`,
    severity: state === 'failed' ? 'critical' : 'warning',
    subject: partyOfPipeline(row),
    reason: reason?.code ?? null,
    detail: (state === 'draft' ? problem && describeProblem(problem) : reason?.detail) ?? '',
    since: state === 'draft' ? toIsoTime(row.updated_at) : (reason?.since ?? null),
  };
};

type RowOf<List extends (...args: never[]) => Promise<unknown[]>> = Awaited<ReturnType<List>>[number];

export const overwriteItem = (row: RowOf<typeof countRecentOverwrites>): KnownItem => ({
  ...NO_DETAILS,
  id: `overwritten ${row.id}`,
  kind: 'samples-overwritten',
  severity: 'warning',
  subject: partyOfPipeline(row),
  devices: Number(row.devices),
  count: Number(row.samples),
  since: toIsoTime(row.first_at),
  lastAt: toIsoTime(row.last_at),
});

export const skippedRunItem = ({
  pipeline,
  run,
}: ReturnType<Pipelines['skippedRuns']>[number]): KnownItem => ({
  ...NO_DETAILS,
  id: `skipped ${pipeline.id}`,
  kind: 'messages-skipped',
  severity: 'warning',
  subject: partyOfPipeline(pipeline),
  detail: 'The expression returns no samples.',
  count: run.count,
  since: toIsoTime(run.sinceMs),
  lastAt: toIsoTime(run.lastAtMs),
});

/** “plant/+/up (300 topics)”. */
const describeTopics = ({ topicFilter, members }: ReturnType<typeof groupTopics>[number]): string =>
  members.length === 1 ? topicFilter : `${topicFilter} (${members.length.toLocaleString('en')} topics)`;

/** One item for all topics. It names groups of topics that differ in one level, the largest first. */
export const unroutedItems = (topics: readonly RowOf<typeof listRecentUnrouted>[]): KnownItem[] => {
  if (topics.length === 0) return [];
  const groups = groupTopics(topics.map(({ topic_filter }) => ({ topicFilter: topic_filter }))).toSorted(
    (some, others) => others.members.length - some.members.length,
  );
  return [
    {
      ...NO_DETAILS,
      id: 'unrouted',
      kind: 'messages-unrouted',
      severity: 'warning',
      detail: `On ${listNames(groups.map(describeTopics))}.`,
      count: topics.reduce((sum, { messages }) => sum + messages, 0),
      since: toIsoTime(Math.min(...topics.map(({ first_at }) => first_at))),
      lastAt: toIsoTime(Math.max(...topics.map(({ last_at }) => last_at))),
    },
  ];
};

export const failingWebhookItem = (row: RowOf<typeof listFailingWebhooks>): KnownItem => ({
  ...NO_DETAILS,
  id: `webhook ${row.id}`,
  kind: 'webhook-failing',
  severity: 'warning',
  subject: { type: 'webhook', id: row.id, name: row.name },
  reason: row.enabled === 0 ? 'gone' : null,
  detail: row.last_error ?? '',
  count: row.pending,
  since: toIsoTimeOrNull(row.since),
});

export const refusedKeyItem = (row: RowOf<typeof listRefusedKeys>): KnownItem => ({
  ...NO_DETAILS,
  id: `api-key ${row.id}`,
  kind: 'api-key-refused',
  severity: 'warning',
  subject: { type: 'api-key', id: row.id, name: row.name },
  reason: row.revoked_at === null ? 'expired' : 'revoked',
  detail: row.last_refused_from === null ? '' : `From ${row.last_refused_from}.`,
  count: row.refused_count,
  since: toIsoTimeOrNull(row.refused_since),
  lastAt: toIsoTimeOrNull(row.last_refused_at),
});
