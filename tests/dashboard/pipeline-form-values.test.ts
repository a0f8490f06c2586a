import { expect, test } from 'vitest';
import type { Pipeline, PipelineType } from '#contract/pipelines.ts';
import {
  changeOf,
  formValuesOf,
  startWithTopic,
} from '#dashboard/pages/pipeline-form/pipeline-form-values.ts';
import { localTimeZone } from '#dashboard/ui/format/local-time-zone.ts';
import { deviceLevelOf } from '#dashboard/pages/pipeline-form/topic-levels.ts';

const type: PipelineType = {
  type: 'http-poll',
  label: 'Polled URL',
  description: '',
  kind: 'polled',
  topicField: null,
  configSchema: {
    properties: { url: { type: 'string' }, headers: { type: 'object', writeOnly: true } },
    required: ['url'],
  },
};
const pipeline = {
  name: 'Exporter',
  type: 'http-poll',
  interval: 10,
  destination: 'telemetry',
  mapping: { format: 'auto' },
  config: { url: 'http://10.0.0.5/', headers: { Authorization: '***', Accept: 'text/plain' } },
} as unknown as Pipeline;

test('a removed header is removed, and a kept one keeps its secret', () => {
  const values = formValuesOf(pipeline, [type]);
  expect(changeOf(pipeline, values, [type])).toEqual({});
  const headers = JSON.stringify({ Authorization: '***', 'X-Plant': 'north' });
  const changed = { ...values, config: { ...values.config, headers } };
  expect(changeOf(pipeline, changed, [type])).toEqual({
    config: { headers: { Accept: null, 'X-Plant': 'north' } },
  });
});

test('the level of a topic that is evidently the device is found', () => {
  const found = (topic: string, message = '21') => deviceLevelOf(topic, message);
  expect(found('plant/hall/state', '{"sensor_id":"Hall","t":1}')).toBe(1);
  expect(found('site/devices/north/line2')).toBe(2);
  expect(found('/v1/plant/boiler-7/state')).toBe(3);
  // Two levels with numbers, and a topic of plain words.
  expect([found('plant/line2/press-7/state'), found('plant/hall/state')]).toEqual([null, null]);
  expect([found('plant/line2/press 7/state'), found('werk/Wärmepumpe 3/state')]).toEqual([null, 1]);
});

test('a pipeline from a topic of a tool that sends local times has the time zone of the browser', () => {
  for (const topic of ['tele/plug-1/SENSOR', 'stat/plug-1/RESULT', 'rtl_433/attic/events'])
    expect(startWithTopic(topic, '').config).toMatchObject({ timeZone: localTimeZone() });
  expect(startWithTopic('zigbee2mqtt/lamp', '').config).toEqual({ topic: 'zigbee2mqtt/#' });
});
