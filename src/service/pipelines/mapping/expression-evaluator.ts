import { overloaded } from '../../platform/http/http-problem.ts';
import { createExpressionProcess, type ExpressionProcess } from './expression-process.ts';
import type { ExpressionAnswer, ExpressionInput } from './expression-protocol.ts';
import { readAnswer, rejectMapping } from './expression-reading.ts';
import type { ReadInto } from '../formats/message-writer.ts';
import { readText } from '../formats/read-message.ts';
import type { Message } from '../formats/message.ts';
import { toIsoTime } from '../../platform/iso-time.ts';

export type ExpressionEvaluator = {
  /**
   * Maps a message of a pipeline. Results of one pipeline are in the order of its messages. Undefined: the expression
   * returned the message itself, which leaves it to `auto`.
   * @throws HttpProblem `overloaded` if too many messages wait, or expressions cannot be evaluated now
   */
  evaluate(pipelineId: string, expression: string, message: Message): Promise<ReadInto | undefined>;
  /** As `evaluate`, for a preview, separately from messages of pipelines. @throws HttpProblem `overloaded` */
  tryOut(expression: string, message: Message): Promise<ReadInto | undefined>;
  /** Stops evaluating. Waiting messages fail with `overloaded`, so that their senders retry. */
  close(): void;
};

type Waiting = {
  input: ExpressionInput;
  /** It exceeded the limits once, possibly because the machine was suspended meanwhile. */
  isRetried: boolean;
  resolve: (read: ReadInto | undefined) => void;
  reject: (error: unknown) => void;
};
/** The waiting messages of one pipeline and expression, and how often the expression exceeded its limits. */
type ExpressionQueue = {
  expression: string;
  waiting: Waiting[];
  bytes: number;
  isRunning: boolean;
  isTrial: boolean;
  /** Number of consecutive messages rejected because they exceeded the limits. */
  limitHits: number;
  /** By `elapsed`: the end of the quarantine, and the end of the block. */
  quarantinedUntilMs: number;
  blockedUntilMs: number;
};
type Slot = { process: ExpressionProcess; isQuarantine: boolean; isBusy: boolean };

/** Larger messages cannot be parsed within the time limit of an expression. */
const MESSAGE_BYTES = 524_288;
const MESSAGES_PER_TURN = 50;
const BYTES_PER_TURN = 1_048_576;
const WAITING_MESSAGES = 2_000;
const WAITING_BYTES = 8 * 1_048_576;
const ALL_WAITING_BYTES = 32 * 1_048_576;
const WAITING_TRIALS = 20;
/** Number of processes for regular pipelines. One more serves quarantined pipelines and previews. */
const REGULAR_SLOTS = 2;
const MAX_LIMIT_HITS = 3;
const QUARANTINE_MS = 60_000;
const BLOCKED_MS = 60_000;

const exceedsLimits = (answer: ExpressionAnswer): boolean => 'isLate' in answer;

/**
 * Evaluates the expressions of pipelines in separate processes, in turns, so that no pipeline waits for another longer
 * than a turn. A pipeline whose expression exceeds the limits is quarantined in a separate process for a minute, where
 * the message is evaluated again. If it exceeds the limits again, it is rejected. After three such messages in a row,
 * messages are rejected without evaluation for a minute.
 */
export const createExpressionEvaluator = ({
  now,
  elapsed,
}: {
  /** Epoch ms. */
  now: () => number;
  /** Monotonic clock, in ms. */
  elapsed: () => number;
}): ExpressionEvaluator => {
  const slots: Slot[] = Array.from({ length: REGULAR_SLOTS + 1 }, (_, index) => ({
    process: createExpressionProcess(),
    isQuarantine: index === REGULAR_SLOTS,
    isBusy: false,
  }));
  /** In the order of turns. */
  const queues = new Map<string, ExpressionQueue>();
  let allBytes = 0;
  let trials = 0;
  let isClosed = false;

  const isQuarantined = (queue: ExpressionQueue) => queue.isTrial || elapsed() < queue.quarantinedUntilMs;

  const takeFirst = (queue: ExpressionQueue): Waiting | undefined => {
    const first = queue.waiting.shift();
    const bytes = first?.input.text.length ?? 0;
    queue.bytes -= bytes;
    allBytes -= bytes;
    return first;
  };

  const blockedReading = (queue: ExpressionQueue): ReadInto =>
    rejectMapping(
      'expression-timeout',
      `The expression exceeded its limits for ${queue.limitHits} messages in a row. Until ${toIsoTime(now() + queue.blockedUntilMs - elapsed())}, Penstock rejects messages without evaluating them. Fix the expression.`,
    );

  /**
   * Quarantines the pipeline. The first waiting message is evaluated again, or rejected if this was its second evaluation or a
   * preview.
   */
  const recordLimitHit = (queue: ExpressionQueue, rejection: ReadInto | undefined) => {
    queue.quarantinedUntilMs = elapsed() + QUARANTINE_MS;
    const [first] = queue.waiting;
    if (first === undefined) return;
    if (!first.isRetried && !queue.isTrial) {
      first.isRetried = true;
      return;
    }
    takeFirst(queue)?.resolve(rejection);
    queue.limitHits += 1;
    if (queue.limitHits < MAX_LIMIT_HITS || queue.isTrial) return;
    queue.blockedUntilMs = elapsed() + BLOCKED_MS;
    for (let next = takeFirst(queue); next !== undefined; next = takeFirst(queue))
      next.resolve(blockedReading(queue));
  };

  const resolveFirst = (queue: ExpressionQueue, answer: ExpressionAnswer) => {
    const [first] = queue.waiting;
    if (first === undefined) return;
    const read = readAnswer(answer, first.input);
    if (exceedsLimits(answer)) return recordLimitHit(queue, read);
    takeFirst(queue);
    first.resolve(read);
    queue.limitHits = 0;
  };

  const turnOf = (queue: ExpressionQueue): ExpressionInput[] => {
    const inputs: ExpressionInput[] = [];
    let bytes = 0;
    for (const { input } of queue.waiting.slice(0, MESSAGES_PER_TURN)) {
      bytes += input.text.length;
      if (inputs.length > 0 && bytes > BYTES_PER_TURN) break;
      inputs.push(input);
    }
    return inputs;
  };

  const runTurn = async (slot: Slot, key: string, queue: ExpressionQueue): Promise<void> => {
    slot.isBusy = queue.isRunning = true;
    const messages = turnOf(queue);
    let unanswered = messages.length;
    const end = await slot.process.run({ expression: queue.expression, messages }, (answer) => {
      // A message that exceeded the limits is the last one of its turn.
      unanswered = exceedsLimits(answer) ? 0 : unanswered - 1;
      resolveFirst(queue, answer);
    });
    slot.isBusy = queue.isRunning = false;
    if (end === 'late' && unanswered > 0) resolveFirst(queue, { isLate: true });
    if (end === 'died' && unanswered > 0)
      recordLimitHit(
        queue,
        rejectMapping('expression-memory', 'The expression exceeded the memory limit of a message.'),
      );
    if (end === 'unstarted')
      for (let next = takeFirst(queue); next !== undefined; next = takeFirst(queue))
        next.reject(
          overloaded('Penstock cannot evaluate expressions now. Send the message again in a second.'),
        );
    // Move the queue behind the others.
    queues.delete(key);
    const isNeeded =
      queue.waiting.length > 0 || (!queue.isTrial && (queue.limitHits > 0 || isQuarantined(queue)));
    if (isNeeded) queues.set(key, queue);
    startTurns();
  };

  const startTurns = () => {
    for (const slot of slots) {
      if (slot.isBusy) continue;
      const next = [...queues].find(
        ([, queue]) =>
          queue.waiting.length > 0 && !queue.isRunning && isQuarantined(queue) === slot.isQuarantine,
      );
      if (next !== undefined) void runTurn(slot, ...next);
    }
  };

  /** Deletes empty queues after their quarantine. */
  const deleteIdleQueues = () => {
    for (const [key, queue] of queues)
      if (
        queue.waiting.length === 0 &&
        !queue.isRunning &&
        elapsed() > queue.blockedUntilMs &&
        !isQuarantined(queue)
      )
        queues.delete(key);
  };

  const enqueue = (key: string, expression: string, message: Message, isTrial: boolean) => {
    if (isClosed) return Promise.reject(overloaded('The service is stopping. Send the message again.'));
    if (message.bytes.length > MESSAGE_BYTES)
      return Promise.resolve(
        rejectMapping(
          'too-large',
          `Expressions accept messages of at most ${MESSAGE_BYTES / 1_024} KiB. Split the message, or use the format \`auto\`.`,
        ),
      );
    const read = readText(message);
    if ('reason' in read) return Promise.resolve(rejectMapping(read.reason, read.detail, null));
    const queue: ExpressionQueue = queues.get(key) ?? {
      expression,
      isTrial,
      waiting: [],
      bytes: 0,
      isRunning: false,
      limitHits: 0,
      quarantinedUntilMs: Number.NEGATIVE_INFINITY,
      blockedUntilMs: Number.NEGATIVE_INFINITY,
    };
    if (elapsed() < queue.blockedUntilMs) return Promise.resolve(blockedReading(queue));
    const bytes = read.text.length;
    const isFull =
      queue.waiting.length >= WAITING_MESSAGES ||
      (queue.waiting.length > 0 && queue.bytes + bytes > WAITING_BYTES) ||
      allBytes + bytes > ALL_WAITING_BYTES;
    if (isFull)
      return Promise.reject(
        overloaded('Too many messages are waiting for this expression. Send the message again in a second.'),
      );
    if (!queues.has(key)) {
      deleteIdleQueues();
      queues.set(key, queue);
    }
    queue.bytes += bytes;
    allBytes += bytes;
    const input: ExpressionInput = { ...read, topic: message.topic, device: message.device };
    const reading = new Promise<ReadInto | undefined>((resolve, reject) =>
      queue.waiting.push({ input, isRetried: false, resolve, reject }),
    );
    // Messages of the same event loop iteration share a request.
    setImmediate(startTurns);
    return reading;
  };

  let lastTrial = 0;
  return {
    evaluate: (pipelineId, expression, message) =>
      enqueue(`${pipelineId} ${expression}`, expression, message, false),
    tryOut: async (expression, message) => {
      if (trials >= WAITING_TRIALS)
        throw overloaded('Too many expressions are being tested. Try again in a second.');
      trials += 1;
      try {
        return await enqueue(`trial ${++lastTrial}`, expression, message, true);
      } finally {
        trials -= 1;
      }
    },
    close: () => {
      isClosed = true;
      for (const { process } of slots) process.close();
      for (const queue of queues.values())
        for (let next = takeFirst(queue); next !== undefined; next = takeFirst(queue))
          next.reject(overloaded('The service is stopping. Send the message again.'));
    },
  };
};
