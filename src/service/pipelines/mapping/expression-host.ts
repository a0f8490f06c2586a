import { Worker } from 'node:worker_threads';
import jsonata from 'jsonata';
import { describeExpressionError } from './describe-expression-error.ts';
import {
  LIMIT_MS,
  type ExpressionAnswer,
  type ExpressionInput,
  type ExpressionReport,
  type ExpressionRequest,
} from './expression-protocol.ts';

/** How long to work on one request before another pipeline gets its turn. */
const TURN_MS = 50;
const COMPILED = 20;
const STACK = 500;
const SEQUENCE = 100_000;
const RESULT_CHARACTERS = 1_048_576;

/**
 * An endless regular expression blocks all signals and events, so a separate thread checks whether the service has
 * ended.
 */
const watchParent = `
  const { workerData: parent } = require('node:worker_threads');
  setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL'); }, 1000);
`;

const compiled = new Map<string, jsonata.Expression>();

const compile = (expression: string): jsonata.Expression => {
  const known = compiled.get(expression);
  if (known !== undefined) return known;
  const fresh = jsonata(expression, { timeout: LIMIT_MS.soft, stack: STACK, sequence: SEQUENCE });
  const [oldest] = compiled.keys();
  if (compiled.size === COMPILED && oldest !== undefined) compiled.delete(oldest);
  compiled.set(expression, fresh);
  return fresh;
};

const TIMED_OUT = 'D1012';

/** JSONata throws its own objects and errors of the engine. */
const answerToError = (error: unknown): ExpressionAnswer => {
  if (error instanceof RangeError)
    return { error: { message: 'The expression nests too deeply.', position: undefined } };
  const fault: { code?: unknown; position?: unknown } =
    typeof error === 'object' && error !== null ? error : { message: String(error) };
  const { code, position } = fault;
  if (code === TIMED_OUT) return { isLate: true };
  return {
    error: {
      message: describeExpressionError(fault),
      position: typeof position === 'number' ? position : undefined,
    },
  };
};

/** JSONata represents functions as objects. JSON has no functions. */
const withoutFunctions = (_key: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && ('_jsonata_function' in value || '_jsonata_lambda' in value)
    ? undefined
    : value;

/** The CPU time of this thread in ms, without the thread that watches the parent and those of V8. */
const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

const clock = Date.now;
let [startedAt, startedCpuMs] = [clock(), cpuMs()];
/**
 * JSONata uses `Date.now` only for its time limit. Here it returns the start of the message plus the CPU time since
 * then. The CPU time is read only if the clock shows that the limit could be exceeded.
 */
Date.now = () =>
  clock() - startedAt < LIMIT_MS.soft ? startedAt : Math.trunc(startedAt + cpuMs() - startedCpuMs);

const answer = async (expression: string, input: ExpressionInput): Promise<ExpressionAnswer> => {
  const { text, isJson, topic, device } = input;
  [startedAt, startedCpuMs] = [clock(), cpuMs()];
  try {
    const message: unknown = isJson ? JSON.parse(text) : text;
    const bindings = { ...(topic === null ? {} : { topic }), ...(device === undefined ? {} : { device }) };
    const result: unknown = await compile(expression).evaluate(message, bindings);
    if (result === message) return { isUnchanged: true };
    const json = JSON.stringify(result, withoutFunctions) ?? null;
    // JSON.stringify returns undefined for a function too. Only a result of nothing skips the message.
    if (json === null && result !== undefined)
      return { error: { message: 'The result is a function. Call it.', position: undefined } };
    if (json !== null && json.length > RESULT_CHARACTERS)
      return { error: { message: 'The result is larger than 1 MiB.', position: undefined } };
    return { result: json };
  } catch (error) {
    return answerToError(error);
  }
};

/** Resolves after the report is sent, so that the service knows how far this process came if it is killed later. */
const report = (what: ExpressionReport['what']): Promise<void> =>
  new Promise((resolve, reject) => {
    const report: ExpressionReport = { what, cpuMs: cpuMs() };
    process.send?.(report, undefined, {}, (error) => (error === null ? resolve() : reject(error)));
  });

const serve = async ({ expression, messages }: ExpressionRequest): Promise<void> => {
  const begunAt = performance.now();
  for (const message of messages) {
    const answered = await answer(expression, message);
    await report(answered);
    // A message that exceeded the limits is evaluated again before those behind it.
    if ('isLate' in answered || performance.now() - begunAt > TURN_MS) break;
  }
  await report('end');
};

// Passes the parent ID from here: the thread may start after the parent has ended.
new Worker(watchParent, { eval: true, workerData: process.ppid }).unref();
process.on('disconnect', () => process.exit(0));
process.on('message', (request: ExpressionRequest) => void serve(request));
await report('ready');
