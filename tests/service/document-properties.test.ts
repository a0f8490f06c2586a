import { connect } from 'node:net';
import { StatementSync } from 'node:sqlite';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { codesOf, operationsOf, type Operation, type Parameter } from '#tests/contract-check/api-document.ts';
import {
  createApiWorld,
  type ApiWorld,
  type TestRequest,
  type TestResponse,
} from '#tests/contract-check/api-world.ts';
import { directed, validRequest, telemetryRequest } from '#tests/contract-check/directed-requests.ts';
import { checkExchange } from '#tests/contract-check/document-check.ts';
import { recordTraffic } from '#tests/contract-check/record-traffic.ts';
import { arbitraryOf, spoiled } from '#tests/contract-check/schema-arbitrary.ts';
import { sized } from './sized.ts';
import { startTestService } from './start-test-service.ts';

const REQUESTS = Number(process.env['DOCUMENT_REQUESTS'] ?? sized(8, 10_000));
const SEED = Number(process.env['DOCUMENT_SEED'] ?? 20_261_121);

const document = inject('apiDocument');
const operations = operationsOf(document);

/** What each operation was seen to answer: `2xx`, or the code of a problem. */
const reached = new Map(operations.map(({ operationId }) => [operationId, new Map<string, number>()]));
const note = ({ operationId }: Operation, { status, code }: TestResponse): void => {
  const outcome = status < 300 ? '2xx' : (code ?? `${status}`);
  const counts = reached.get(operationId);
  counts?.set(outcome, (counts.get(outcome) ?? 0) + 1);
};

let world: ApiWorld;
beforeAll(async () => {
  world = await createApiWorld();
});
afterAll(async () => {
  await world.close();
});

const documented = operations.flatMap((operation) =>
  Object.values(operation.responses).flatMap((response) =>
    codesOf(response).map((code) => [operation, code] as const),
  ),
);

/** As SQLite reports them; full-disk.test.ts and full-disk-start.test.ts have real disks. */
const DISK_ERRORS = {
  'storage-full': Object.assign(new Error('database or disk is full'), { errcode: 13 }),
  'storage-read-only': Object.assign(new Error('attempt to write a readonly database'), { errcode: 8 }),
};

/** Has every write to the metadata fail during `work`. */
const withDiskError = async (error: Error, work: () => Promise<void>): Promise<void> => {
  const spies = (['run', 'all'] as const).map((name) => {
    const original = StatementSync.prototype[name];
    return vi.spyOn(StatementSync.prototype, name).mockImplementation(function (
      this: StatementSync,
      ...args
    ) {
      if (/^(insert|update|delete)/i.test(this.sourceSQL)) throw error;
      return Reflect.apply(original, this, args) as never;
    });
  });
  try {
    await work();
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
};

/** Writes only while telemetry.db has a problem. */
const ACCEPT_LOSS = 'storageAcceptLoss';

/** Codes of requests that are rejected before they change anything. */
const WITHOUT_EFFECT = new Set([
  'token-missing',
  'token-invalid',
  'token-expired',
  'token-revoked',
  'quota-exceeded',
  'insufficient-scope',
  'invalid-parameter',
  'not-acceptable',
  'malformed-body',
  'body-too-large',
  'unsupported-media-type',
  'validation-failed',
  'unknown-host',
]);
const requestsWithoutEffect = new Map<Operation, Promise<TestRequest>>();
/** A valid request, to change so that it is answered with `code`. Requests without an effect share their resource. */
const requestFor = (operation: Operation, code: string): Promise<TestRequest> => {
  if (!WITHOUT_EFFECT.has(code)) return validRequest(world, operation);
  const request = requestsWithoutEffect.get(operation) ?? validRequest(world, operation);
  requestsWithoutEffect.set(operation, request);
  return request;
};

const documentedWith = (code: string): Operation[] =>
  documented.filter(([, each]) => each === code).map(([operation]) => operation);

describe('each operation', () => {
  it.each(operations.map((operation) => [operation.operationId, operation] as const))(
    '%s does what the example of the document requests',
    async (_, operation) => {
      const response = await world.send(await validRequest(world, operation));
      note(operation, response);
      expect(response).toMatchObject({ status: expect.toBeOneOf([200, 201, 202, 204]) });
    },
  );

  it.each(
    documented
      .filter(([, code]) => directed[code] !== undefined)
      // An export of too many devices makes them: last, so that no other is slower for it.
      .toSorted(([, a], [, b]) => Number(a === 'query-too-large') - Number(b === 'query-too-large'))
      .map(([operation, code]) => [operation.operationId, code, operation] as const),
  )('%s can answer %s', async (_, code, operation) => {
    const response = await directed[code]!(world, operation, await requestFor(operation, code));
    note(operation, response);
    expect(response.code).toBe(code);
  });

  it('rejects another Host', async () => {
    for (const operation of documentedWith('unknown-host')) {
      const request = await requestFor(operation, 'unknown-host');
      const response = await world.send({
        ...request,
        headers: { ...request.headers, host: 'evil.example' },
      });
      note(operation, response);
      expect(response.code).toBe('unknown-host');
    }
  });

  it.each(Object.entries(DISK_ERRORS))('that writes can answer %s', async (code, error) => {
    const requests = new Map<Operation, TestRequest>();
    for (const operation of documentedWith(code)) {
      if (operation.operationId === ACCEPT_LOSS) continue;
      const request = await validRequest(world, operation);
      requests.set(
        operation,
        operation.operationId === 'telemetryWrite'
          ? { ...request, body: { samples: [{ device: `unknown-${code}`, values: { a: 1 } }] } }
          : request,
      );
    }
    const answers = new Map<string, string | undefined>();
    const send = async (operation: Operation, request: TestRequest): Promise<void> => {
      const answer = await world.send(request);
      note(operation, answer);
      answers.set(operation.operationId, answer.code);
    };
    const others = [...requests].filter(([{ operationId }]) => !operationId.startsWith('sessions'));
    // Sessions are kept in memory once the service has found the disk read-only: only the first write fails.
    for (const [operation, request] of requests) {
      if (!operation.operationId.startsWith('sessions')) continue;
      await world.waitUntilWritable();
      await withDiskError(error, () => send(operation, request));
    }
    await withDiskError(error, async () => {
      for (const [operation, request] of others) await send(operation, request);
    });
    await world.waitUntilWritable();
    expect([...answers].filter(([, answer]) => answer !== code)).toEqual([]);
  });
});

/** Sends the beginning of a request, waits until `meanwhile` is over, sends the rest, and reads the answer. */
const sendRaw = (url: string, first: string, rest?: Promise<string>): Promise<TestResponse> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(first));
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString()));
    socket.on('error', reject);
    socket.on('close', () => {
      const [head = '', body = ''] = text.split('\r\n\r\n');
      const { code } = JSON.parse(body || '{}') as { code?: string };
      resolve({ status: Number(head.split(' ')[1]), code, body });
    });
    void rest?.then((more) => socket.write(more));
  });

describe('each operation reports errors of its connection', () => {
  const head = ({ method, path }: Operation, url: string): string =>
    `${method} ${path.replace(/\{\w+\}/g, 'x')} HTTP/1.1\r\nHost: ${new URL(url).host}\r\n`;
  const everyOne = async (
    request: (operation: Operation) => Promise<TestResponse>,
    code: string,
  ): Promise<void> => {
    const response = await Promise.all(
      operations.map(async (operation) => [operation, await request(operation)] as const),
    );
    for (const [operation, answer] of response) note(operation, answer);
    expect(response.filter(([, answer]) => answer.code !== code)).toEqual([]);
  };

  it('if its headers are too large', () =>
    everyOne(
      (operation) =>
        sendRaw(world.test.url, `${head(operation, world.test.url)}X: ${'x'.repeat(20_000)}\r\n\r\n`),
      'headers-too-large',
    ));

  it('if it arrives too slowly', async () => {
    const hasty = await startTestService({
      timeouts: { headersMs: 1_000, requestMs: 1_500, checkEveryMs: 50 },
    });
    await everyOne((operation) => sendRaw(hasty.url, head(operation, hasty.url)), 'request-timeout');
    await hasty.close();
  });

  it('while the service stops', async () => {
    const stopping = await startTestService();
    let goOn = (_: string): void => undefined;
    const rest = new Promise<string>((resolve) => (goOn = resolve));
    const response = everyOne(
      (operation) => sendRaw(stopping.url, head(operation, stopping.url), rest),
      'overloaded',
    );
    // Answered after every head has begun to arrive.
    await stopping.request('GET', '/v1/health');
    const closed = stopping.close();
    while (await isOpen(stopping.url));
    goOn('\r\n');
    await Promise.all([response, closed]);
  });
});

const isOpen = (url: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.end(() => resolve(true)));
    socket.on('error', () => resolve(false));
  });

type Plan = {
  operationId: string;
  isKnown: boolean;
  pick: number;
  params: Record<string, unknown>;
  body: unknown;
  headers: object;
};

const parametersOf = (
  place: Parameter['in'],
  all: readonly Parameter[],
): fc.Arbitrary<Record<string, unknown>> => {
  const mine = all.filter((parameter) => parameter.in === place && parameter.name !== 'Content-Encoding');
  const fields = Object.fromEntries(
    mine.map(({ name, schema }) => {
      const right = arbitraryOf(document, schema);
      return [name, fc.oneof({ weight: 9, arbitrary: right }, fc.string({ maxLength: 20 }))];
    }),
  );
  const needed = mine.filter(({ required }) => required).map(({ name }) => name);
  return fc.record(fields, { requiredKeys: needed });
};

/** Requests that are valid according to the document, and requests with an error. */
const planOf = (operation: Operation): fc.Arbitrary<Plan> => {
  const media = Object.values(operation.requestBody?.content ?? {})[0];
  const right = media === undefined ? fc.constant(undefined) : arbitraryOf(document, media.schema);
  return fc.record({
    operationId: fc.constant(operation.operationId),
    isKnown: fc.oneof({ weight: 9, arbitrary: fc.constant(true) }, fc.constant(false)),
    pick: fc.nat(1_000),
    params: fc
      .tuple(
        parametersOf('path', operation.parameters),
        parametersOf('query', operation.parameters),
        fc.oneof(
          { weight: 14, arbitrary: fc.constant({}) },
          fc.dictionary(fc.string({ maxLength: 5 }), fc.string({ maxLength: 5 }), { maxKeys: 1 }),
        ),
      )
      .map(([path, query, surprise]) => ({ path, query: { ...surprise, ...query } })),
    body: media === undefined ? right : fc.oneof({ weight: 3, arbitrary: right }, spoiled(right)),
    headers: fc.oneof(
      { weight: 12, arbitrary: fc.constant({}) },
      fc.constantFrom(
        { accept: 'application/json' },
        { accept: 'text/html;q=0.5, image/*' },
        { 'accept-encoding': 'gzip, br;q=0.1' },
        { 'content-type': 'application/xml' },
        { 'content-type': 'text/csv' },
        { 'content-type': 'application/x-ndjson' },
        { 'content-type': 'application/merge-patch+json' },
        { 'content-encoding': 'gzip' },
        { 'if-match': '"r1"' },
        { 'idempotency-key': 'the same one' },
        { 'idempotency-key': 'x'.repeat(300) },
        { 'last-event-id': 'evt_01jz3k5v8cf6n9qw2r4t7y0abd' },
      ),
    ),
  });
};

const plans = operations.map(planOf);

describe(`${REQUESTS} requests generated from the document`, () => {
  const breaches = new Set<string>();
  let stopRecording: () => void;
  beforeAll(() => {
    stopRecording = recordTraffic((exchange) => {
      for (const breach of checkExchange(exchange)) breaches.add(breach);
    });
  });
  afterAll(() => stopRecording());

  const ids = new Map<string, string[]>();
  /** The ID of a resource that usually exists: other requests create and sometimes delete them. */
  const knownId = async (operation: Operation, pick: number): Promise<string> => {
    if (operation.operationId.startsWith('telemetry') && pick % 2 === 0) return world.boilerId;
    const kind = world.kindOf(operation);
    const known = ids.get(kind) ?? [];
    if (known.length < 5 || pick % 10 === 0) known.unshift(await world.makeFor(operation));
    ids.set(kind, known.slice(0, 10));
    return known[pick % known.length] ?? '';
  };

  const perform = async (
    operation: Operation,
    { isKnown, pick, params, body, headers }: Plan,
  ): Promise<TestResponse> => {
    const { path: inPath, query } = params as Record<'path' | 'query', Record<string, unknown>>;
    const path: Record<string, unknown> = { ...inPath };
    if (isKnown && 'id' in path) path['id'] = await knownId(operation, pick);
    // A session that is closed would end the run.
    const isOwn = operation.operationId === 'sessionsClose';
    return world.send({
      method: operation.method,
      path: operation.path.replace(
        /\{(\w+)\}/g,
        (_, name: string) => encodeURIComponent(String(path[name])) || 'x',
      ),
      query: Object.entries(query).flatMap(([name, value]) =>
        [value].flat().map((item) => [name, String(item)] as const),
      ),
      headers: {
        ...headers,
        ...(isOwn ? { authorization: `Bearer ${(await world.mint(['devices:read'])).secret}` } : {}),
      },
      body,
    });
  };

  it('get no 500 and no undocumented response', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(...plans), async (plan) => {
        breaches.clear();
        const operation = operations.find(({ operationId }) => operationId === plan.operationId)!;
        const response = await perform(operation, plan);
        note(operation, response);
        expect([...breaches]).toEqual([]);
        expect(response.code).not.toBe('internal-error');
      }),
      { numRuns: REQUESTS, seed: SEED, endOnFailure: true },
    );
  }, 600_000);
});

describe('without telemetry.db', () => {
  const acceptLoss = operations.find(({ operationId }) => operationId === ACCEPT_LOSS)!;

  beforeAll(async () => {
    await world.restartWithoutTelemetry();
  });

  it('operations on samples return telemetry-unavailable', async () => {
    const answers: (readonly [string, string | undefined])[] = [];
    for (const operation of documentedWith('telemetry-unavailable')) {
      const answer = await world.send(await telemetryRequest(world, operation));
      note(operation, answer);
      answers.push([operation.operationId, answer.code]);
    }
    expect(answers.length).toBeGreaterThan(0);
    expect(answers.filter(([, code]) => code !== 'telemetry-unavailable')).toEqual([]);
  });

  it('no other operation returns telemetry-unavailable', async () => {
    const documentedOf = new Set(documentedWith('telemetry-unavailable'));
    for (const operation of operations) {
      if (documentedOf.has(operation) || operation.operationId === ACCEPT_LOSS) continue;
      const answer = await world.send(await validRequest(world, operation));
      expect([operation.operationId, answer.code]).not.toContain('telemetry-unavailable');
    }
  });

  it.each(Object.entries(DISK_ERRORS))('accepting the loss can answer %s', async (code, error) => {
    await world.waitUntilWritable();
    const request = await validRequest(world, acceptLoss);
    await withDiskError(error, async () => {
      const answer = await world.send(request);
      note(acceptLoss, answer);
      expect(answer.code).toBe(code);
    });
  });

  it('accepting the loss ends the problem', async () => {
    await world.waitUntilWritable();
    const answer = await world.send(await validRequest(world, acceptLoss));
    note(acceptLoss, answer);
    expect(answer).toMatchObject({ status: 200, body: { files: [] } });
    const events = await world.send({ path: '/v1/events?type=telemetry.loss-accepted' });
    expect(events.body).toMatchObject({ data: [{ subject: { name: 'telemetry.db' } }] });
    expect((await world.sendSamples()).status).toBe(200);
  });
});

it('every operation has succeeded and returned every documented problem except internal-error', () => {
  const missing = documented.flatMap(([{ operationId }, code]) =>
    code === 'internal-error' || reached.get(operationId)?.has(code) === true
      ? []
      : [`${operationId}: ${code}`],
  );
  const failing = operations.filter(({ operationId }) => reached.get(operationId)?.has('2xx') !== true);
  expect([missing, failing.map(({ operationId }) => operationId)]).toEqual([[], []]);
  if (process.env['DOCUMENT_TABLE'] !== undefined)
    for (const [id, counts] of reached)
      console.log(`${id}: ${[...counts].map(([outcome, count]) => `${outcome} ${count}`).join(', ')}`);
});
