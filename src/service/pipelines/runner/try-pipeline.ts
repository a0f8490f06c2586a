import type { Pipeline, PipelineTest } from '#contract/pipelines.ts';
import { findDestinationByName } from '../definition/destination-store.ts';
import { probeDestination, tryStep } from './try-destination.ts';
import { countSamples } from '../destinations/destination.ts';
import type { ReadInto } from '../formats/message-writer.ts';
import type { ReadLargeMessage } from '../formats/read-message.ts';
import type { Message } from '../formats/message.ts';
import type { ExpressionEvaluator } from '../mapping/expression-evaluator.ts';
import { mapMessage } from '../mapping/map-message.ts';
import { previewReading } from '../mapping/preview-reading.ts';
import type { Source, SourceContext } from '../sources/source.ts';
import type { OpenDestinationDependencies } from '../spool/open-destination.ts';
import type { Db } from '../../platform/storage/database.ts';
import { receivedMessageOf } from './last-messages.ts';
import { findSource } from '../sources/source-catalogue.ts';
import type { MqttRouting } from '../../mqtt/mqtt-routing.ts';
import { receiptOf, sourceConfigOf, timeRuleOf } from '../ingest/pipeline-channel.ts';
import {
  configOf,
  mappingOf,
  NO_THROUGHPUT,
  pipelineOf,
  type PipelineRow,
} from '../definition/pipeline-store.ts';

const SOURCE_WITHIN_MS = 15_000;

type Step = PipelineTest['steps'][number];
type Found = { detail: string; message?: Message };

export type TrialDependencies = OpenDestinationDependencies & {
  db: Db;
  broker: MqttRouting;
  expressions: Pick<ExpressionEvaluator, 'tryOut'>;
  readLargeMessage: ReadLargeMessage;
};

/** Rejects messages during a test, so that their senders keep them. */
class TrialOnly extends Error {
  override readonly name = 'TrialOnly';
}

/** Opens a source like a pipeline, until it works. Stores and acknowledges nothing, and leaves nothing behind. */
const trySource = async (source: Source, row: PipelineRow, deps: TrialDependencies): Promise<Found> => {
  const stopping = new AbortController();
  const { promise: working, resolve, reject } = Promise.withResolvers<Found>();
  const timer = setTimeout(
    () => reject(new Error(`No message arrived within ${SOURCE_WITHIN_MS / 1_000} s.`)),
    SOURCE_WITHIN_MS,
  );
  const context: SourceContext<unknown> = {
    config: sourceConfigOf(row, deps.environment),
    interval: row.interval,
    pipeline: { id: row.id, name: row.name },
    isTrial: true,
    previousClosed: Promise.resolve(),
    outbound: deps.outbound,
    signal: stopping.signal,
    // Messages published meanwhile go to running pipelines, not to this one.
    broker: { ...deps.broker, route: () => () => undefined },
    dataDir: deps.dataDir,
    followSparkplug: () => () => undefined,
    discoveredTopics: { isEmpty: false, list: () => [], watch: () => () => undefined },
    submit: async (message) => {
      if (source.kind === 'pushed') throw new TrialOnly();
      resolve({ detail: 'The source returned a message.', message });
      return { received: 0, rejected: 0, skipped: 0, overwritten: 0, seenDevices: [] };
    },
    report: (fault) => {
      if (fault === undefined) resolve({ detail: 'Connected and waiting for messages.' });
      else reject(new Error(fault.detail));
    },
  };
  try {
    if (source.open.kind === 'polled') {
      source.open
        .start(context)()
        .then(() => resolve({ detail: 'The source returned no samples.' }), reject);
      return await working;
    }
    const open = source.open.start(context);
    try {
      if (open.receive !== undefined) resolve({ detail: 'Ready to receive messages.' });
      return await working;
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

const countedIn = (preview: ReturnType<typeof previewReading>): string => {
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
  const summary = `${counted(samples, 'sample')} of ${counted(devices, 'device')}${format}`;
  return rejection === undefined
    ? `${summary}.`
    : `${summary}; ${preview.rejections.length} rejected: ${rejection.detail}`;
};

/**
 * Tests each step of a pipeline that does not exist yet: its fields, its source (really connected or polled), the
 * mapping of a received message, and its destination. Invalid fields end the test, and without a message there is no
 * mapping step.
 */
export const tryPipeline = async (deps: TrialDependencies, row: PipelineRow): Promise<PipelineTest> => {
  const steps: Step[] = [];
  const step = async (name: Step['step'], work: () => Promise<string>): Promise<boolean> => {
    const done = await tryStep(name, work);
    steps.push(done);
    return done.ok;
  };
  const { problems }: Pick<Pipeline, 'problems'> = pipelineOf(row, NO_THROUGHPUT);
  let message: Message | undefined;
  const source = findSource(row.type);

  const times = timeRuleOf(configOf(row));
  const describe = (read: ReadInto): string => {
    const preview = previewReading(read, times);
    if (preview.samples.length === 0 && preview.rejections[0] !== undefined)
      throw new Error(preview.rejections[0].detail);
    return countedIn(preview);
  };

  const describeMapping = async (received: Message): Promise<string> => {
    const { read, slices } = await mapMessage(received, {
      mapping: mappingOf(row),
      receipt: { nowMs: deps.now(), ...receiptOf(row) },
      times,
      evaluate: deps.expressions.tryOut,
      readLargeMessage: deps.readLargeMessage,
    });
    // The first slice shows whether the message can be read.
    for await (const slice of slices ?? []) return describe((writer) => writer.addSlice(slice));
    return describe(read);
  };

  const isWhole = await step('fields', async () => {
    if (problems[0] === undefined) return 'All fields are valid.';
    throw new Error(problems.map(({ pointer, detail }) => `${pointer}: ${detail}`).join(' '));
  });
  if (isWhole && source !== undefined) {
    const isOpen = await step('source', async () => {
      const found = await trySource(source, row, deps);
      message = found.message;
      return found.detail;
    });
    const received = message;
    if (isOpen && received !== undefined) await step('mapping', () => describeMapping(received));
    await step('destination', async () => {
      const destination = await findDestinationByName(deps.db, row.destination);
      if (destination === undefined) throw new Error('The pipeline was deleted in the meantime.');
      return probeDestination(deps, destination);
    });
  }
  return {
    ok: steps.every(({ ok }) => ok),
    steps,
    ...(message !== undefined && { message: receivedMessageOf(message) }),
    ...(problems.length > 0 && { problems }),
  };
};
