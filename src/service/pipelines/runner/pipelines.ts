import type { PipelineTest } from '#contract/pipelines.ts';
import type { Throughput } from '#contract/throughput.ts';
import type { ReplayOutcome, ReplayRequest } from '#contract/rejections.ts';
import type { Message, MessageOutcome } from '../formats/message.ts';
import type { Origin } from '../../devices/sender.ts';
import type { ReplayedBy } from '../replay/rejected-submission.ts';
import type { CurrentThroughput, PipelineRow } from '../definition/pipeline-store.ts';

/** The pipelines that work, and what else of the service asks of them. */
export type Pipelines = {
  /** Starts, restarts or stops a pipeline as its row now says; resolves when its state is the fact. */
  apply(id: string): Promise<void>;
  /** Hands over a message that came through the API. @throws HttpProblem where this pipeline takes none */
  receive(id: string, message: Message, origin: Origin): Promise<MessageOutcome>;
  /** Tries each step of a pipeline that does not exist yet; stores nothing. */
  tryOut(row: PipelineRow): Promise<PipelineTest>;
  /** Takes the messages of rejections again. @throws HttpProblem `invalid-state` of a draft */
  replay(id: string, choice: ReplayRequest, by: ReplayedBy): Promise<ReplayOutcome>;
  /** Opens a destination again, as it is now called and reached, and tries at once what is pending for it; it may be gone. */
  destinationChanged(id: string): Promise<void>;
  /** What the rows do not tell. */
  currentThroughputOf(row: PipelineRow): CurrentThroughput;
  /** What a pipeline received in each minute of the last 24 hours. */
  throughputOf(row: PipelineRow): Promise<Throughput>;
  /** Takes nothing more, finishes what was taken, and stops. */
  close(): Promise<void>;
  /** Where the embedded broker listens; undefined while it does not. */
  mqtt(): { port: number; tls: boolean } | undefined;
};
