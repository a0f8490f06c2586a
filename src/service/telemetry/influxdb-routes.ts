import type { FastifyRequest } from 'fastify';
import { influxdbApi } from '#contract/influxdb.ts';
import type { TimeUnit } from '#contract/unix-time.ts';
import { Answer } from '../platform/http/answer.ts';
import type { Actor } from '../platform/http/auth.ts';
import { bytesOf } from '../platform/http/body.ts';
import { HttpProblem } from '../platform/http/http-problem.ts';
import { route, type Route } from '../platform/http/route.ts';
import { partialWrite } from './partial-write.ts';
import type { StoreWrite } from './write/store-write.ts';

/** Spellings of units in InfluxDB 1. */
const UNITS: Readonly<Record<string, TimeUnit>> = { n: 'ns', u: 'us', µ: 'us' };

type WriteQuery = { readonly precision: string; readonly allowOld: boolean };

/** The statement of a request, in its query or in the form of its body. */
const statementOf = (q: string | undefined, request: FastifyRequest): string =>
  q ?? new URLSearchParams(Buffer.from(bytesOf(request)).toString()).get('q') ?? '';

const execute = (q: string) => {
  const statement = q.trim();
  if (/^create\s+database\s/i.test(statement)) return { results: [{ statement_id: 0 }] };
  if (/^show\s+databases\s*;?$/i.test(statement))
    return { results: [{ statement_id: 0, series: [{ name: 'databases', columns: ['name'] }] }] };
  throw new HttpProblem(
    'invalid-parameter',
    'q: Only CREATE DATABASE and SHOW DATABASES are accepted. Read telemetry with GET /v1/telemetry.',
  );
};

type Dependencies = { storeWrite: StoreWrite; config: { lineProtocolDeviceTags: readonly string[] } };

export const influxdbRoutes = ({ storeWrite, config }: Dependencies): Route[] => {
  const write = async (
    { precision, allowOld }: WriteQuery,
    actor: Actor,
    request: FastifyRequest,
  ): Promise<undefined> => {
    const unit = UNITS[precision] ?? (precision as TimeUnit);
    const report = await storeWrite(
      {
        format: 'line-protocol',
        deviceTags: config.lineProtocolDeviceTags,
        bytes: bytesOf(request),
        times: { timeZone: 'UTC', allowOld, unit, hasPrecision: true },
      },
      actor,
      request,
    );
    // Telegraf drops a batch that is answered 400 with “partial write”, also if all of it was rejected, and would retry others without end.
    if (report.rejected > 0) throw partialWrite(report, 'line', ` dropped=${report.rejected}`);
  };

  return [
    route(influxdbApi.write, ({ query, actor, request }) => write(query, actor, request)),
    route(influxdbApi.writeBucket, ({ query, actor, request }) => write(query, actor, request)),
    route(influxdbApi.query, async ({ query, request }) => execute(statementOf(query.q, request))),
    route(influxdbApi.execute, async ({ query, request }) => execute(statementOf(query.q, request))),
    route(
      influxdbApi.ping,
      async () => new Answer(undefined, { headers: { 'x-influxdb-version': 'penstock' } }),
    ),
    route(influxdbApi.health, async () => ({
      name: 'penstock',
      message: 'ready for writes',
      status: 'pass' as const,
    })),
  ];
};
