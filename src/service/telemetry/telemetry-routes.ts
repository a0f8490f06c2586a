import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LIMITS } from '#contract/sample-rules.ts';
import { aggregateSchema, telemetryApi, type Aggregate } from '#contract/telemetry.ts';
import { parseBucket } from '#contract/time-range.ts';
import { findByIds } from '../devices/device-store.ts';
import { partyOf, type Transact } from '../events/event-store.ts';
import type { Clock } from '../platform/clock.ts';
import { acceptable } from '../platform/http/acceptable.ts';
import { bytesOf } from '../platform/http/body.ts';
import { invalidField, HttpProblem } from '../platform/http/http-problem.ts';
import { route, type Route } from '../platform/http/route.ts';
import type { Db } from '../platform/storage/database.ts';
import type { StoredSeries, TelemetryStore } from './store/telemetry-store.ts';
import { describeMetric } from './describe-metric.ts';
import { loadMetricSettings } from './metric-settings-store.ts';
import { selectDevices, type DeviceFilter } from './query/device-selection.ts';
import { defaultTimeRule } from './write/sample-time.ts';
import type { StoreWrite } from './write/store-write.ts';
import { exportCsv, exportNdjson } from './telemetry-export.ts';
import {
  answerJson,
  readAggregates,
  readRange,
  readResolution,
  type RangeText,
  type InvalidInput,
  type ResolutionText,
} from './query/telemetry-query.ts';

const wrongParameter: InvalidInput = (parameter, detail) =>
  new HttpProblem('invalid-parameter', `${parameter}: ${detail}`, {
    errors: [{ parameter, code: 'invalid-value', detail }],
  });
const wrongField: InvalidInput = (field, detail) => invalidField(`/${field}`, 'invalid-value', detail);

const formatOf = ({ headers }: FastifyRequest): 'json' | 'ndjson' | 'csv' => {
  const type = headers['content-type'] ?? '';
  if (type.includes('csv')) return 'csv';
  return type.includes('ndjson') ? 'ndjson' : 'json';
};

const tagOf = (text: string): { key: string; value: string } => {
  const colon = text.indexOf(':');
  return { key: text.slice(0, colon), value: text.slice(colon + 1) };
};

const sendPieces = (reply: FastifyReply, type: string, pieces: Iterable<string> | AsyncIterable<string>) =>
  reply.type(type).send(Readable.from(pieces));

type Query = RangeText &
  ResolutionText & {
    filter: DeviceFilter;
    metrics: readonly string[] | undefined;
    aggregates: readonly Aggregate[] | undefined;
  };

type Dependencies = {
  db: Db;
  transact: Transact;
  now: () => number;
  clock: Pick<Clock, 'latestPlausible'>;
  telemetry: TelemetryStore;
  storeWrite: StoreWrite;
};

export const telemetryRoutes = ({
  db,
  transact,
  now,
  clock,
  telemetry,
  storeWrite,
}: Dependencies): Route[] => {
  const requireSeriesWithin = async (
    limit: number,
    devices: readonly string[],
    metrics?: readonly string[],
  ) => {
    const count = await telemetry.countSeries(devices, metrics);
    if (count > limit)
      throw new HttpProblem(
        'query-too-large',
        `The query selects ${count} series. The limit is ${limit}. Choose fewer devices or metrics${
          limit < LIMITS.seriesPerQuery
            ? `, or use POST /v1/telemetry/query (at most ${LIMITS.seriesPerQuery} series)`
            : ''
        }.`,
      );
  };

  /** Answers a query. Cheap checks run first. */
  const answerQuery = async (
    { filter, metrics, aggregates, ...text }: Query,
    only: readonly string[] | null,
    seriesLimit: number,
    invalidInput: InvalidInput,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const range = readRange(text, now(), invalidInput);
    const resolution = readResolution(text, range, invalidInput);
    const externalIds = await selectDevices(db, filter, only);
    const devices = [...externalIds.keys()];
    await requireSeriesWithin(seriesLimit, devices, metrics);
    const [found, settingsOf] = await Promise.all([
      telemetry.read({ devices, metrics, ...range }, resolution, readAggregates(aggregates)),
      loadMetricSettings(db, devices),
    ]);
    const unitOf = (series: StoredSeries) => describeMetric(series, settingsOf).unit;
    return sendPieces(
      reply,
      'application/json; charset=utf-8',
      answerJson(range, found, { externalIds, unitOf }),
    );
  };

  return [
    route(telemetryApi.write, async ({ request, query, actor }) => {
      const times = { ...defaultTimeRule, allowOld: query.allowOld };
      const report = await storeWrite(
        { format: formatOf(request), bytes: bytesOf(request), times, isBackfill: query.backfill },
        actor,
        request,
      );
      const [first] = report.errors;
      if (first !== undefined && report.rejected === report.received)
        throw new HttpProblem(
          'validation-failed',
          `${report.received === 1 ? 'The sample was not' : `None of the ${report.received} samples were`} stored. ${first.pointer}: ${first.detail}`,
          { errors: report.errors.map(({ index: _, ...field }) => field) },
        );
      return report;
    }),

    route(telemetryApi.read, ({ query, actor, reply }) => {
      const { device, metric, tag, agg, ...text } = query;
      const aggregates = agg?.split(',').map((name) => aggregateSchema.parse(name));
      const filter = { names: device, tags: tag?.map(tagOf) };
      const asked = { ...text, filter, metrics: metric, aggregates };
      return answerQuery(asked, actor.devices, LIMITS.seriesPerGet, wrongParameter, reply);
    }),

    route(telemetryApi.query, ({ body, actor, reply }) => {
      const { devices: names, metrics, tags = {}, agg: aggregates, ...text } = body;
      const filter = { names, tags: Object.entries(tags).map(([key, value]) => ({ key, value })) };
      const asked = { ...text, filter, metrics, aggregates };
      return answerQuery(asked, actor.devices, LIMITS.seriesPerQuery, wrongField, reply);
    }),

    route(telemetryApi.latest, async ({ query, actor }) => {
      const externalIds = await selectDevices(db, { names: query.device }, actor.devices);
      const nowMs = now();
      const untilMs = clock.latestPlausible(LIMITS.aheadMs);
      const devices = [...externalIds.keys()];
      const [found, settingsOf] = await Promise.all([
        telemetry.metrics(devices, query.metric, untilMs),
        loadMetricSettings(db, devices),
      ]);
      return {
        data: found.map(({ device, metric, kind, unit, label, lastTs, value }) => ({
          device,
          externalId: externalIds.get(device) ?? device,
          metric,
          kind,
          unit: describeMetric({ device, metric, kind, unit, label }, settingsOf).unit,
          ts: lastTs,
          value,
          // The clock of a device may be ahead of the service.
          ageMs: Math.max(0, nowMs - lastTs),
        })),
      };
    }),

    route(telemetryApi.export, async ({ query, actor, request, reply }) => {
      const { device, metric: metrics, tag, bucket, timeZone, ...text } = query;
      const range = readRange(text, now(), wrongParameter);
      readResolution({ timeZone }, range, wrongParameter);
      const externalIds = await selectDevices(db, { names: device, tags: tag?.map(tagOf) }, actor.devices);
      const what = {
        selection: { devices: [...externalIds.keys()], metrics, ...range },
        bucket: bucket === undefined ? undefined : parseBucket(bucket),
        timeZone,
        externalIds,
      };
      const accepted = acceptable(request.headers.accept, telemetryApi.export.responseTypes);
      const format = query.format ?? (accepted === 'application/x-ndjson' ? 'ndjson' : 'csv');
      reply.header('content-disposition', `attachment; filename="telemetry.${format}"`);
      return format === 'csv'
        ? sendPieces(reply, 'text/csv; charset=utf-8; header=present', exportCsv(telemetry, what))
        : sendPieces(reply, 'application/x-ndjson; charset=utf-8', exportNdjson(telemetry, what));
    }),

    route(telemetryApi.remove, async ({ query, actor }) => {
      const range = readRange(query, now(), wrongParameter);
      const devices = await selectDevices(db, { names: query.device }, actor.devices);
      const deleted = await telemetry.remove({
        devices: [...devices.keys()],
        metrics: query.metric,
        ...range,
      });
      const [named, at] = [await findByIds(db, [...devices.keys()]), now()];
      await transact((_, recordEvents) =>
        recordEvents(
          ...named.map(({ id, name }) => ({
            type: 'telemetry.deleted' as const,
            subject: { type: 'device', id, name },
            actor: partyOf(actor),
            data: {
              ...(query.metric === undefined ? {} : { metrics: query.metric }),
              from: new Date(range.fromMs).toISOString(),
              to: new Date(range.toMs).toISOString(),
            },
            at,
          })),
        ),
      );
      return { deleted };
    }),
  ];
};
