import { metricsApi, type MetricChange, type MetricDetails } from '#contract/metrics.ts';
import { LIMITS } from '#contract/sample-rules.ts';
import { foldCase } from '#contract/text.ts';
import { requireVisible } from '../devices/device-rules.ts';
import { findByIds, getDevice, type DeviceRow } from '../devices/device-store.ts';
import { partyOf, type Transact } from '../events/event-store.ts';
import type { Clock } from '../platform/clock.ts';
import { Answer, requireMatch } from '../platform/http/answer.ts';
import type { Actor } from '../platform/http/auth.ts';
import { notFound } from '../platform/http/http-problem.ts';
import { route, type Route } from '../platform/http/route.ts';
import type { Db } from '../platform/storage/database.ts';
import { automaticOf, metricOf } from './describe-metric.ts';
import { changeMetricSettings, findMetricSettings, loadMetricSettings } from './metric-settings-store.ts';
import type { TelemetryStore } from './store/telemetry-store.ts';

type Dependencies = {
  db: Db;
  transact: Transact;
  now: () => number;
  clock: Pick<Clock, 'latestPlausible'>;
  telemetry: TelemetryStore;
};

/** @throws HttpProblem 404 if no device that the token can access has the type */
const requireVisibleType = async (db: Db, actor: Actor, deviceType: string): Promise<void> => {
  const key = foldCase(deviceType);
  const isKnown =
    actor.devices === null
      ? (await db
          .selectFrom('device_facet')
          .select('value')
          .where('name', '=', 'type')
          .where('value_key', '=', key)
          .executeTakeFirst()) !== undefined
      : (await findByIds(db, actor.devices)).some(({ type_key }) => type_key === key);
  if (!isKnown) throw notFound('device type');
};

export const metricRoutes = ({ db, transact, now, clock, telemetry }: Dependencies): Route[] => {
  const untilMs = () => clock.latestPlausible(LIMITS.aheadMs);

  const getMetric = async (device: DeviceRow, metric: string) => {
    const [stored] = await telemetry.metrics([device.id], [metric], untilMs());
    if (stored === undefined) throw notFound('metric');
    return stored;
  };

  const answerDetails = async (device: DeviceRow, metric: string): Promise<Answer<MetricDetails>> => {
    const stored = await getMetric(device, metric);
    const settingsOf = await loadMetricSettings(db, [device.id]);
    const { ofType, ofDevice } = settingsOf(device.id, metric);
    const { revision } = await findMetricSettings(db, { device: device.id }, metric);
    const body = {
      ...metricOf(stored, settingsOf),
      deviceType: device.type,
      automatic: automaticOf(stored),
      typeSettings: ofType,
      deviceSettings: ofDevice,
    };
    return new Answer(body, { etag: revision });
  };

  /** The data of an event: what was changed, and the new values. */
  const eventData = (metric: string, change: MetricChange) => ({
    metric,
    fields: Object.keys(change).map((name) => `${name} of ${metric}`),
    ...change,
  });

  return [
    route(metricsApi.list, async ({ params, actor }) => {
      requireVisible(actor, params.id);
      const { id } = await getDevice(db, params.id);
      const [found, settingsOf] = await Promise.all([
        telemetry.metrics([id], undefined, untilMs()),
        loadMetricSettings(db, [id]),
      ]);
      return { data: found.map((stored) => metricOf(stored, settingsOf)) };
    }),

    route(metricsApi.get, async ({ params, actor }) => {
      requireVisible(actor, params.id);
      return answerDetails(await getDevice(db, params.id), params.metric);
    }),

    route(metricsApi.change, async ({ params: { id, metric }, body, actor, request }) => {
      const device = await getDevice(db, id);
      await getMetric(device, metric);
      await transact(async (tx, recordEvents) => {
        const { revision } = await findMetricSettings(tx, { device: id }, metric);
        requireMatch(request, revision);
        await changeMetricSettings(tx, { device: id }, metric, body);
        await recordEvents({
          type: 'device.updated',
          subject: { type: 'device', id, name: device.name },
          actor: partyOf(actor),
          data: eventData(metric, body),
          at: now(),
        });
      });
      return answerDetails(device, metric);
    }),

    route(metricsApi.getOfType, async ({ params: { deviceType, metric }, actor }) => {
      await requireVisibleType(db, actor, deviceType);
      const { settings, revision } = await findMetricSettings(db, { deviceType }, metric);
      return new Answer(settings, { etag: revision });
    }),

    route(metricsApi.changeOfType, ({ params: { deviceType, metric }, body, actor, request }) =>
      transact(async (tx, recordEvents) => {
        await requireVisibleType(tx, actor, deviceType);
        requireMatch(request, (await findMetricSettings(tx, { deviceType }, metric)).revision);
        const { settings, revision } = await changeMetricSettings(tx, { deviceType }, metric, body);
        await recordEvents({
          type: 'device-type.updated',
          subject: { type: 'device-type', id: deviceType, name: deviceType },
          actor: partyOf(actor),
          data: eventData(metric, body),
          at: now(),
        });
        return new Answer(settings, { etag: revision });
      }),
    ),
  ];
};
