import type { FastifyRequest } from 'fastify';
import { metricsApi, type MetricChange, type MetricDetails } from '#contract/metrics.ts';
import { LIMITS } from '#contract/sample-rules.ts';
import { foldCase } from '#contract/fold-case.ts';
import { requireVisible } from '../devices/device-rules.ts';
import { getDevice, type DeviceRow } from '../devices/device-store.ts';
import { partyOf, type NewEvent, type Transact } from '../events/event-store.ts';
import type { Clock } from '../platform/clock.ts';
import { Answer, requireMatch } from '../platform/http/answer.ts';
import { notFound } from '../platform/http/http-problem.ts';
import { route, type Route } from '../platform/http/route.ts';
import type { Db } from '../platform/storage/database.ts';
import { automaticOf, metricOf } from './describe-metric.ts';
import {
  changedSettings,
  changeMetricSettings,
  findMetricSettings,
  loadMetricSettings,
  NO_SETTINGS,
  type MetricOwner,
  type StoredSettings,
} from './metric-settings-store.ts';
import { requireTypeMetric } from './require-type-metric.ts';
import type { TelemetryStore } from './store/telemetry-store.ts';

type Dependencies = {
  db: Db;
  transact: Transact;
  now: () => number;
  clock: Pick<Clock, 'latestPlausible'>;
  telemetry: TelemetryStore;
};

/** A change of the settings of a metric, and the event that records it. */
type SettingsChange = {
  owner: MetricOwner;
  metric: string;
  change: MetricChange;
  event: Pick<NewEvent, 'type' | 'subject' | 'actor'>;
};

export const metricRoutes = ({ db, transact, now, clock, telemetry }: Dependencies): Route[] => {
  const untilMs = () => clock.latestPlausible(LIMITS.aheadMs);

  const getMetric = async (device: DeviceRow, metric: string) => {
    const [stored] = await telemetry.metrics([device.id], [metric], untilMs());
    if (stored === undefined) throw notFound('metric');
    return stored;
  };

  const answerDetails = async (
    device: DeviceRow,
    metric: string,
    { settings, revision }: StoredSettings,
  ): Promise<Answer<MetricDetails>> => {
    const stored = await getMetric(device, metric);
    const typeSettings =
      device.type === ''
        ? NO_SETTINGS
        : (await findMetricSettings(db, { deviceType: device.type }, metric)).settings;
    const body = {
      ...metricOf(stored, () => ({ ofType: typeSettings, ofDevice: settings })),
      deviceType: device.type,
      automatic: automaticOf(stored),
      typeSettings,
      deviceSettings: settings,
    };
    return new Answer(body, { etag: revision });
  };

  const changeSettings = (
    { owner, metric, change, event }: SettingsChange,
    request: FastifyRequest,
  ): Promise<StoredSettings> =>
    transact(async (tx, recordEvents) => {
      const before = await findMetricSettings(tx, owner, metric);
      requireMatch(request, before.revision);
      const changed = changedSettings(before.settings, change);
      const fields = Object.keys(changed);
      if (fields.length === 0) return before;
      await recordEvents({ ...event, data: { metric, fields, ...changed }, at: now() });
      return changeMetricSettings(tx, { owner, metric, before }, changed);
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

    route(metricsApi.get, async ({ params: { id, metric }, actor }) => {
      requireVisible(actor, id);
      const device = await getDevice(db, id);
      return answerDetails(device, metric, await findMetricSettings(db, { device: id }, metric));
    }),

    route(metricsApi.change, async ({ params: { id, metric }, body, actor, request }) => {
      const device = await getDevice(db, id);
      await getMetric(device, metric);
      const event = {
        type: 'device.updated',
        subject: { type: 'device', id, name: device.name },
        actor: partyOf(actor),
      } as const;
      const change = { owner: { device: id }, metric, change: body, event };
      return answerDetails(device, metric, await changeSettings(change, request));
    }),

    route(metricsApi.getOfType, async ({ params: { deviceType, metric }, actor }) => {
      await requireTypeMetric({ db, telemetry }, { deviceType, metric, only: actor.devices });
      const { settings, revision } = await findMetricSettings(db, { deviceType }, metric);
      return new Answer(settings, { etag: revision });
    }),

    route(metricsApi.changeOfType, async ({ params: { deviceType, metric }, body, actor, request }) => {
      const wanted = { deviceType, metric, only: actor.devices };
      const name = await requireTypeMetric({ db, telemetry }, wanted);
      const event = {
        type: 'device-type.updated',
        subject: { type: 'device-type', id: foldCase(deviceType), name },
        actor: partyOf(actor),
      } as const;
      const change = { owner: { deviceType }, metric, change: body, event };
      const { settings, revision } = await changeSettings(change, request);
      return new Answer(settings, { etag: revision });
    }),
  ];
};
