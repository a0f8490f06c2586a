import type { PipelineTestStep } from '#contract/pipeline-test.ts';
import type { PipelineTestLine } from '#contract/pipeline-test-line.ts';
import type { Pipeline } from '#contract/pipelines.ts';
import { findDestinationByName } from '../definition/destination-store.ts';
import { raceAbort } from '../connections/race-abort.ts';
import { targetOf } from '../definition/pipeline-target.ts';
import { probeDestination, tryStep, type StepResult } from './try-destination.ts';
import { countSamples } from '../destinations/destination.ts';
import type { ReadLargeMessage } from '../formats/read-message.ts';
import type { Message } from '../formats/message.ts';
import type { ExpressionEvaluator } from '../mapping/expression-evaluator.ts';
import { mapMessage } from '../mapping/map-message.ts';
import { previewReading, type ReadingPreview } from '../mapping/preview-reading.ts';
import type { Source, SourceContext } from '../sources/source.ts';
import type { OpenDestinationDependencies } from '../spool/open-destination.ts';
import type { Db } from '../../platform/storage/database.ts';
import { receivedMessageOf } from './last-messages.ts';
import { findSource } from '../sources/source-catalogue.ts';
import type { MqttRouting } from '../../mqtt/mqtt-routing.ts';
import { channelOf, receiptOf, sourceConfigOf } from '../ingest/pipeline-channel.ts';
import {
  configOf,
  mappingOf,
  NO_THROUGHPUT,
  pipelineOf,
  type PipelineRow,
} from '../definition/pipeline-store.ts';

const SOURCE_WITHIN_MS = 15_000;

/** `messages`: what a poll submitted. */
type Found = StepResult & { messages?: readonly Message[] };

export type TrialDependencies = OpenDestinationDependencies & {
  db: Db;
  broker: MqttRouting;
  expressions: Pick<ExpressionEvaluator, 'tryOut'>;
  readLargeMessage: ReadLargeMessage;
  retentionMs: number | undefined;
};

/** Rejects messages during a test, so that their senders keep them. */
class TrialOnly extends Error {
  override readonly name = 'TrialOnly';
}

/** Opens a source like a pipeline, until it works. Stores and acknowledges nothing, and leaves nothing behind. */
const trySource = async (
  source: Source,
  row: PipelineRow,
  deps: TrialDependencies,
  signal: AbortSignal,
): Promise<Found> => {
  const stopping = new AbortController();
  const { promise: working, resolve, reject } = Promise.withResolvers<Found>();
  const timer = setTimeout(
    () => reject(new Error(`No message arrived within ${SOURCE_WITHIN_MS / 1_000} s.`)),
    SOURCE_WITHIN_MS,
  );
  const messages: Message[] = [];
  const context: SourceContext<unknown> = {
    config: sourceConfigOf(row, deps.environment),
    interval: row.interval,
    pipeline: { id: row.id, name: row.name },
    isTrial: true,
    previousClosed: Promise.resolve(),
    mayConnect: () => true,
    outbound: deps.outbound,
    signal: stopping.signal,
    // Messages published meanwhile go to running pipelines, not to this one.
    broker: { ...deps.broker, route: () => () => undefined },
    dataDir: deps.dataDir,
    followSparkplug: () => () => undefined,
    discoveredTopics: { isEmpty: false, list: () => [], watch: () => () => undefined },
    submit: async (message) => {
      if (source.kind === 'pushed') throw new TrialOnly();
      messages.push(message);
      return { received: 0, rejected: 0, skipped: 0, overwritten: 0, seenDevices: [], rejections: [] };
    },
    report: (fault) => {
      if (fault === undefined) resolve({ detail: 'Connected and waiting for messages.' });
      else if (fault.field === undefined) reject(new Error(fault.detail, { cause: fault.cause }));
      else resolve({ ok: false, detail: fault.detail, pointer: `/config/${fault.field}` });
    },
  };
  try {
    if (source.open.kind === 'polled') {
      source.open
        .start(context)()
        .then(
          () =>
            resolve(
              messages.length === 0
                ? { detail: 'The source returned no samples.' }
                : { detail: 'The source returned a message.', messages },
            ),
          reject,
        );
      return await raceAbort(working, signal);
    }
    const open = source.open.start(context);
    try {
      if (open.receive !== undefined) resolve({ detail: 'Ready to receive messages.' });
      return await raceAbort(working, signal);
    } finally {
      await open.close();
    }
  } finally {
    clearTimeout(timer);
    stopping.abort();
    working.catch(() => undefined);
  }
};

const counted = (count: number, one: string): string => `${count} ${count === 1 ? one : `${one}s`}`;

const countedIn = (preview: ReadingPreview): string => {
  if (preview.skipped && preview.leftOut.length > 0)
    return 'The pipeline leaves out all metrics of this message.';
  if (preview.skipped)
    return preview.format === 'expression'
      ? 'The expression skips this message.'
      : `Recognised as ${preview.format}. Messages to this topic contain no samples.`;
  const samples = countSamples(preview.samples);
  const devices = new Set(preview.samples.map(({ device }) => device)).size;
  const rejection = preview.rejections[0];
  // Omits the Penstock format, which sources use for their own measurements.
  const isOwn = preview.format === null || preview.format === 'penstock';
  const format = isOwn ? '' : `, as ${preview.format}`;
  const summary = `${counted(samples, 'sample')} from ${counted(devices, 'device')}${format}`;
  return rejection === undefined
    ? `${summary}.`
    : `${summary}; ${preview.rejections.length} rejected: ${rejection.detail}`;
};

/** The fields of the config that change the outcome of a message, by the reason of its rejection. */
const fieldsByReason: Record<string, string> = {
  'device-missing': 'device',
  'ts-zone': 'timeZone',
  'ts-implausible': 'allowOld',
  'modbus-exception': 'registers',
};

/** The field to check if a message is rejected for this reason. */
const pointerOf = (
  { reason }: ReadingPreview['rejections'][number],
  source: Source,
  row: PipelineRow,
): string => {
  const field = fieldsByReason[reason];
  if (field !== undefined && Object.hasOwn(source.config.shape, field)) return `/config/${field}`;
  return mappingOf(row).format === 'expression' ? '/mapping/expression' : '/mapping';
};

const resultOf = (preview: ReadingPreview, source: Source, row: PipelineRow): StepResult => {
  const rejection = preview.rejections[0];
  if (rejection === undefined) return { detail: countedIn(preview) };
  const pointer = pointerOf(rejection, source, row);
  return preview.samples.length === 0
    ? { ok: false, detail: rejection.detail, pointer }
    : { detail: countedIn(preview), pointer };
};

/** The predicted result of a message, or of the first slice of a large one: the slice shows whether it can be read. */
const previewOf = async (
  message: Message,
  row: PipelineRow,
  deps: TrialDependencies,
): Promise<ReadingPreview> => {
  const { times, isSpooled } = channelOf(row);
  // The retention does not apply to external destinations.
  const retentionMs = isSpooled ? undefined : deps.retentionMs;
  const window = { nowMs: deps.now(), retentionMs };
  const { read, slices } = await mapMessage(message, {
    mapping: mappingOf(row),
    receipt: { nowMs: window.nowMs, ...receiptOf(row) },
    times,
    evaluate: deps.expressions.tryOut,
    readLargeMessage: deps.readLargeMessage,
  });
  for await (const slice of slices ?? [])
    return previewReading((writer) => writer.addSlice(slice), times, window);
  return previewReading(read, times, window);
};

/** Maps the received message, and adds the rejections of the other messages of the poll. */
const tryMapping = async (
  received: Message,
  messages: readonly Message[],
  source: Source,
  row: PipelineRow,
  deps: TrialDependencies,
): Promise<StepResult> => {
  const preview = await previewOf(received, row, deps);
  const others = await Promise.all(
    messages.filter((message) => message !== received).map((message) => previewOf(message, row, deps)),
  );
  const rejections = [preview, ...others].flatMap((each) => each.rejections);
  return resultOf({ ...preview, rejections }, source, row);
};

/** The message of a poll to map and show: the first that the source did not reject, otherwise the first. */
const receivedIn = (messages: readonly Message[]): Message | undefined =>
  messages.find(({ rejections }) => rejections === undefined) ?? messages[0];

/**
 * Tests each step of a pipeline that does not exist yet: its fields, its source (really connected or polled), the
 * mapping of a received message, and its destination. Invalid fields end the test, and without a message there is no
 * mapping step. Ends without a result when `signal` aborts.
 */
export async function* tryPipeline(
  deps: TrialDependencies,
  row: PipelineRow,
  signal: AbortSignal,
): AsyncGenerator<PipelineTestLine, void> {
  const steps: PipelineTestStep[] = [];
  async function* run(step: PipelineTestStep['step'], work: () => Promise<StepResult>, pointer?: string) {
    if (signal.aborted) return;
    yield { type: 'begin' as const, step };
    const done = await tryStep(step, work, pointer);
    if (signal.aborted) return;
    steps.push(done);
    yield { type: 'step' as const, ...done };
  }
  const { problems }: Pick<Pipeline, 'problems'> = pipelineOf(row, NO_THROUGHPUT);
  const source = findSource(row.type);
  let messages: readonly Message[] = [];

  yield* run('fields', async () => {
    if (problems[0] === undefined) return { detail: 'All fields are valid.' };
    throw new Error(problems.map(({ pointer, detail }) => `${pointer}: ${detail}`).join(' '));
  });
  if (problems.length === 0 && source !== undefined) {
    yield* run(
      'source',
      async () => {
        const { messages: found = [], ...result } = await trySource(source, row, deps, signal);
        messages = found;
        return result;
      },
      targetOf(row.type, configOf(row))?.pointer,
    );
    const received = receivedIn(messages);
    if (received !== undefined)
      yield* run('mapping', () => tryMapping(received, messages, source, row, deps), '/mapping/expression');
    yield* run(
      'destination',
      async () => {
        const destination = await findDestinationByName(deps.db, row.destination);
        if (destination === undefined)
          throw new Error('The destination was deleted during the test. Choose another destination.');
        return { detail: await probeDestination(deps, destination, { signal }) };
      },
      '/destination',
    );
  }
  if (signal.aborted) return;
  const message = receivedIn(messages);
  yield {
    type: 'end',
    test: {
      ok: steps.every(({ ok }) => ok),
      steps,
      // The text of a message that the source rejected would preview as samples.
      ...(message !== undefined &&
        message.rejections === undefined && { message: receivedMessageOf(message) }),
      ...(problems.length > 0 && { problems }),
    },
  };
}
