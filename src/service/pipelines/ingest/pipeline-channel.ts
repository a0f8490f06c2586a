import * as z from 'zod';
import { metricPatternFields, timeZoneSchema } from '#contract/pipeline-types.ts';
import { TELEMETRY } from '#contract/pipelines.ts';
import { slugOf } from '#contract/slug-of.ts';
import { findSource } from '../sources/source-catalogue.ts';
import type { Channel } from './submission.ts';
import type { MetricPatterns } from '../formats/metric-filter.ts';
import type { Environment } from '../../platform/secrets/environment.ts';
import { defaultTimeRule, type TimeRule } from '../../telemetry/write/sample-time.ts';
import { restoreSecrets } from '../definition/pipeline-secrets.ts';
import { configOf, secretsOf, type PipelineRow } from '../definition/pipeline-store.ts';

const ownDevice = ({ device }: Readonly<Record<string, unknown>>): string | undefined =>
  typeof device === 'string' ? device : undefined;

/** The rule for reading timestamps, from the configuration of a pipeline. */
export const timeRuleOf = ({ timeZone, allowOld }: Readonly<Record<string, unknown>>): TimeRule => ({
  timeZone: timeZoneSchema.safeParse(timeZone).data ?? defaultTimeRule.timeZone,
  allowOld: allowOld === true,
});

/** The part of a pipeline that processing its messages needs. */
export const channelOf = (row: PipelineRow): Channel => {
  const config = configOf(row);
  return {
    id: row.id,
    name: row.name,
    isSpooled: row.destination_key !== TELEMETRY,
    onUnknownDevice: config['onUnknownDevice'] === 'reject' ? 'reject' : 'register',
    expectedInterval: findSource(row.type)?.kind === 'polled' ? row.interval : undefined,
    device: ownDevice(config),
    times: timeRuleOf(config),
  };
};

type MessageOrigin = { topic: string | null; device?: string | null | undefined };

/**
 * Returns a function that finds the default device of a message: the device in its topic, otherwise the one that the
 * sender named, otherwise the one in the config.
 */
export const createDeviceFallback = (
  type: string,
  config: Readonly<Record<string, unknown>>,
): ((message: MessageOrigin) => string | undefined) => {
  const match = findSource(type)?.topicFilter(config);
  return ({ topic, device }) => {
    const matched = topic === null ? undefined : match?.(topic);
    return (matched === undefined ? device : matched.level) ?? ownDevice(config);
  };
};

/** The default device for formats without devices. */
const defaultExternalId = ({ id, name }: PipelineRow): string => slugOf(name, 128) || id;

/** The topic filter of a pipeline whose topics are those of MQTT. */
export const mqttFilterOf = (type: string, config: Readonly<Record<string, unknown>>): string | undefined =>
  type === 'mqtt' ? findSource(type)?.topicPattern(config) : undefined;

const metricPatterns = z.object(metricPatternFields);

/** Which metrics a configuration stores; undefined: all. */
export const metricPatternsOf = (config: Readonly<Record<string, unknown>>): MetricPatterns | undefined =>
  metricPatterns.safeParse(config).data;

/** What the messages of a pipeline take from it, besides its channel. */
export const receiptOf = (row: PipelineRow) => ({
  pipelineDevice: defaultExternalId(row),
  topicFilter: mqttFilterOf(row.type, configOf(row)),
  metrics: metricPatternsOf(configOf(row)),
});

/** The configuration to open the source with, including its secrets. */
export const sourceConfigOf = (row: PipelineRow, environment: Environment) =>
  restoreSecrets({ type: row.type, config: configOf(row), secrets: secretsOf(row) }, environment);
