import { HttpProblem } from '../../platform/http/http-problem.ts';
import { createExpressionProcess, type ExpressionProcess } from './expression-process.ts';
import type { ExpressionAnswer, ExpressionInput } from './expression-protocol.ts';
import { expressionReading, rejectMapping } from './expression-reading.ts';
import { readText, type MessageReading } from '../formats/read-message.ts';
import type { Message } from '../formats/message.ts';

export type ExpressionEvaluator = {
  /**
   * Maps a message of a pipeline. Results of one pipeline are in the order of its messages.
   * @throws HttpProblem `overloaded` if too many messages wait, or expressions cannot be evaluated now
   */
  evaluate(pipelineId: string, expression: string, message: Message): Promise<MessageReading>;
  /** Maps one message for a preview, separately from those of pipelines. @throws HttpProblem `overloaded` */
  tryOut(expression: string, message: Message): Promise<MessageReading>;
  /** Stops evaluating. Waiting messages fail with `overloaded`, so that their senders retry. */
  close(): void;
};

type Waiting = {
  input: ExpressionInput;
  resolve: (reading: MessageReading) => void;
  reject: (error: unknown) => void;
};
/** The waiting messages of one pipeline and expression, and how often the expression exceeded its limits. */
type Track = {
  expression: string;
  waiting: Waiting[];
  bytes: number;
  isRunning: boolean;
  isTrial: boolean;
  /** Number of consecutive messages that exceeded the limits. */
  strikes: number;
  /** By `elapsed`: the end of the quarantine, and the end of the block. */
  suspectUntilMs: number;
  blockedUntilMs: number;
};
type Lane = { process: ExpressionProcess; isForSuspects: boolean; isBusy: boolean };

/** Larger messages cannot be parsed within the time limit of an expression. */
const MESSAGE_BYTES = 524_288;
const MESSAGES_PER_TURN = 50;
const BYTES_PER_TURN = 1_048_576;
const WAITING_MESSAGES = 2_000;
const WAITING_BYTES = 8 * 1_048_576;
const ALL_WAITING_BYTES = 32 * 1_048_576;
const WAITING_TRIALS = 20;
/** Number of processes for regular pipelines. One more serves quarantined pipelines and previews. */
const CALM_LANES = 2;
const STRIKES = 3;
const SUSPECT_MS = 60_000;
const BLOCKED_MS = 60_000;

const overloaded = (detail: string): HttpProblem =>
  new HttpProblem('overloaded', detail, { headers: { 'retry-after': '1' } });

const isTooMuch = (answer: ExpressionAnswer): boolean => 'isLate' in answer;

/**
 * Evaluates the expressions of pipelines in separate processes, in turns, so that no pipeline waits for another longer
 * than a turn. A pipeline whose expression exceeds the limits is quarantined in a separate process for a minute. After
 * three times in a row, its messages are rejected without evaluation for a minute.
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
  const lanes: Lane[] = Array.from({ length: CALM_LANES + 1 }, (_, index) => ({
    process: createExpressionProcess(),
    isForSuspects: index === CALM_LANES,
    isBusy: false,
  }));
  /** In the order of turns. */
  const tracks = new Map<string, Track>();
  let allBytes = 0;
  let trials = 0;
  let isClosed = false;

  const isSuspect = (track: Track) => track.isTrial || elapsed() < track.suspectUntilMs;

  const takeFirst = (track: Track): Waiting | undefined => {
    const first = track.waiting.shift();
    const bytes = first?.input.text.length ?? 0;
    track.bytes -= bytes;
    allBytes -= bytes;
    return first;
  };

  const blockedReading = (track: Track): MessageReading =>
    rejectMapping(
      'expression-timeout',
      `The expression exceeded its limits for ${track.strikes} messages in a row. Until ${new Date(now() + track.blockedUntilMs - elapsed()).toISOString()} messages are rejected without being evaluated. Fix the expression.`,
    );

  const strike = (track: Track) => {
    track.strikes += 1;
    track.suspectUntilMs = elapsed() + SUSPECT_MS;
    if (track.strikes < STRIKES || track.isTrial) return;
    track.blockedUntilMs = elapsed() + BLOCKED_MS;
    for (let next = takeFirst(track); next !== undefined; next = takeFirst(track))
      next.resolve(blockedReading(track));
  };

  const settle = (track: Track, answer: ExpressionAnswer) => {
    const first = takeFirst(track);
    first?.resolve(expressionReading(answer, first.input.device));
    if (isTooMuch(answer)) strike(track);
    else track.strikes = 0;
  };

  const turnOf = (track: Track): ExpressionInput[] => {
    const inputs: ExpressionInput[] = [];
    let bytes = 0;
    for (const { input } of track.waiting.slice(0, MESSAGES_PER_TURN)) {
      bytes += input.text.length;
      if (inputs.length > 0 && bytes > BYTES_PER_TURN) break;
      inputs.push(input);
    }
    return inputs;
  };

  const serve = async (lane: Lane, key: string, track: Track): Promise<void> => {
    lane.isBusy = track.isRunning = true;
    const end = await lane.process.run(
      { expression: track.expression, messages: turnOf(track) },
      // The queue may be empty if the expression was just blocked. Further answers of this turn are dropped.
      (answer) => track.waiting.length > 0 && settle(track, answer),
    );
    lane.isBusy = track.isRunning = false;
    if (end === 'late') settle(track, { isLate: true });
    if (end === 'died') {
      takeFirst(track)?.resolve(
        rejectMapping('expression-memory', 'The expression needed more memory than a message may take.'),
      );
      strike(track);
    }
    if (end === 'unstarted')
      for (let next = takeFirst(track); next !== undefined; next = takeFirst(track))
        next.reject(overloaded('Expressions cannot be evaluated now. Send the message again in a second.'));
    // Move the queue behind the others.
    tracks.delete(key);
    const isSpotless =
      track.waiting.length === 0 && (track.isTrial || track.strikes === 0) && !isSuspect(track);
    if (!track.isTrial && !isSpotless) tracks.set(key, track);
    pump();
  };

  const pump = () => {
    for (const lane of lanes) {
      if (lane.isBusy) continue;
      const next = [...tracks].find(
        ([, track]) =>
          track.waiting.length > 0 && !track.isRunning && isSuspect(track) === lane.isForSuspects,
      );
      if (next !== undefined) void serve(lane, ...next);
    }
  };

  /** Deletes empty queues after their quarantine. */
  const forget = () => {
    for (const [key, track] of tracks)
      if (
        track.waiting.length === 0 &&
        !track.isRunning &&
        elapsed() > track.blockedUntilMs &&
        !isSuspect(track)
      )
        tracks.delete(key);
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
    if ('rejections' in read) return Promise.resolve(read);
    const track: Track = tracks.get(key) ?? {
      expression,
      isTrial,
      waiting: [],
      bytes: 0,
      isRunning: false,
      strikes: 0,
      suspectUntilMs: Number.NEGATIVE_INFINITY,
      blockedUntilMs: Number.NEGATIVE_INFINITY,
    };
    if (elapsed() < track.blockedUntilMs) return Promise.resolve(blockedReading(track));
    const bytes = read.text.length;
    const isFull =
      track.waiting.length >= WAITING_MESSAGES ||
      (track.waiting.length > 0 && track.bytes + bytes > WAITING_BYTES) ||
      allBytes + bytes > ALL_WAITING_BYTES;
    if (isFull)
      return Promise.reject(
        overloaded('Too many messages are waiting for this expression. Send the message again in a second.'),
      );
    if (!tracks.has(key)) {
      forget();
      tracks.set(key, track);
    }
    track.bytes += bytes;
    allBytes += bytes;
    const input: ExpressionInput = { ...read, topic: message.topic, device: message.device };
    const reading = new Promise<MessageReading>((resolve, reject) =>
      track.waiting.push({ input, resolve, reject }),
    );
    // Messages of the same event loop iteration share a request.
    setImmediate(pump);
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
      for (const { process } of lanes) process.close();
      for (const track of tracks.values())
        for (let next = takeFirst(track); next !== undefined; next = takeFirst(track))
          next.reject(overloaded('The service is stopping. Send the message again.'));
    },
  };
};
