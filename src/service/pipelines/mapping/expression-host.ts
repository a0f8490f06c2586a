import { Worker } from 'node:worker_threads';
import jsonata from 'jsonata';
import {
  LIMIT_MS,
  type ExpressionAnswer,
  type ExpressionInput,
  type ExpressionReport,
  type ExpressionRequest,
} from './expression-protocol.ts';

/** How long one request is worked on before another pipeline gets its turn. */
const TURN_MS = 50;
const COMPILED = 20;
const STACK = 500;
const SEQUENCE = 100_000;
const RESULT_CHARACTERS = 1_048_576;

/** An endless regular expression hears no signal and no event: a thread of its own sees that the service is gone. */
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

/** JSONata throws objects of its own, and hands on what the engine throws. */
const answerToError = (error: unknown): ExpressionAnswer => {
  if (error instanceof RangeError)
    return { error: { message: 'The expression nests too deeply.', position: undefined } };
  const { code, message, position }: { code?: unknown; message?: unknown; position?: unknown } =
    typeof error === 'object' && error !== null ? error : { message: String(error) };
  if (code === TIMED_OUT) return { isLate: true };
  return {
    error: {
      message: typeof message === 'string' ? message.slice(0, 1_000) : 'It failed.',
      position: typeof position === 'number' ? position : undefined,
    },
  };
};

/** JSONata keeps functions as objects: a result is JSON, which has none. */
const withoutFunctions = (_key: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && ('_jsonata_function' in value || '_jsonata_lambda' in value)
    ? undefined
    : value;

/** What this thread has computed so far, in ms of CPU time: neither the one that watches the parent nor those of V8. */
const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

const clock = Date.now;
let [startedAt, startedCpuMs] = [clock(), cpuMs()];
/**
 * JSONata limits itself by `Date.now`, and uses it for nothing else: here that is the start of the message and what was
 * computed since, asked for only once the clock says that it could be too much.
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

/** Resolves when the report is in the pipe: whatever kills this process later, it is known how far it came. */
const report = (what: ExpressionReport['what']): Promise<void> =>
  new Promise((resolve, reject) => {
    const report: ExpressionReport = { what, cpuMs: cpuMs() };
    process.send?.(report, undefined, {}, (error) => (error === null ? resolve() : reject(error)));
  });

const serve = async ({ expression, messages }: ExpressionRequest): Promise<void> => {
  const begunAt = performance.now();
  for (const message of messages) {
    await report(await answer(expression, message));
    if (performance.now() - begunAt > TURN_MS) break;
  }
  await report('end');
};

// Told here who the parent is: the thread may start only after its end.
new Worker(watchParent, { eval: true, workerData: process.ppid }).unref();
process.on('disconnect', () => process.exit(0));
process.on('message', (request: ExpressionRequest) => void serve(request));
await report('ready');
