import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  createExpressionEvaluator,
  type ExpressionEvaluator,
} from '#service/pipelines/mapping/expression-evaluator.ts';
import type { ReadInto } from '#service/pipelines/formats/message-writer.ts';
import { collectSamples } from './read-to-samples.ts';

let nowMs = 1_795_253_400_000;
let evaluator: ExpressionEvaluator;
beforeAll(() => {
  evaluator = createExpressionEvaluator({ now: () => nowMs, elapsed: () => nowMs });
});
afterAll(() => evaluator.close());

let number = 0;
let pipeline: string;
beforeEach(() => {
  pipeline = `pip_${++number}`;
});
/** Ends the quarantine of expressions before the next test. */
afterEach(() => {
  nowMs += 3_600_000;
});

const messageOf = (message: unknown, topic: string | null = null, device?: string) => ({
  bytes: Buffer.from(typeof message === 'string' ? message : JSON.stringify(message)),
  topic,
  device,
});
const TOPIC = 'site/north/meter-3';
/** The reading of a message that the expression does not leave to the automatic detection. */
const mapped = async (evaluated: Promise<ReadInto | undefined>): Promise<ReadInto> => {
  const read = await evaluated;
  if (read === undefined) throw new Error('The expression returned the message itself.');
  return read;
};
const evaluate = async (expression: string, message: unknown, of = pipeline) =>
  collectSamples(await mapped(evaluator.evaluate(of, expression, messageOf(message, TOPIC, 'meter-3'))));
const reasonOf = async (expression: string, message: unknown = {}, of = pipeline) =>
  (await evaluate(expression, message, of)).rejections[0];

const NEVER = '/^(a+)+$/("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!")';
const OWN = '{ "device": "d", "values": { "x": x } }';

describe('an expression', () => {
  test('maps a message to samples, with access to its topic and device', async () => {
    const expression =
      '{ "device": $device, "ts": at * 1000, "values": { "temperature": t / 10, "site": $split($topic, "/")[1] } }';
    expect(await evaluate(expression, { at: 1_700_000_000, t: 215 })).toEqual({
      format: 'expression',
      samples: [{ device: 'meter-3', ts: 1_700_000_000_000, values: { temperature: 21.5, site: 'north' } }],
      deviceNames: new Map(),
      units: new Map(),
      rejections: [],
      noValues: 0,
      isSkipped: false,
    });
  });

  test('can give units to metrics, with and without a device of their own', async () => {
    const { samples, units } = await evaluate(
      '[{ "values": { "t": t }, "units": { "t": unit } }, { "device": "b", "values": { "p": 1 }, "units": { "p": "kW", "q": 7 } }]',
      { t: 1, unit: '°C' },
    );
    expect(samples).toEqual([
      { device: 'meter-3', values: { t: 1 } },
      { device: 'b', values: { p: 1 } },
    ]);
    expect([...units]).toEqual([
      ['meter-3/t', '°C'],
      ['b/p', 'kW'],
    ]);
  });

  test('names a device like other formats', async () => {
    const { samples, deviceNames, units } = await evaluate(
      '{ "device": "Boiler 7", "values": { "t": t }, "units": { "t": "K" } }',
      { t: 1 },
    );
    expect(samples).toEqual([{ device: 'boiler-7', values: { t: 1 } }]);
    expect([...deviceNames]).toEqual([['boiler-7', 'Boiler 7']]);
    expect([...units]).toEqual([['boiler-7/t', 'K']]);
  });

  test('can leave the device to the topic', async () => {
    expect((await evaluate('{ "values": { "t": t } }', { t: 1 })).samples).toEqual([
      { device: 'meter-3', values: { t: 1 } },
    ]);
  });

  test.each([[1], [2]])('can return a list of %i', async (count) => {
    const sensors = Array.from({ length: count }, (_, index) => ({ id: `s${index}`, v: index }));
    const samples = sensors.map(({ id, v }) => ({ device: id, values: { v } }));
    for (const expression of [
      'sensors.{ "device": id, "values": { "v": v } }',
      '{ "samples": sensors.{ "device": id, "values": { "v": v } } }',
    ])
      expect((await evaluate(expression, { sensors })).samples).toEqual(samples);
  });

  test('gets text that is not JSON unchanged', async () => {
    const expression = '{ "values": { "t": $number($substringAfter($, "temp=")) } }';
    expect((await evaluate(expression, 'temp=21.5')).samples).toEqual([
      { device: 'meter-3', values: { t: 21.5 } },
    ]);
  });

  test('is not evaluated for a message that no format accepts either', async () => {
    expect(await reasonOf(OWN, '  ')).toMatchObject({ reason: 'empty-message' });
    expect(await reasonOf(OWN, '{"__proto__": 1}')).toMatchObject({ reason: 'forbidden-key' });
    expect(await reasonOf(OWN, `${'['.repeat(40)}${']'.repeat(40)}`)).toMatchObject({ reason: 'too-deep' });
  });

  test.each([
    ['{ "temp": 21 }', 'It returned {"temp":21}'],
    ['21', 'It returned 21'],
    ['{ "samples": 3 }', 'It returned {"samples":3}'],
    ['$pad("x", 300, "x")', `It returned "${'x'.repeat(199)}…`],
    ['{ "values": { "__proto__": 1 } }', 'has a key __proto__'],
    ['{ "values": { "constructor": 1 } }', 'has a key constructor'],
  ])('that returns something else (%s) is rejected with the result', async (expression, detail) => {
    expect(await reasonOf(expression)).toEqual({
      reason: 'expression-result',
      detail: expect.stringContaining(detail),
      samples: 1,
    });
  });

  test.each([
    [
      '$uppercase(7)',
      'At character 11 of the expression: $uppercase does not accept a number as its first argument.',
    ],
    ['1 + "a"', 'At character 3 of the expression: The right side of + must be a number. Here it is text.'],
    ['unheard()', 'At character 8 of the expression: $unheard is not a function.'],
    ['split("a")', 'split is not a function. Did you mean $split?'],
    ['$sum(["a"])', '$sum accepts only a list of numbers as its first argument.'],
    ['1 < "a"', '< cannot compare a number with text.'],
    ['{} < 1', '< compares only numbers and text. Here it has an object.'],
    ['$number("warm")', '$number cannot read “warm” as a number.'],
    ['$contains($, "a")', '$contains does not accept an object as its first argument.'],
    ['$error("No sensor 7")', 'No sensor 7'],
    ['$eval("1 +")', 'Unexpected end of expression'],
  ])('that fails (%s) reports where and why', async (expression, detail) => {
    expect(await reasonOf(expression)).toEqual({
      reason: 'expression-error',
      detail: expect.stringContaining(detail),
      samples: 1,
    });
  });

  test('has access only to the message', async () => {
    for (const expression of [
      '$.constructor',
      '$sum.constructor',
      '$lookup($, "__proto__")',
      '$lookup($sum, "implementation")',
      'x.constructor.constructor("return process")()',
      '$.toString',
    ]) {
      const { samples, rejections } = await evaluate(expression, { x: 'text' });
      expect(samples).toEqual([]);
      // The path finds nothing, which skips the message, or a value that is not callable, or a function.
      for (const { reason } of rejections) expect(reason).toMatch(/^expression-(result|error)$/);
      expect(JSON.stringify(rejections)).not.toMatch(/native code|process/);
    }
  });

  test('shares no state with the next message', async () => {
    await evaluate('($leak := "here"; $ ~> |$|{"__proto__": {"polluted": 1}}|)', { x: 1 });
    for (const expression of ['$leak', 'polluted'])
      expect(await evaluate(expression, {})).toMatchObject({ samples: [], rejections: [], isSkipped: true });
  });
});

const DOUBLED = '$f := function($s, $n) { $n = 0 ? $s : $f($s & $s, $n - 1) }';
const hostile: readonly (readonly [string, string])[] = [
  ['an endless recursion', '($f := function() { $f() }; $f())'],
  ['a recursion that uses up the stack', '($f := function($n) { 1 + $f($n + 1) }; $f(1))'],
  ['a huge range', '[1..1e9]'],
  ['a range as large as there may be', '$sum([1..9999999])'],
  [
    'a regular expression that backtracks for ever',
    '/^(a+)+$/("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!")',
  ],
  ['a text of 400 MB', '$length($pad("x", 400000000))'],
  ['a text that doubles', `(${DOUBLED}; $uppercase($f("xxxxxxxx", 25)))`],
  ['a list larger than a list may be', `(${DOUBLED}; $count($split($f("x,x,x,x,", 25), ",")))`],
  ['an encoding of more than there is memory for', '$base64encode($pad("x", 300000000))'],
  ['an expression within an expression', '$eval("($f := function() { $f() }; $f())")'],
  ['deep nesting', `${'['.repeat(2_000)}1${']'.repeat(2_000)}`],
  ['an endless reduction', '$reduce([1..99999], function($a, $b) { $append($a, $b) })'],
];

/** Takes a few milliseconds to compute. */
const SUM = '{ "device": "d", "values": { "x": $reduce([1..n], function($a, $b) { $a + $b }) } }';

/** The processes that evaluate for this one. */
const hosts = (): number[] =>
  readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const parent = readFileSync(`/proc/${name}/stat`, 'latin1').split(') ').at(-1)?.split(' ')[1];
      const isHost = readFileSync(`/proc/${name}/cmdline`, 'latin1').includes('expression-host');
      return Number(parent) === process.pid && isHost ? [Number(name)] : [];
    } catch {
      return [];
    }
  });

/** Sends a signal to the processes that evaluate, except those that have ended since they were listed. */
const signalHosts = (signal: 'SIGSTOP' | 'SIGCONT') => {
  for (const pid of hosts())
    try {
      process.kill(pid, signal);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    }
};
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const SUM_OF_300 = { samples: [{ device: 'd', values: { x: 45_150 } }], rejections: [] };

describe.runIf(existsSync('/proc/self/task'))('on a machine', () => {
  beforeEach(async () => {
    await evaluate(SUM, { n: 10 });
    if (hosts().length === 0) throw new Error('No process evaluates.');
  });
  afterEach(() => signalHosts('SIGCONT'));

  test('that is busy, an expression does not exceed its time limit', async () => {
    const released = new AbortController();
    const hold = async () => {
      while (!released.signal.aborted) {
        signalHosts('SIGSTOP');
        // Longer than a message may take.
        await pause(120);
        signalHosts('SIGCONT');
        await pause(5);
      }
    };
    const held = hold();
    const evaluation = evaluate(SUM, { n: 300 }).finally(() => released.abort());
    expect(await evaluation).toMatchObject(SUM_OF_300);
    await held;
  });

  test('that was suspended, a message is evaluated again before those behind it', async () => {
    signalHosts('SIGSTOP');
    const order: number[] = [];
    const readings = await Promise.all(
      [300, 1, 2].map(async (n) => {
        const { samples, rejections } = await evaluate(SUM, { n });
        order.push(n);
        return { samples, rejections };
      }),
    );
    expect(readings).toEqual([
      SUM_OF_300,
      ...[1, 3].map((x) => ({ samples: [{ device: 'd', values: { x } }], rejections: [] })),
    ]);
    expect(order).toEqual([300, 1, 2]);
  });
});

describe('a hostile expression', () => {
  test.each(hostile)('(%s) is stopped and harms nobody else', async (_, expression) => {
    const other = `pip_other_${number}`;
    const [bad, good] = await Promise.all([
      Promise.all([1, 2].map(() => reasonOf(expression))),
      Promise.all(Array.from({ length: 200 }, (_each, x) => evaluate(OWN, { x }, other))),
    ]);
    for (const refused of bad) expect(refused?.reason).toMatch(/^expression-(timeout|memory|error|result)$/);
    expect(good.map(({ samples }) => samples)).toEqual(
      Array.from({ length: 200 }, (_each, x) => [{ device: 'd', values: { x } }]),
    );
    expect((await evaluate(OWN, { x: 1 })).samples).toHaveLength(1);
  });

  const ENDLESS = 'endless ? /^(a+)+$/("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!") : ' + OWN;

  test('is stopped for one message, and other messages continue in order', async () => {
    const order: number[] = [];
    const readings = await Promise.all(
      Array.from({ length: 120 }, async (_, x) => {
        const reading = await evaluate(ENDLESS, { x, endless: x === 40 || x === 80 });
        order.push(x);
        return reading;
      }),
    );
    expect(order).toEqual(Array.from({ length: 120 }, (_, x) => x));
    for (const [x, { samples, rejections }] of readings.entries())
      if (x === 40 || x === 80)
        expect(rejections).toMatchObject([{ reason: 'expression-timeout', samples: 1 }]);
      else expect(samples).toEqual([{ device: 'd', values: { x } }]);
  });

  test('is blocked for a minute after three times in a row, whatever else waits', async () => {
    const reasons = await Promise.all(Array.from({ length: 50 }, () => reasonOf(ENDLESS, { endless: true })));
    expect(reasons.slice(0, 3).map((rejection) => rejection?.detail)).toEqual(
      Array(3).fill('The expression exceeded the limit of 100 ms of CPU time per message.'),
    );
    for (const rejection of reasons.slice(3))
      expect(rejection).toMatchObject({
        reason: 'expression-timeout',
        detail: expect.stringContaining('for 3 messages in a row'),
      });
    expect(await reasonOf(ENDLESS, { x: 1 })).toMatchObject({ reason: 'expression-timeout' });
    expect((await evaluate(OWN, { x: 1 })).samples).toHaveLength(1);
    nowMs += 60_001;
    expect((await evaluate(ENDLESS, { x: 2 })).samples).toHaveLength(1);
  });

  test('is also stopped in a preview, and blocks no other preview', async () => {
    const tried = await Promise.all([
      ...Array.from({ length: 4 }, () => mapped(evaluator.tryOut(ENDLESS, messageOf({ endless: true })))),
      mapped(evaluator.tryOut(OWN, messageOf({ x: 1 }))),
    ]);
    expect(tried.map((read) => collectSamples(read).rejections[0]?.reason)).toEqual([
      ...Array(4).fill('expression-timeout'),
      undefined,
    ]);
  });
});

test('too many waiting messages are rejected as overloaded, and stopping rejects waiting ones', async () => {
  const own = createExpressionEvaluator({ now: () => nowMs, elapsed: () => nowMs });
  const outcomes = Array.from({ length: 2_001 }, (_, x) =>
    own.evaluate('p', OWN, messageOf({ x })).then(
      () => 'mapped',
      (error: unknown) => (error as { code: string }).code,
    ),
  );
  expect(await outcomes.at(-1)).toBe('overloaded');
  own.close();
  expect(await outcomes.at(-2)).toBe('overloaded');
  expect(await own.evaluate('p', OWN, messageOf({ x: 1 })).catch(() => 'refused')).toBe('refused');
});

test.runIf(existsSync('/proc/self/task'))(
  'a process ends when its service is killed, even during an endless expression',
  async () => {
    const folder = join(import.meta.dirname, '../../src/service/pipelines/mapping');
    const program = `
    const { createExpressionProcess } = await import(${JSON.stringify(join(folder, 'expression-process.ts'))});
    const messages = [{ text: '$', isJson: false, topic: null }];
    const host = createExpressionProcess();
    await host.run({ expression: '1', messages }, () => undefined);
    void host.run({ expression: ${JSON.stringify(NEVER)}, messages }, () => undefined);
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), 50);
  `;
    const service = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'ignore' });
    const hostOf = (pid: number): number[] =>
      readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
    await expect.poll(() => hostOf(service.pid ?? 0), { interval: 5 }).toHaveLength(1);
    const [host] = hostOf(service.pid ?? 0);
    await new Promise((resolve) => service.once('exit', resolve));
    const isAlive = () => existsSync(`/proc/${host}`);
    expect(isAlive()).toBe(true);
    await expect.poll(isAlive).toBe(false);
  },
);
