import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createQueryAnswers } from '#service/telemetry/answer-query.ts';
import { selectDevices } from '#service/telemetry/query/device-selection.ts';
import { exportNdjson } from '#service/telemetry/telemetry-export.ts';
import { HttpProblem } from '#service/platform/http/http-problem.ts';
import { startTestService, type TestService } from './start-test-service.ts';

const START = Date.parse('2026-10-24T00:00:00Z');
const RANGE = { from: START, to: START + 1 };

let test: TestService;
beforeAll(async () => {
  test = await startTestService();
  const wide = Array.from({ length: 20_004 }, (_, i) => ({ device: `wide-${i % 4}`, metric: `m${i}` }));
  const narrow = Array.from({ length: 300 }, (_, i) => ({
    device: `narrow-${i % 100}`,
    metric: `n${i % 3}`,
  }));
  const series = [...wide, ...narrow].map((each, i) => ({ ...each, ts: [START], values: [i] }));
  await test.request('POST', '/v1/telemetry', { body: { series } });
});
afterAll(() => test.close());

const ask = (body: object) => test.request('POST', '/v1/telemetry/query', { body: { ...RANGE, ...body } });

describe('the limit of series', () => {
  it.each([{ across: 'mean' }, { top: 1 }])('to combine or rank is 10,000: %j', async (reduction) => {
    const reply = await ask({ filter: { q: 'wide-' }, ...reduction });
    expect([reply.status, reply.body.code]).toEqual([422, 'query-too-large']);
    expect(reply.body.detail).toContain('20004 series. The limit is 10000.');
  });

  it.each([
    [{ across: 'count' }, 'Choose fewer metrics: each is one combined series.'],
    [{ top: 1 }, 'Choose fewer metrics or a smaller top.'],
  ])('in a response holds for combined and ranked ones: %j', async (reduction, advice) => {
    const reply = await ask({ devices: ['wide-0'], ...reduction });
    expect([reply.status, reply.body.code]).toEqual([422, 'query-too-large']);
    expect(reply.body.detail).toContain(`5001 series. The limit is 500. ${advice}`);
    const parameters = new URLSearchParams({ from: `${START}`, to: `${START + 1}`, device: 'wide-1' });
    for (const [name, value] of Object.entries(reduction)) parameters.set(name, String(value));
    const read = await test.request('GET', `/v1/telemetry?${parameters}`);
    expect(read.body.detail).toContain('5001 series. The limit is 100.');
  });
});

it('the limit of latest values is 20,000 series', async () => {
  const latest = (...names: string[]) =>
    test.request('GET', `/v1/telemetry/latest?${names.map((name) => `device=${name}`).join('&')}`);
  const tooLarge = await latest('wide-0', 'wide-1', 'wide-2', 'wide-3');
  expect([tooLarge.status, tooLarge.body.code]).toEqual([422, 'query-too-large']);
  expect(tooLarge.body.detail).toBe(
    'The query selects 20004 series. The limit is 20000. Choose fewer devices or metrics.',
  );
  const { data } = (await latest('wide-1', 'wide-0', 'narrow-0', 'narrow-1')).body;
  expect(data).toHaveLength(10_008);
  const ids: string[] = data.map(({ device }: { device: string }) => device);
  expect(ids).toEqual(ids.toSorted());
});

describe('an export of many devices', () => {
  const rowsUntil = async (last: number, bucket?: { ms: number; calendar: boolean }) => {
    const { db, telemetry } = test.service.parts;
    const reader = { only: null, nowMs: START };
    const externalIds = await selectDevices(db, { filter: { q: 'narrow-' } }, reader);
    let checks = 0;
    const pages = exportNdjson(telemetry, {
      selection: { devices: [...externalIds.keys()], fromMs: START, toMs: START + 1 },
      bucket,
      timeZone: 'UTC',
      externalIds,
      isAwaited: () => (checks += 1) <= last,
    });
    let text = '';
    for await (const page of pages) text += page;
    const rows = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    return { checks, rows };
  };

  it.each([undefined, { ms: 1_000, calendar: false }])(
    'looks up some series at a time, sorted by device, until its client is gone: %j',
    async (bucket) => {
      const { checks, rows } = await rowsUntil(Infinity, bucket);
      expect(rows.pop()).toEqual({ end: true, rows: 300 });
      const names = rows.map(({ device, metric }) => `${device} ${metric}`);
      expect(names).toEqual([...new Set(names)].toSorted());
      expect(checks).toBeGreaterThanOrEqual(2);
      await expect(rowsUntil(checks - 1, bucket)).rejects.toThrow('The request was closed.');
    },
  );
});

it('the limit of text is 16 MiB of characters', async () => {
  const ts = Array.from({ length: 1_000 }, (_, n) => START + n);
  for (let from = 0; from < 17; from += 4) {
    const series = [0, 1, 2, 3].map((n) => ({
      device: 'texts',
      metric: `text-${from + n}`,
      ts,
      values: ts.map((at) => `${at}${'x'.repeat(1_000)}`),
    }));
    expect((await test.request('POST', '/v1/telemetry', { body: { series } })).status).toBe(200);
  }
  const reply = await ask({ devices: ['texts'], to: START + 1_000, points: 1_000 });
  expect([reply.status, reply.body.code]).toEqual([422, 'query-too-large']);
  expect(reply.body.detail).toMatch(/more text than the limit of 16777216 characters\. Choose fewer devices/);
  const { body } = await ask({ devices: ['texts'], to: START + 500, points: 1_000 });
  expect(body.series).toHaveLength(20);
});

describe('a query over many devices', () => {
  const answer = (reduction: object, isAwaited: () => boolean) =>
    createQueryAnswers(test.service.parts)(
      { ...RANGE, timeZone: 'UTC', devices: { filter: { q: 'narrow-' } }, ...reduction },
      {
        only: null,
        seriesLimit: 500,
        invalidInput: () => new HttpProblem('invalid-parameter', ''),
        isAwaited,
        group: '',
      },
    );

  // 300 series of 3 metrics: `across` reads them in 5 slices after an estimate, `top` in 3 and then each metric.
  it.each([
    [{ across: 'mean', bucket: '1h' }, 5],
    [{ across: 'mean' }, 6],
    [{ top: 2 }, 6],
  ])('stops between two reads once its client is gone: %j', async (reduction, reads) => {
    const checksUntil = async (last: number) => {
      let checks = 0;
      await answer(reduction, () => (checks += 1) <= last);
      return checks;
    };
    const needed = await checksUntil(Infinity);
    expect(needed).toBeGreaterThanOrEqual(reads);
    for (let last = 0; last < needed; last += 1)
      await expect(checksUntil(last)).rejects.toThrow('The request was closed.');
  });

  it('of another key is answered while one key fills the queue', async () => {
    const [busy, other] = await Promise.all(
      [1, 2].map(() => test.mintKey(['telemetry:read', 'devices:read'])),
    );
    const askWith = (token: string) =>
      test.request('POST', '/v1/telemetry/query', {
        token,
        body: { ...RANGE, filter: { q: 'narrow-' }, across: 'mean' },
      });
    const answered: number[] = [];
    const full = Promise.withResolvers<void>();
    const many = Array.from({ length: 150 }, async () => {
      const { status } = await askWith(busy!.secret);
      answered.push(status);
      if (status === 503) full.resolve();
    });
    const countServed = () => answered.filter((status) => status === 200).length;
    await full.promise;
    const { status: statusOfOther } = await askWith(other!.secret);
    const servedBefore = countServed();
    await Promise.all(many);
    expect(statusOfOther).toBe(200);
    expect(servedBefore).toBeLessThan(countServed() / 2);
  });

  it('is rejected while too many of them wait', async () => {
    const answerQuery = createQueryAnswers(test.service.parts);
    const invalidInput = () => new HttpProblem('invalid-parameter', '');
    const request = { only: null, seriesLimit: 500, invalidInput, isAwaited: () => true, group: '' };
    const query = {
      ...RANGE,
      timeZone: 'UTC',
      devices: { filter: { q: 'narrow-' } },
      across: 'sum' as const,
    };
    const outcomes = await Promise.allSettled(Array.from({ length: 60 }, () => answerQuery(query, request)));
    const reasons = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    expect(outcomes.length - reasons.length).toBeGreaterThanOrEqual(32);
    expect(new Set(reasons.map(({ code }) => code))).toEqual(new Set(['overloaded']));
    await expect(answerQuery(query, request)).resolves.toBeDefined();
  });
});
