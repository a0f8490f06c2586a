import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type { Scope } from '#contract/scope.ts';
import { readConfig } from '#service/config.ts';
import { INTERVALS, type Timeouts } from '#service/platform/timeouts.ts';
import { createLog } from '#service/platform/log.ts';
import { startService, type Service } from '#service/start-service.ts';
import { watchService } from '../contract-check/record-traffic.ts';
import { createTestDatabase, createTestTelemetry, writeMigratedFile } from './test-database.ts';

// The raw response. Tests assert what they expect of it.
// oxlint-disable-next-line typescript/no-explicit-any
export type Reply = { status: number; headers: Headers; body: any };

export type TestService = {
  url: string;
  /** A session with every scope, opened by the first sign-in link. */
  token: string;
  dataDir: string;
  service: Service;
  /** Sends JSON with the token of the session, another token, or none (null), and reads the response. */
  request(
    method: string,
    path: string,
    options?: { body?: unknown; token?: string | null; headers?: Record<string, string> },
  ): Promise<Reply>;
  /** Mints an API key and returns its secret and id. */
  mintKey(scopes: Scope[], more?: Record<string, unknown>): Promise<{ id: string; secret: string }>;
  /** The scopes of opened sessions and minted keys, by token. */
  scopesOf: ReadonlyMap<string, readonly Scope[]>;
  /** Counts of repeated samples as this service returns them: with ClickHouse, repeats count as accepted. */
  countsOf<Counts extends RepeatCounts>(counts: Counts): Counts;
  /** Stops the service and starts it again on the same data. `meanwhile` runs in between. */
  restart(meanwhile?: () => void | Promise<void>): Promise<void>;
  /** Stops the service and removes its data. */
  close(): Promise<void>;
};

type RepeatCounts = { accepted: number; overwritten?: number; duplicates?: number };

type Options = {
  env?: Record<string, string>;
  now?: () => number;
  elapsed?: () => number;
  dashboardDir?: string;
  outbound?: Parameters<typeof startService>[0]['outbound'];
  /** The destination of the log. Defaults to none. */
  logTo?: { write(line: string): void };
  timeouts?: Partial<Timeouts>;
  onDatabaseUnusable?: Parameters<typeof startService>[0]['onDatabaseUnusable'];
  /** Where the data directory is created. Only there can the free space be low. */
  parentDir?: string;
};

/** The disk of the machine may have little space left, which a test does not expect to be reported. */
const hasSpace = async () => ({ freeBytes: 100e9, diskBytes: 200e9 });

/** Tests wait for the end of these. The others repeat throughout a test, and take CPU time from all tests each time. */
const WAITS = ['pipelineStateHoldMs', 'firstRetryMs', 'longestRetryMs'];
const FAST_INTERVALS = Object.fromEntries(
  Object.entries(INTERVALS).map(([name, ms]) => [name, ms / (WAITS.includes(name) ? 20 : 10)]),
) as typeof INTERVALS;

/** Text and bytes as they are, anything else as JSON. */
const bytesOf = (body: unknown): string | Uint8Array<ArrayBuffer> => {
  if (body instanceof Uint8Array) return new Uint8Array(body);
  return typeof body === 'string' ? body : JSON.stringify(body);
};

/** A real service on a port and a data directory of its own. */
export const startTestService = async ({
  env = {},
  now,
  elapsed,
  dashboardDir,
  outbound,
  logTo,
  timeouts = {},
  onDatabaseUnusable,
  parentDir,
}: Options = {}): Promise<TestService> => {
  const dataDir = mkdtempSync(join(parentDir ?? tmpdir(), 'penstock-test-'));
  const database = env['DATABASE_URL'] === undefined ? await createTestDatabase() : undefined;
  const telemetry = database === undefined ? undefined : await createTestTelemetry();
  if (database === undefined && env['DATABASE_URL'] === undefined) await writeMigratedFile(dataDir);
  const config = readConfig({
    ...(database !== undefined && {
      DATABASE_URL: database.url,
      TELEMETRY_URL: telemetry?.url ?? 'embedded',
    }),
    PORT: '0',
    MQTT_PORT: '0',
    SEED: 'none',
    RESERVE_MB: '0',
    ...env,
    DATA_DIR: dataDir,
  });
  const log =
    logTo === undefined
      ? pino({ level: process.env['TEST_LOG_LEVEL'] ?? 'silent' })
      : createLog('trace', logTo);
  let stopWatching = () => {};
  const open = async () => {
    const started = await startService({
      config,
      log,
      dashboardDir,
      timeouts: { ...FAST_INTERVALS, ...timeouts },
      ...(parentDir === undefined ? { diskSpace: hasSpace } : {}),
      ...(now === undefined ? {} : { now }),
      ...(elapsed === undefined ? {} : { elapsed }),
      ...(outbound === undefined ? {} : { outbound }),
      ...(onDatabaseUnusable === undefined ? {} : { onDatabaseUnusable }),
    });
    stopWatching = watchService(started.url);
    return started;
  };
  let service = await open();

  const scopesOf = new Map<string, readonly Scope[]>();
  const request: TestService['request'] = async (
    method,
    path,
    { body, token = test.token, headers = {} } = {},
  ) => {
    const response = await fetch(`${test.url}${path}`, {
      method,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: bytesOf(body) }),
    });
    const text = await response.text();
    const isJson = /json/.test(response.headers.get('content-type') ?? '');
    const answer = isJson && text !== '' ? JSON.parse(text) : text;
    if (method === 'POST' && response.ok && ['/v1/sessions', '/v1/api-keys'].includes(path))
      scopesOf.set(answer.token ?? answer.secret, answer.scopes);
    return { status: response.status, headers: response.headers, body: answer };
  };

  const test: TestService = {
    url: service.url,
    token: '',
    dataDir,
    service,
    request,
    mintKey: async (scopes, more = {}) => {
      const { body } = await request('POST', '/v1/api-keys', { body: { name: 'Test key', scopes, ...more } });
      return { id: body.id, secret: body.secret };
    },
    scopesOf,
    countsOf: (counts) => {
      if (test.service.parts.telemetry.countsRepeats) return counts;
      const { accepted, duplicates = 0 } = counts;
      const none = {
        ...(counts.overwritten !== undefined && { overwritten: 0 }),
        ...(counts.duplicates !== undefined && { duplicates: 0 }),
      };
      return { ...counts, accepted: accepted + duplicates, ...none };
    },
    restart: async (meanwhile) => {
      await service.close();
      stopWatching();
      await meanwhile?.();
      service = await open();
      Object.assign(test, { service, url: service.url });
    },
    close: async () => {
      await service.close();
      stopWatching();
      await telemetry?.drop();
      await database?.drop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
  const link = service.signinLink ?? '';
  const { body } = await request('POST', '/v1/sessions', {
    body: { token: link.slice(link.indexOf('=') + 1) },
    token: null,
  });
  test.token = body.token;
  return test;
};
