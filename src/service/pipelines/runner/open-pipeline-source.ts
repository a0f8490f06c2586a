import type { Logger } from 'pino';
import type { Origin } from '../../devices/sender.ts';
import { describeError } from '../../platform/describe-error.ts';
import type { Environment } from '../../platform/secrets/environment.ts';
import { pipelineParty } from '../definition/pipeline-events.ts';
import { mappingOf, type PipelineRow } from '../definition/pipeline-store.ts';
import { readMessage, type ReadLargeMessage } from '../formats/read-message.ts';
import type { Message } from '../formats/message.ts';
import type { Intake } from '../ingest/intake.ts';
import { channelOf, receiptOf, sourceConfigOf } from '../ingest/pipeline-channel.ts';
import type { ExpressionEvaluator } from '../mapping/expression-evaluator.ts';
import { startPolling } from '../sources/poller.ts';
import type { OpenSource, SourceContext } from '../sources/source.ts';
import { findSource } from '../sources/source-catalogue.ts';
import type { Health } from './pipeline-health.ts';
import { createSourceLog } from './source-log.ts';

type OpenSourceDependencies = Pick<SourceContext<unknown>, 'outbound' | 'broker' | 'dataDir'> & {
  intake: Pick<Intake, 'submit' | 'submitSlices'>;
  expressions: Pick<ExpressionEvaluator, 'evaluate'>;
  readLargeMessage: ReadLargeMessage;
  environment: Environment;
  log: Logger;
  now: () => number;
  /** Called with each message, before it is stored. */
  onMessage: (pipelineId: string, message: Message, receivedAtMs: number) => void;
};

/** Opens the source of a pipeline: its messages go to the intake, and its faults to the health and the log. */
export const openPipelineSource = (
  {
    intake,
    expressions,
    readLargeMessage,
    environment,
    now,
    log,
    onMessage,
    ...deps
  }: OpenSourceDependencies,
  row: PipelineRow,
  health: Health,
  previousClosed: Promise<void>,
): OpenSource => {
  const source = findSource(row.type);
  if (source === undefined) throw new TypeError(`No source for the type ${row.type}.`);
  const parsed = source.config.parse(sourceConfigOf(row, environment));
  const channel = channelOf(row);
  const stopping = new AbortController();
  const sourceLog = createSourceLog(log, row);
  const own: Origin = { actor: pipelineParty(row), devices: null };
  const mapping = mappingOf(row);
  const ofPipeline = receiptOf(row);
  const context: SourceContext<unknown> = {
    config: parsed,
    interval: row.interval,
    pipeline: { id: row.id, name: row.name },
    previousClosed,
    outbound: deps.outbound,
    signal: stopping.signal,
    broker: deps.broker,
    dataDir: deps.dataDir,
    submit: (message, origin = own) => {
      const receivedAtMs = message.receivedAtMs ?? now();
      onMessage(row.id, message, receivedAtMs);
      const receipt = { nowMs: receivedAtMs, ...ofPipeline };
      const submission = { channel, message, origin, receivedAtMs };
      const submitAuto = () => {
        const { bytes, device, topic, rejections } = message;
        const slices =
          rejections === undefined
            ? readLargeMessage({ bytes, device, topic, times: channel.times, ...receipt })
            : undefined;
        if (slices !== undefined) return intake.submitSlices(submission, slices);
        return intake.submit({ ...submission, read: (writer) => readMessage(message, receipt, writer) });
      };
      if (mapping.format === 'auto' || message.rejections !== undefined) return submitAuto();
      const evaluated = expressions.evaluate(row.id, mapping.expression ?? '', message);
      evaluated.catch((error: unknown) => health.recordFailure(describeError(error)));
      return evaluated.then((read) =>
        read === undefined ? submitAuto() : intake.submit({ ...submission, read }),
      );
    },
    report: (fault) => {
      if (fault === undefined) sourceLog.works();
      else sourceLog.failed(fault.detail);
      health.report(fault);
    },
  };
  if (source.open.kind === 'pushed') return source.open.start(context);
  const polling = startPolling({
    intervalMs: row.interval * 1_000,
    poll: source.open.start(context),
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
  return {
    close: () => {
      stopping.abort();
      return polling.close();
    },
  };
};
