import { LISTED_SAMPLES, type ChangedMessage, type RecentPreview } from '#contract/recent-messages.ts';
import type { PipelineChange } from '#contract/pipelines.ts';
import type { DeviceSamples } from '#contract/telemetry.ts';
import type { Actor } from '../../platform/http/auth.ts';
import { toIsoTime } from '../../platform/iso-time.ts';
import { getPipeline, type PipelineRow } from '../definition/pipeline-store.ts';
import { channelOf } from '../ingest/pipeline-channel.ts';
import type { WholeMessage } from '../ingest/device-message-cache.ts';
import { storeMessages } from '../ingest/store-messages.ts';
import { textOf } from '../rejections/rejected-message.ts';
import {
  createPreviewLimit,
  dryRunIngest,
  pipelineAfter,
  type DryRunDependencies,
} from './pipeline-dry-run.ts';
import type { ReplayedBy } from './rejected-submission.ts';
import { repeatedSubmissions } from './repeated-submission.ts';

const SHOWN_CHANGES = 5;
const NAMED_DEVICES = 3;

/** One sample as text, to compare it. */
type Sample = { readonly key: string; readonly sample: DeviceSamples };
type Result = {
  readonly samples: readonly Sample[];
  readonly isSkipped: boolean;
  /** Undefined: no sample was rejected. */
  readonly rejection: { readonly reason: string; readonly detail: string } | undefined;
};
type Outcome = 'same' | ChangedMessage['outcome'];

const samplesOf = (groups: readonly DeviceSamples[]): Sample[] =>
  groups.flatMap(({ device, ts, values }) =>
    Object.entries(values).map(([metric, value]) => ({
      key: JSON.stringify([device, ts, metric, value]),
      sample: { device, ...(ts === undefined ? {} : { ts }), values: { [metric]: value } },
    })),
  );

/** Maps and validates messages with a pipeline, without effects. */
const createTrial = (deps: DryRunDependencies, row: PipelineRow, actor: Actor) => {
  const { db, expressions, readLargeMessage, learned } = deps;
  const submissionOf = repeatedSubmissions(row, {
    actor,
    evaluate: expressions.tryOut,
    readLargeMessage,
    learned: learned.findForPreview(row.id),
  });
  const { ingest, takeStored } = dryRunIngest(deps, { omitsStored: false });
  return async ({ bytes, topic, device, atMs }: WholeMessage): Promise<Result> => {
    const received = { bytes, topic, device, atMs, isMapped: false, devices: actor.devices };
    const submission = await submissionOf({ ...received, replayOf: 'whole' });
    const [stored] = await storeMessages({ db, ingest }, [submission]);
    if (stored === undefined || 'error' in stored) throw stored?.error;
    return {
      samples: samplesOf([...stored.spooled, ...takeStored()]),
      isSkipped: stored.skipped > 0,
      rejection: stored.rejections[0],
    };
  };
};

const without = (some: readonly Sample[], others: readonly Sample[]): DeviceSamples[] => {
  const keys = new Set(others.map(({ key }) => key));
  return some.filter(({ key }) => !keys.has(key)).map(({ sample }) => sample);
};

const outcomeOf = (before: Result, after: Result, changedSamples: number): Outcome => {
  if (after.rejection !== undefined) return 'rejected';
  if (after.isSkipped && !before.isSkipped) return 'skipped';
  return changedSamples > 0 ? 'different' : 'same';
};

const compare = (before: Result, after: Result) => {
  const missing = without(before.samples, after.samples);
  const added = without(after.samples, before.samples);
  return { missing, added, outcome: outcomeOf(before, after, missing.length + added.length) };
};

const soleDeviceOf = ({ samples }: Result): string | null => {
  const devices = new Set(samples.map(({ sample }) => sample.device));
  const [device] = devices;
  return devices.size === 1 && device !== undefined ? device : null;
};

const severity: Record<ChangedMessage['outcome'], number> = { rejected: 0, skipped: 1, different: 2 };

/** Collects changed messages. Messages with the same outcome are one entry, unless their samples differ. */
const createChanges = () => {
  const changes = new Map<string, ChangedMessage>();
  return {
    add: (message: Omit<ChangedMessage, 'messages' | 'devices'>): void => {
      const { outcome, reason, device } = message;
      const key = outcome === 'different' ? `different ${changes.size}` : `${outcome} ${reason}`;
      const alike = changes.get(key) ?? { ...message, messages: 0, devices: [] };
      const isNamed = device === null || alike.devices.includes(device);
      changes.set(key, {
        ...alike,
        messages: alike.messages + 1,
        devices: isNamed ? alike.devices : [...alike.devices, device].slice(0, NAMED_DEVICES),
      });
    },
    list: (): ChangedMessage[] =>
      [...changes.values()]
        .toSorted((a, b) => severity[a.outcome] - severity[b.outcome] || b.messages - a.messages)
        .slice(0, SHOWN_CHANGES),
  };
};

/**
 * Predicts the effect of a change on messages that the pipeline accepts: maps each of them without and with the change,
 * as many as fit in about a second. Ends when the client disconnects.
 * @throws HttpProblem `invalid-state` if the pipeline would be a draft; `overloaded`
 */
export const previewRecent = async (
  deps: DryRunDependencies,
  id: string,
  {
    change,
    recent,
  }: { change: PipelineChange; recent: { sinceMs: number; messages: readonly WholeMessage[] } },
  { actor, isAwaited }: ReplayedBy,
): Promise<RecentPreview> => {
  const row = await getPipeline(deps.db, id);
  // A draft accepts no messages.
  const accepted = row.state === 'draft' ? [] : recent.messages;
  const tryBefore = createTrial(deps, row, actor);
  const tryAfter = createTrial(deps, await pipelineAfter(deps, row, change), actor);
  const hasEnded = createPreviewLimit(deps, isAwaited);
  const counts: Record<Outcome, number> = { same: 0, different: 0, rejected: 0, skipped: 0 };
  const changes = createChanges();
  let total = accepted.length;
  let messages = 0;
  let tried = 0;
  const { device: configured } = channelOf(row);
  for (const received of accepted) {
    if (tried > 0 && hasEnded()) break;
    tried += 1;
    // The config of each trial applies again.
    const message = { ...received, device: received.device === configured ? undefined : received.device };
    const before = await tryBefore(message);
    if (before.rejection !== undefined) {
      total -= 1;
      continue;
    }
    const after = await tryAfter(message);
    const { outcome, missing, added } = compare(before, after);
    messages += 1;
    counts[outcome] += 1;
    if (outcome !== 'same')
      changes.add({
        at: toIsoTime(message.atMs),
        message: textOf(message),
        topic: message.topic,
        device: soleDeviceOf(before),
        defaultDevice: message.device ?? null,
        outcome,
        reason: after.rejection?.reason ?? null,
        detail: after.rejection?.detail ?? null,
        missing: missing.slice(0, LISTED_SAMPLES),
        added: added.slice(0, LISTED_SAMPLES),
      });
  }
  return {
    since: toIsoTime(recent.sinceMs),
    total,
    messages,
    ...counts,
    changed: changes.list(),
  };
};
