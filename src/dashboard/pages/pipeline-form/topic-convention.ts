import { topicFilterOf } from '#contract/topic-filter.ts';

/**
 * A tool whose messages are read without an expression (docs/devices.md), and the topic filter of its devices.
 * `hasLocalTimes`: messages have local times without a zone.
 */
type TopicConvention = {
  readonly name: string;
  readonly topicFilter: string;
  readonly hasLocalTimes?: true;
};

const known: readonly (TopicConvention & { readonly topics?: RegExp })[] = [
  { name: 'Zigbee2MQTT', topicFilter: 'zigbee2mqtt/#' },
  { name: 'Tasmota', topicFilter: 'tele/#', hasLocalTimes: true },
  { name: 'Tasmota results', topicFilter: 'stat/#', hasLocalTimes: true },
  { name: 'Shelly, first generation', topicFilter: 'shellies/#' },
  { name: 'Shelly', topicFilter: '+/events/rpc' },
  { name: 'rtl_433', topicFilter: 'rtl_433/#', hasLocalTimes: true },
  { name: 'OpenMQTTGateway', topicFilter: 'home/#', topics: /^home\/[^/]+\/[^/]+toMQTT(\/|$)/ },
  { name: 'ChirpStack', topicFilter: 'application/+/device/+/event/up' },
  { name: 'The Things Network', topicFilter: 'v3/+/devices/+/up' },
  { name: 'Telegraf', topicFilter: 'telegraf/#' },
  { name: 'flespi', topicFilter: 'flespi/message/gw/#' },
  { name: 'Homie', topicFilter: 'homie/#' },
  { name: 'Home Assistant', topicFilter: 'homeassistant/#' },
  { name: 'Sparkplug B', topicFilter: 'spBv1.0/#' },
];

/** The convention of a topic, or of a topic filter with `+` for a device. */
export const findConvention = (topic: string): TopicConvention | undefined =>
  known.find(
    ({ topicFilter, topics }) =>
      topicFilterOf(topicFilter)(topic) !== undefined && topics?.test(topic) !== false,
  );
