import type { KeyActivityLog } from '../../access/key-activity.ts';
import { describeError } from '../../platform/describe-error.ts';
import { notFound, HttpProblem } from '../../platform/http/http-problem.ts';
import { createDeliveryScheduler, type DeliverySchedulerDependencies } from '../spool/delivery-scheduler.ts';
import { createDeviceMessageCache, isSameMessage } from '../ingest/device-message-cache.ts';
import { createIntake } from '../ingest/intake.ts';
import type { LearnedRegistry } from '../ingest/learned-registry.ts';
import { createRejectingDevices } from '../ingest/rejecting-devices.ts';
import type { OpenSource } from '../sources/source.ts';
import { findSource } from '../sources/source-catalogue.ts';
import type { MqttBroker } from '../../mqtt/mqtt-broker.ts';
import type { ExpressionEvaluator } from '../mapping/expression-evaluator.ts';
import type { Clock } from '../../platform/clock.ts';
import type { LiveBus } from '../../platform/live-bus.ts';
import { noPeers, type Peers, type PeerTopics } from '../../platform/peers.ts';
import { createTaskQueues } from '../../platform/task-queues.ts';
import type { Timeouts } from '../../platform/timeouts.ts';
import { storedHealth, updatePipelineState } from './update-pipeline-state.ts';
import { openPipelineSource } from './open-pipeline-source.ts';
import { createHealth, type Health } from './pipeline-health.ts';
import {
  configOf,
  findPipeline,
  ledgerOf,
  listAllPipelines,
  listFrames,
  listSpooling,
  stateOf,
  stateReasonOf,
  type PipelineRow,
} from '../definition/pipeline-store.ts';
import { createLastMessages } from './last-messages.ts';
import { createSkippedMessages } from './skipped-messages.ts';
import { createSkippedRuns } from './skipped-runs.ts';
import { createReportedSpools } from './reported-spools.ts';
import { createPausedMessages } from './paused-messages.ts';
import type { Pipelines } from './pipelines.ts';
import type { ThroughputRecorder } from './throughput-recorder.ts';
import { tryPipeline, type TrialDependencies } from './try-pipeline.ts';
import { createReplayer, type ReplayerDependencies } from '../replay/replay-rejections.ts';

/** Number of messages that a change of the pipeline is compared with. */
const RECENT_MESSAGES = 50;
const TICKS_PER_ADOPTION = 10;

/** `isHeld`: whether this process held the lease when the source was opened. */
type Running = { row: PipelineRow; open: OpenSource; health: Health; isHeld: boolean };

export type RunnerDependencies = DeliverySchedulerDependencies &
  ReplayerDependencies &
  TrialDependencies & {
    live: Pick<LiveBus, 'publish' | 'subscribe'>;
    peers: Pick<Peers, 'send' | 'subscribe'>;
    clock: Clock;
    broker: MqttBroker;
    expressions: ExpressionEvaluator;
    learned: LearnedRegistry;
    throughput: ThroughputRecorder;
    keyActivity: Pick<KeyActivityLog, 'find'>;
    timeouts: Pick<Timeouts, 'pipelineTickMs' | 'pipelineStateHoldMs'>;
  };

export const createRunner = (deps: RunnerDependencies): Pipelines => {
  const { db, transact, live, lease, peers, log, now, clock, throughput, broker } = deps;
  const running = new Map<string, Running>();
  /** One change of a pipeline at a time: a tick must not evaluate a pipeline that is being replaced. */
  const changes = createTaskQueues();
  /** Pipelines whose ledger or state changed since their last frame. */
  const changed = new Set<string>();

  const deliveries = createDeliveryScheduler(deps, {
    onDelivered: (pipelineId) => changed.add(pipelineId),
    onRejected: (pipelineId, samples) =>
      running.get(pipelineId)?.health.count(0, samples, { 'destination-refused': samples }),
  });

  const lastMessages = createLastMessages();
  const skippedMessages = createSkippedMessages();
  const skippedRuns = createSkippedRuns();
  const deviceMessages = createDeviceMessageCache();
  const rejectingDevices = createRejectingDevices(now);
  const pausedMessages = createPausedMessages(now);
  const sinceMs = now();

  /** Counts messages of this process or another one. The holder of the lease delivers, and sends the frames. */
  const count = (counted: PeerTopics['counted']): void => {
    const { pipelineId, received, rejected, reasons, pending, spoolBytes } = counted;
    running.get(pipelineId)?.health.count(received, rejected, reasons);
    if (!lease.isHeld()) return;
    if (pending > 0) deliveries.spooled(pipelineId, { samples: pending, bytes: spoolBytes });
    changed.add(pipelineId);
  };
  const countAndTell = (counted: PeerTopics['counted']): void => {
    count(counted);
    peers.send('counted', counted);
  };
  peers.subscribe('counted', count);
  peers.subscribe('full', ({ pipelineId }) => {
    if (lease.isHeld()) deliveries.markFull(pipelineId);
  });
  const spools = createReportedSpools(peers);

  const intake = createIntake({
    ...deps,
    deviceMessages,
    rejectingDevices,
    onCounted: ({ pipelineId, received, rejected, reasons, pending, spoolBytes }) => {
      throughput.count(pipelineId, received);
      countAndTell({ pipelineId, received, rejected, reasons, pending, spoolBytes });
    },
    onFull: (pipelineId) => {
      if (lease.isHeld()) deliveries.markFull(pipelineId);
      else peers.send('full', { pipelineId });
    },
    onFailed: (pipelineId, error) => running.get(pipelineId)?.health.recordFailure(describeError(error)),
  });

  const replayer = createReplayer(deps, {
    onSpooled: (pipelineId, { samples, bytes }) =>
      countAndTell({ ...nothingCounted, pipelineId, pending: samples, spoolBytes: bytes }),
    onMoved: (pipelineId) => countAndTell({ ...nothingCounted, pipelineId }),
  });

  const updateState = async ({ row, health, isHeld }: Running): Promise<void> => {
    if (!isHeld || !lease.isHeld()) return;
    const isChanged = await updatePipelineState(
      { transact, lease, now },
      row,
      health.evaluate(deliveries.faultOf(row.id)),
    );
    if (isChanged) changed.add(row.id);
  };

  const rateOf = (id: string) => ({ perSecond: running.get(id)?.health.rate.perSecond() ?? 0 });

  const sendFrames = async () => {
    const ids = [...changed];
    changed.clear();
    if (ids.length === 0 || !lease.isHeld()) return;
    for (const row of await listFrames(db, ids))
      live.publish('pipeline', {
        id: row.id,
        state: stateOf(row),
        stateReason: stateReasonOf(row),
        ledger: ledgerOf(row),
        rate: rateOf(row.id),
        spool: deliveries.spoolOf(row),
      });
  };

  /** A pipeline that was edited starts without its old problems; one that was restarted continues with them. */
  const createHealthOf = (row: PipelineRow, old: Running | undefined): Health =>
    createHealth({
      intervalMs: findSource(row.type)?.kind === 'polled' ? row.interval * 1_000 : undefined,
      // While the process does not run, it neither polls nor receives.
      now: () => clock.elapsed() - clock.pausedMs(),
      holdMs: deps.timeouts.pipelineStateHoldMs,
      before: old === undefined ? storedHealth(row, now()) : undefined,
      rate: old?.health.rate,
      isChanged: old !== undefined,
    });

  const applyNow = async (id: string): Promise<void> => {
    const row = await findPipeline(db, id);
    await deliveries.apply(id, row);
    if (row?.type === 'mqtt') await deps.learned.load(id, learnedScopeOf(row));
    const old = running.get(id);
    running.delete(id);
    // No await between closing the old source and opening the new one, so that no message is rejected.
    const closed = Promise.resolve(old?.open.close());
    changed.add(id);
    if (row?.enabled !== 0) pausedMessages.delete(id);
    if (row !== undefined && row.enabled === 1 && row.state !== 'draft') {
      const isHeld = lease.isHeld();
      // The state that the former holder of the lease has written continues.
      const former = old?.isHeld === isHeld ? old : undefined;
      const isUnchanged = former !== undefined && hasSameBehaviour(former.row, row);
      if (!isUnchanged) skippedRuns.restart(id);
      const health = isUnchanged ? former.health : createHealthOf(row, former);
      const next: Running = {
        row,
        health,
        isHeld,
        open: openPipelineSource(
          {
            ...deps,
            intake,
            onMessage: lastMessages.set,
            onSkipped: (pipelineId, message, skipped) => {
              skippedMessages.set(pipelineId, message, skipped);
              if (skipped.reason === 'expression') skippedRuns.skipped(pipelineId, skipped.atMs);
            },
            onAccepted: skippedRuns.accepted,
          },
          row,
          health,
          closed,
        ),
      };
      running.set(id, next);
      await updateState(next);
    }
    await closed;
    if (row !== undefined) return;
    deps.learned.delete(id);
    lastMessages.delete(id);
    skippedMessages.delete(id);
    skippedRuns.delete(id);
    deviceMessages.delete(id);
    rejectingDevices.delete(id);
  };

  /** Pipelines whose last change could not be applied, for example because the database did not answer. */
  const unapplied = new Set<string>();
  const apply = (id: string): Promise<void> =>
    changes.run(id, async () => {
      unapplied.add(id);
      await applyNow(id);
      unapplied.delete(id);
    });

  /** Opens sources after this process got the lease. They close with it. */
  let isBehindLease = false;
  const stopFollowing = lease.onChange(() => {
    isBehindLease = true;
  });
  const followLease = async () => {
    if (!isBehindLease) return;
    isBehindLease = false;
    try {
      for (const { id } of await listAllPipelines(db)) unapplied.add(id);
    } catch (error) {
      isBehindLease = true;
      throw error;
    }
  };
  const retryUnapplied = async () => {
    await followLease();
    const waiting = [...unapplied].filter((id) => !changes.isBusy(id));
    // A pipeline that fails must not delay others.
    const outcomes = await Promise.allSettled(waiting.map((id) => apply(id)));
    const failure = outcomes.find(({ status }) => status === 'rejected');
    if (failure?.status === 'rejected') throw failure.reason;
  };

  /** A process that was killed may not have announced the samples that it spooled. */
  let ticksToAdopt = TICKS_PER_ADOPTION;
  const adoptSpools = async () => {
    ticksToAdopt -= 1;
    if (ticksToAdopt > 0 || peers === noPeers || !lease.isHeld()) return;
    ticksToAdopt = TICKS_PER_ADOPTION;
    for (const id of await listSpooling(db)) deliveries.adopt(id);
  };

  /** Skips pipelines that are being changed: `applyNow` evaluates them. */
  const tick = async () => {
    await retryUnapplied();
    await adoptSpools();
    for (const id of running.keys()) {
      if (changes.isBusy(id)) continue;
      await changes.run(id, async () => {
        const each = running.get(id);
        if (each !== undefined) await updateState(each);
      });
    }
    await sendFrames();
  };
  let isTicking = false;
  let ticking: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    if (isTicking) return;
    isTicking = true;
    ticking = tick()
      .catch((error: unknown) => log.error({ err: error }, 'could not write the states of pipelines'))
      .finally(() => {
        isTicking = false;
      });
  }, deps.timeouts.pipelineTickMs);

  return {
    apply,
    receive: async (id, message, origin) => {
      const receive = running.get(id)?.open.receive;
      if (receive !== undefined) return receive(message, origin);
      const row = await findPipeline(db, id);
      if (row === undefined) throw notFound('pipeline');
      if (row.state === 'paused' && acceptsMessages(row)) pausedMessages.record(id);
      throw new HttpProblem('invalid-state', notRunningReason(row));
    },
    mqtt: () => {
      let mqtt: { port: number; tls: boolean } | undefined;
      // The listener is called immediately with the current status, which is enough.
      broker.watch(
        ({ port, isTls = false }) => (mqtt = port === undefined ? undefined : { port, tls: isTls }),
      )();
      return mqtt;
    },
    tryOut: (row, signal) => tryPipeline(deps, row, signal),
    replay: async (id, choice, by) => {
      const outcome = await replayer.replay(id, choice, by);
      const row = await findPipeline(db, id);
      // The rejected samples of its devices are accepted now.
      if (row !== undefined && ledgerOf(row).rejected === 0) rejectingDevices.delete(id);
      return outcome;
    },
    destinationChanged: async (id) => deliveries.destinationChanged(id),
    networkAllowed: deliveries.networkAllowed,
    lastMessageOf: lastMessages.find,
    skippedMessageOf: skippedMessages.find,
    messagesOf: ({ id, externalId }) => ({
      sinceMs,
      seenBy: deviceMessages.seenBy(id),
      last: deviceMessages.lastMessages([id, externalId]),
    }),
    recentMessagesOf: (id) => {
      const ofDevices = deviceMessages.latestAccepted(id, RECENT_MESSAGES);
      const last = lastMessages.findWhole(id);
      // Long messages, and those of several devices, are kept only as the last message of the pipeline.
      if (last === undefined || ofDevices.some((message) => isSameMessage(message, last)))
        return { sinceMs, messages: ofDevices };
      return { sinceMs, messages: [...ofDevices.slice(0, RECENT_MESSAGES - 1), last] };
    },
    rejectingDevices: rejectingDevices.list,
    pausedMessages: pausedMessages.list,
    skippedRuns: (afterMs) =>
      [...running.values()].flatMap(({ row }) => {
        const run = skippedRuns.find(row.id);
        return run === undefined || run.lastAtMs <= afterMs ? [] : [{ pipeline: row, run }];
      }),
    throughputOf: throughput.read,
    lastHoursOf: throughput.readLastHour,
    currentThroughputOf: (row) => ({
      ...rateOf(row.id),
      spool: lease.isHeld() ? deliveries.spoolOf(row) : spools.spoolOf(row, deliveries.spoolOf(row)),
    }),
    close: async () => {
      clearInterval(timer);
      stopFollowing();
      broker.stopAccepting();
      await Promise.all([ticking, changes.settled()]);
      await Promise.all([...running.values()].map(async ({ open }) => open.close()));
      running.clear();
      await Promise.all([intake.drained(), replayer.close()]);
      await deliveries.close();
      await broker.close();
      await sendFrames();
    },
  };
};

const nothingCounted = { received: 0, rejected: 0, reasons: {}, pending: 0, spoolBytes: 0 };

/** False after a change of anything but the name. */
const hasSameBehaviour = (one: PipelineRow, other: PipelineRow): boolean =>
  (['type', 'interval', 'config', 'secrets', 'mapping', 'destination_key'] as const).every(
    (column) => one[column] === other[column],
  );

/** What a pipeline learned of one broker and its topics does not apply to others. */
const learnedScopeOf = (row: PipelineRow): string => {
  const { url, topic } = configOf(row);
  return JSON.stringify([url, topic]);
};

const acceptsMessages = ({ type }: PipelineRow): boolean => findSource(type)?.acceptsMessages === true;

const notRunningReason = (row: PipelineRow): string => {
  const { name, type, state } = row;
  if (state === 'draft') return `The pipeline “${name}” is a draft. Fix its problems first.`;
  if (state === 'paused' && acceptsMessages(row))
    return `The pipeline “${name}” is paused. Resume it, then send the message again.`;
  return `The pipeline “${name}” has the type ${type} and does not accept messages here. Send the message to a pipeline of type http.`;
};
