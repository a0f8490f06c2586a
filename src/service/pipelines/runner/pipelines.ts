import type { PipelineTestLine } from '#contract/pipeline-test-line.ts';
import type { SkippedMessage } from '#contract/messages.ts';
import type { ReceivedMessage } from '#contract/received-message.ts';
import type { PipelineLastHour, Throughput, ThroughputRange } from '#contract/throughput.ts';
import type { ReplayOutcome, ReplayRequest } from '#contract/rejections.ts';
import type { Message, MessageOutcome } from '../formats/message.ts';
import type { Origin } from '../../devices/sender.ts';
import type { ReplayedBy } from '../replay/rejected-submission.ts';
import type { LastMessage, WholeMessage } from '../ingest/device-message-cache.ts';
import type { RejectingDevice } from '../ingest/rejecting-devices.ts';
import type { PausedMessages } from './paused-messages.ts';
import type { SkippedRun } from './skipped-runs.ts';
import type { CurrentThroughput, PipelineRow } from '../definition/pipeline-store.ts';

/** The running pipelines, as the rest of the service uses them. */
export type Pipelines = {
  /** Starts, restarts or stops a pipeline according to its row. Resolves after the change has taken effect. */
  apply(id: string): Promise<void>;
  /** Submits a message from the API. @throws HttpProblem if the pipeline does not accept messages */
  receive(id: string, message: Message, origin: Origin): Promise<MessageOutcome>;
  /** Tests each step of a pipeline that does not exist yet, until `signal` aborts. Stores nothing. */
  tryOut(row: PipelineRow, signal: AbortSignal): AsyncIterable<PipelineTestLine>;
  /** Replays rejected messages. @throws HttpProblem `invalid-state` for a draft */
  replay(id: string, choice: ReplayRequest, by: ReplayedBy): Promise<ReplayOutcome>;
  /** Reopens a destination after it was changed or deleted, and retries pending deliveries immediately. */
  destinationChanged(id: string): Promise<void>;
  /** Retries deliveries to addresses that were not allowed, after a network was allowed. */
  networkAllowed(): void;
  /** The current throughput and spool, which are not in the row. */
  currentThroughputOf(row: PipelineRow): CurrentThroughput;
  /** The last message since the service started; undefined: none. */
  lastMessageOf(id: string): (ReceivedMessage & { at: string }) | undefined;
  /** The last skipped message since the service started; undefined: none. */
  skippedMessageOf(id: string): SkippedMessage | undefined;
  /** By pipeline ID, when it last saw a device, and its last message, since the service started. */
  messagesOf(device: { id: string; externalId: string }): {
    sinceMs: number;
    seenBy: ReadonlyMap<string, number>;
    last: ReadonlyMap<string, LastMessage>;
  };
  /** The latest messages of a pipeline that are kept whole, without rejected ones, since the service started. */
  recentMessagesOf(id: string): { sinceMs: number; messages: readonly WholeMessage[] };
  /** Devices of whose recent samples 30 % or more were rejected, since the service started. */
  rejectingDevices(): RejectingDevice[];
  /** By pipeline ID, the messages sent to paused pipelines that received one after `afterMs`. */
  pausedMessages(afterMs: number): ReadonlyMap<string, PausedMessages>;
  /** Running pipelines whose expression has stopped returning samples, with a message after `afterMs`. */
  skippedRuns(afterMs: number): { pipeline: Pick<PipelineRow, 'id' | 'name'>; run: SkippedRun }[];
  /** The samples received in each minute or hour of a range. */
  throughputOf(row: PipelineRow, range: ThroughputRange): Promise<Throughput>;
  /** The samples received in each minute of the last hour, for several pipelines. */
  lastHoursOf(rows: readonly Pick<PipelineRow, 'id' | 'created_at'>[]): Promise<PipelineLastHour[]>;
  /** Stops accepting messages, finishes the accepted ones, and stops. */
  close(): Promise<void>;
  /** The port of the embedded broker; undefined while it does not listen. */
  mqtt(): { port: number; tls: boolean } | undefined;
};
