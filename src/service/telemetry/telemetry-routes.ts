import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DeviceFilter } from '#contract/device-filter.ts';
import { LIMITS } from '#contract/sample-rules.ts';
import { aggregateSchema, telemetryApi, type WriteReport } from '#contract/telemetry.ts';
import { parseBucket } from '#contract/time-range.ts';
import { findByIds } from '../devices/device-store.ts';
import { partyOf, type Transact } from '../events/event-store.ts';
import type { Clock } from '../platform/clock.ts';
import { actorGroupOf, type Actor } from '../platform/http/auth.ts';
import { preferredType } from '../platform/http/preferred-type.ts';
import { isAwaitedBy } from '../platform/http/awaited.ts';
import { bytesOf } from '../platform/http/body.ts';
import { invalidField, invalidParameter, HttpProblem } from '../platform/http/http-problem.ts';
import { route, type Route } from '../platform/http/route.ts';
import { toIsoTime } from '../platform/iso-time.ts';
import type { Db } from '../platform/storage/database.ts';
import type { TelemetryStore } from './store/telemetry-store.ts';
import { createQueryAnswers } from './answer-query.ts';
import { describeMetric } from './describe-metric.ts';
import { loadMetricSettings } from './metric-settings-store.ts';
import { filterOf, selectDevices } from './query/device-selection.ts';
import { readLatest } from './query/read-latest.ts';
import { describeLine } from './write/sample-reading.ts';
import { defaultTimeRule } from './write/sample-time.ts';
import type { StoreWrite } from './write/store-write.ts';
import { exportCsv, exportNdjson } from './telemetry-export.ts';
import { readRange, readResolution, type InvalidInput } from './query/telemetry-query.ts';

const wrongParameter: InvalidInput = (parameter, detail) =>
  invalidParameter(parameter, 'invalid-value', detail);
const wrongField: InvalidInput = (field, detail) => invalidField(`/${field}`, 'invalid-value', detail);

const formatOf = ({ headers }: FastifyRequest): 'json' | 'ndjson' | 'csv' => {
  const type = headers['content-type'] ?? '';
  if (type.includes('csv')) return 'csv';
  return type.includes('ndjson') ? 'ndjson' : 'json';
};

const withLines = (report: WriteReport): WriteReport => ({
  ...report,
  errors: report.errors.map((error) => ({
    ...error,
    detail: `Line ${describeLine(error)}: ${error.detail}`,
  })),
});

/** The filter of a query body. `tags` are tags of the filter. */
const withTags = (
  filter: DeviceFilter | undefined,
  tags: Readonly<Record<string, string>> | undefined,
): DeviceFilter | undefined => {
  if (tags === undefined || Object.keys(tags).length === 0) return filter;
  const named = Object.entries(tags).map(([key, value]) => `${key}:${value}`);
  return { ...filter, tag: [...(filter?.tag ?? []), ...named] };
};

const sendPieces = (reply: FastifyReply, type: string, pieces: Iterable<string> | AsyncIterable<string>) =>
  reply.type(type).send(Readable.from(pieces));

const sendJson = (reply: FastifyReply, pieces: Iterable<string>) =>
  sendPieces(reply, 'application/json; charset=utf-8', pieces);

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
  const requireNamed = (names: readonly string[], { devices: only }: Actor) =>
    selectDevices(db, { names }, { only, nowMs: now() });
  const answerQuery = createQueryAnswers({ db, now, telemetry });

  return [
    route(telemetryApi.write, async ({ request, query, actor }) => {
      const format = formatOf(request);
      const times = { ...defaultTimeRule, allowOld: query.allowOld };
      const input = { format, bytes: bytesOf(request), times, isBackfill: query.backfill };
      const written = await storeWrite(input, actor, request);
      const report = format === 'json' ? written : withLines(written);
      const [first] = report.errors;
      if (first !== undefined && report.rejected === report.received)
        throw new HttpProblem(
          'validation-failed',
          `${report.received === 1 ? 'The sample was not' : `None of the ${report.received} samples were`} stored. ${format === 'json' ? `${first.pointer}: ` : ''}${first.detail}`,
          { errors: report.errors.map(({ index: _, ...field }) => field) },
        );
      return report;
    }),

    route(telemetryApi.read, async ({ query, actor, request, reply }) => {
      const { device, metric, agg, ...rest } = query;
      const aggregates = agg?.split(',').map((name) => aggregateSchema.parse(name));
      const devices = { names: device, filter: filterOf(query) };
      const answer = await answerQuery(
        { ...rest, devices, metrics: metric, aggregates },
        {
          only: actor.devices,
          seriesLimit: LIMITS.seriesPerGet,
          invalidInput: wrongParameter,
          isAwaited: isAwaitedBy(request),
          group: actorGroupOf(actor),
        },
      );
      return sendJson(reply, answer);
    }),

    route(telemetryApi.query, async ({ body, actor, request, reply }) => {
      const { devices: names, tags, filter, agg: aggregates, ...rest } = body;
      const devices = { names, filter: withTags(filter, tags) };
      const answer = await answerQuery(
        { ...rest, devices, aggregates },
        {
          only: actor.devices,
          seriesLimit: LIMITS.seriesPerQuery,
          invalidInput: wrongField,
          isAwaited: isAwaitedBy(request),
          group: actorGroupOf(actor),
        },
      );
      return sendJson(reply, answer);
    }),

    route(telemetryApi.latest, async ({ query, actor, request }) => {
      const externalIds = await requireNamed(query.device, actor);
      const nowMs = now();
      const untilMs = clock.latestPlausible(LIMITS.aheadMs);
      const devices = [...externalIds.keys()];
      const [found, settingsOf] = await Promise.all([
        readLatest(telemetry, { devices, metrics: query.metric, untilMs, isAwaited: isAwaitedBy(request) }),
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
      const { device, metric: metrics, bucket, timeZone } = query;
      const nowMs = now();
      const range = readRange(query, nowMs, wrongParameter);
      readResolution({ timeZone }, range, wrongParameter);
      const selection = { names: device, filter: filterOf(query) };
      const externalIds = await selectDevices(db, selection, { only: actor.devices, nowMs });
      const exported = {
        selection: { devices: [...externalIds.keys()], metrics, ...range },
        bucket: bucket === undefined ? undefined : parseBucket(bucket),
        timeZone,
        externalIds,
        isAwaited: isAwaitedBy(request),
      };
      const accepted = preferredType(request.headers.accept, telemetryApi.export.responseTypes);
      const format = query.format ?? (accepted === 'application/x-ndjson' ? 'ndjson' : 'csv');
      reply.header('content-disposition', `attachment; filename="telemetry.${format}"`);
      return format === 'csv'
        ? sendPieces(reply, 'text/csv; charset=utf-8; header=present', exportCsv(telemetry, exported))
        : sendPieces(reply, 'application/x-ndjson; charset=utf-8', exportNdjson(telemetry, exported));
    }),

    route(telemetryApi.remove, async ({ query, actor }) => {
      const range = readRange(query, now(), wrongParameter);
      const externalIds = await requireNamed(query.device, actor);
      let deleted = 0;
      // One after another: the event of each device has its number, and is recorded even if a later removal fails.
      for (const { id, name } of await findByIds(db, [...externalIds.keys()])) {
        const samples = await telemetry.remove({ devices: [id], metrics: query.metric, ...range });
        deleted += samples;
        await transact((_, recordEvents) =>
          recordEvents({
            type: 'telemetry.deleted',
            subject: { type: 'device', id, name },
            actor: partyOf(actor),
            data: {
              ...(query.metric === undefined ? {} : { metrics: query.metric }),
              from: toIsoTime(range.fromMs),
              to: toIsoTime(range.toMs),
              samples,
            },
            at: now(),
          }),
        );
      }
      return { deleted };
    }),
  ];
};
