import type { Logger } from 'pino';
import type { Tracing } from '../../platform/tracing.ts';
import type { Origin } from '../../devices/sender.ts';
import type { Clock } from '../../platform/clock.ts';
import { describeError } from '../../platform/describe-error.ts';
import { LeaseLost, type Lease } from '../../platform/storage/lease.ts';
import type { Environment } from '../../platform/secrets/environment.ts';
import { pipelineParty } from '../definition/pipeline-events.ts';
import { mappingOf, type PipelineRow } from '../definition/pipeline-store.ts';
import { isLearnedFrom, type ReadLargeMessage } from '../formats/read-message.ts';
import type { Message, Skip } from '../formats/message.ts';
import type { Intake } from '../ingest/intake.ts';
import type { LearnedRegistry } from '../ingest/learned-registry.ts';
import { rebirthCommand } from '../formats/sparkplug-payload.ts';
import { channelOf, receiptOf, sourceConfigOf } from '../ingest/pipeline-channel.ts';
import type { ExpressionEvaluator } from '../mapping/expression-evaluator.ts';
import { mapMessage, type Evaluate } from '../mapping/map-message.ts';
import { startPolling } from '../sources/poller.ts';
import type { OpenSource, SourceContext } from '../sources/source.ts';
import { findSource } from '../sources/source-catalogue.ts';
import type { Health } from './pipeline-health.ts';
import { createSourceLog } from './source-log.ts';

type OpenSourceDependencies = Pick<SourceContext<unknown>, 'outbound' | 'broker' | 'dataDir'> & {
  intake: Pick<Intake, 'submit' | 'submitSlices'>;
  expressions: Pick<ExpressionEvaluator, 'evaluate'>;
  readLargeMessage: ReadLargeMessage;
  learned: Pick<LearnedRegistry, 'find' | 'saved' | 'topicsOf' | 'watchRebirths'>;
  environment: Environment;
  log: Logger;
  tracing: Pick<Tracing, 'span'>;
  lease: Pick<Lease, 'isHeld' | 'onChange'>;
  now: () => number;
  clock: Pick<Clock, 'pausedMs'>;
  /** Called with each message, before it is stored. */
  onMessage: (pipelineId: string, message: Message, receivedAtMs: number) => void;
  /** Called with each message that was skipped. */
  onSkipped: (pipelineId: string, message: Message, skipped: Skip & { atMs: number }) => void;
  /** Called after samples of a message were accepted. */
  onAccepted: (pipelineId: string) => void;
};

/** Closes a source when another process may open it, also if the database cannot be read. */
const closeWithLease = (source: OpenSource, lease: Pick<Lease, 'onChange'>): OpenSource => {
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => {
    stopFollowing();
    return (closed ??= Promise.resolve(source.close()));
  };
  const stopFollowing = lease.onChange((isHeld) => {
    if (!isHeld) void close();
  });
  return { close };
};

/** A source that another process has opened. */
const CLOSED: OpenSource = { close: () => undefined };

/**
 * Opens the source of a pipeline: its messages go to the intake, and its faults to the health and the log. Sources
 * whose messages do not arrive at a process are opened by the holder of the lease.
 */
export const openPipelineSource = (
  {
    intake,
    expressions,
    readLargeMessage,
    learned,
    environment,
    now,
    clock,
    log,
    tracing,
    lease,
    onMessage,
    onSkipped,
    onAccepted,
    ...deps
  }: OpenSourceDependencies,
  row: PipelineRow,
  health: Health,
  previousClosed: Promise<void>,
): OpenSource => {
  const source = findSource(row.type);
  if (source === undefined) throw new TypeError(`No source for the type ${row.type}.`);
  const parsed = source.config.parse(sourceConfigOf(row, environment));
  const isLocal = source.isLocal(parsed);
  const mayConnect = (): boolean => isLocal || lease.isHeld();
  if (!mayConnect()) return CLOSED;
  const channel = channelOf(row);
  const stopping = new AbortController();
  const sourceLog = createSourceLog(log, row);
  const own: Origin = { actor: pipelineParty(row), devices: null };
  const mapping = mappingOf(row);
  const ofPipeline = receiptOf(row);
  const evaluate: Evaluate = (expression, message) => {
    const evaluated = expressions.evaluate(row.id, expression, message);
    evaluated.catch((error: unknown) => health.recordFailure(describeError(error)));
    return evaluated;
  };
  const context: SourceContext<unknown> = {
    config: parsed,
    interval: row.interval,
    pipeline: { id: row.id, name: row.name },
    previousClosed,
    mayConnect,
    outbound: deps.outbound,
    signal: stopping.signal,
    broker: deps.broker,
    dataDir: deps.dataDir,
    discoveredTopics: learned.topicsOf(row.id),
    followSparkplug: (publish) =>
      learned.watchRebirths(row.id, (node) => {
        const { topic, bytes } = rebirthCommand(node, now());
        publish(topic, bytes);
      }),
    submit: async (message, origin = own) => {
      if (!mayConnect()) throw new LeaseLost('Another process reads the source.');
      const receivedAtMs = message.receivedAtMs ?? now();
      onMessage(row.id, message, receivedAtMs);
      const receipt = { nowMs: receivedAtMs, ...ofPipeline, learned: learned.find(row.id) };
      const submission = { channel, message, origin, receivedAtMs };
      const input = { mapping, receipt, times: channel.times, evaluate, readLargeMessage };
      const { read, slices } = await mapMessage(message, input);
      const outcome =
        slices === undefined
          ? await intake.submit({ ...submission, read })
          : await intake.submitSlices(submission, slices);
      if (outcome.skip !== undefined) onSkipped(row.id, message, { ...outcome.skip, atMs: receivedAtMs });
      else if (outcome.received > outcome.rejected) onAccepted(row.id);
      if (slices !== undefined) return outcome;
      // A message is acknowledged after it is on disk, together with what the pipeline learned from it.
      if (message.topic !== null && isLearnedFrom(message.topic)) await learned.saved(row.id);
      return outcome;
    },
    report: (fault) => {
      if (fault === undefined) sourceLog.works();
      else sourceLog.failed(fault.detail);
      health.report(fault);
    },
  };
  const held = (opened: OpenSource): OpenSource => (isLocal ? opened : closeWithLease(opened, lease));
  if (source.open.kind === 'pushed') return held(source.open.start(context));
  const poll = source.open.start(context);
  const polling = startPolling({
    intervalMs: row.interval * 1_000,
    mayPoll: mayConnect,
    pausedMs: clock.pausedMs,
    poll: () =>
      tracing.span('poll source', { 'penstock.pipeline': row.id, 'penstock.type': row.type }, poll, {
        isRoot: true,
      }),
    onPolled: () => {
      sourceLog.works();
      health.polled();
    },
    onFailed: (error) => {
      if (stopping.signal.aborted) return;
      sourceLog.failed(error);
      health.pollFailed(describeError(error));
    },
  });
  return held({
    close: () => {
      stopping.abort();
      return polling.close();
    },
  });
};
