import { afterAll, beforeAll, expect, test } from 'vitest';
import { topicFilterOf } from '#contract/topic-filter.ts';
import { exampleFor } from '#dashboard/resources/pipelines/example-message.ts';
import { startTestService, type TestService } from '#tests/service/start-test-service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const topicFilters =
  `v1/devices/+/telemetry tele/# stat/# zigbee2mqtt/# shellies/# +/events/rpc rtl_433/# home/#
  application/+/device/+/event/up v3/+/devices/+/up telegraf/# flespi/message/gw/# homie/# homeassistant/# plant/#
  plant/+/# plant/all #`.split(/\s+/);

test.each(topicFilters)(
  'the example of a pipeline of %s is accepted as samples of the example device',
  async (topicFilter) => {
    const { topic, message } = exampleFor(topicFilter, false);
    expect(topicFilterOf(topicFilter)(topic)).toBeDefined();
    const { body } = await service.request('POST', '/v1/pipelines/preview', {
      body: { type: 'mqtt', config: { topic: topicFilter }, topic, message },
    });
    expect(body).toMatchObject({ rejections: [], samples: [{ device: 'boiler-7' }] });
  },
);
