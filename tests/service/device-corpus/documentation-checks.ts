/**
 * What the payloads of a tool were compared with, in November 2026: names and nesting of fields, topics, and whether
 * values are numbers or text. Tools that are not listed were not compared: their payloads are written from knowledge of
 * the tool. `differences`: what the corpus or the format had wrong before.
 */
type DocumentationCheck = {
  readonly tool: string;
  readonly comparedWith: string;
  readonly differences?: string;
};

export const documentationChecks: readonly DocumentationCheck[] = [
  {
    tool: 'Zigbee2MQTT',
    comparedWith: 'https://www.zigbee2mqtt.io/guide/usage/mqtt_topics_and_messages.html',
  },
  { tool: 'Tasmota', comparedWith: 'https://tasmota.github.io/docs/JSON-Status-Responses/' },
  {
    tool: 'Shelly since generation 2',
    comparedWith: 'https://shelly-api-docs.shelly.cloud/gen2/ComponentsAndServices/Switch',
  },
  {
    tool: 'ESPHome, and discovery of Home Assistant',
    comparedWith:
      'https://esphome.io/components/mqtt.html, and discovery messages of ESPHome 2023.2 and Tasmota',
  },
  {
    tool: 'Home Assistant Statestream',
    comparedWith: 'https://www.home-assistant.io/integrations/mqtt_statestream/',
  },
  {
    tool: 'rtl_433',
    comparedWith: 'https://github.com/merbanan/rtl_433/blob/master/docs/DATA_FORMAT.md',
  },
  {
    tool: 'OpenMQTTGateway',
    comparedWith: 'https://docs.openmqttgateway.com/use/ble.html',
    differences: 'messages without an ID became samples of the gateway',
  },
  {
    tool: 'ChirpStack 4',
    comparedWith: 'https://www.chirpstack.io/docs/chirpstack/integrations/events.html',
    differences: 'txack, log and integration were missing',
  },
  {
    tool: 'ChirpStack 3',
    comparedWith:
      'https://docs.rs/crate/chirpstack_api/3.8.1/source/proto/chirpstack-api/as/integration/integration.proto',
  },
  {
    tool: 'The Things Stack 3',
    comparedWith: 'https://www.thethingsindustries.com/docs/integrations/data-formats/',
  },
  {
    tool: 'The Things Network 2',
    comparedWith: 'https://www.thethingsnetwork.org/docs/applications/mqtt/api/',
  },
  {
    tool: 'ThingPark',
    comparedWith: 'https://docs.thingpark.com/thingpark-x/latest/Message/uplink-message',
    differences: 'RSSI and SNR as text were lost',
  },
  {
    tool: 'Milesight',
    comparedWith:
      'https://www.milesight.com/development-platform/docs/en/api-reference/event-device-data.html',
    differences: 'the time of the event was not read',
  },
  { tool: 'Helium', comparedWith: 'https://docs.helium.com/console/integrations/json-schema' },
  {
    tool: 'Azure IoT Hub',
    comparedWith: 'https://learn.microsoft.com/en-us/azure/event-grid/event-schema-iot-hub',
  },
  {
    tool: 'AWS IoT device shadows',
    comparedWith: 'https://docs.aws.amazon.com/iot/latest/developerguide/device-shadow-document.html',
  },
  {
    tool: 'Telegraf',
    comparedWith: 'https://github.com/influxdata/telegraf/blob/master/plugins/serializers/json/README.md',
  },
  { tool: 'collectd', comparedWith: 'https://github.com/collectd/collectd/wiki/JSON' },
  { tool: 'OpenTSDB', comparedWith: 'https://opentsdb.net/docs/build/html/api_http/put.html' },
  {
    tool: 'Graphite',
    comparedWith: 'https://github.com/graphite-project/graphite-web/blob/master/docs/feeding-carbon.rst',
  },
  {
    tool: 'OTLP as JSON',
    comparedWith: 'https://github.com/open-telemetry/opentelemetry-proto/blob/main/examples/metrics.json',
  },
  {
    tool: 'Homie',
    comparedWith: 'https://github.com/homieiot/convention/blob/develop/convention.md',
    differences: 'arrays and statistics of version 3 were missing',
  },
  { tool: 'Victron Venus OS', comparedWith: 'https://github.com/victronenergy/dbus-flashmq' },
  {
    tool: 'OwnTracks',
    comparedWith: 'https://owntracks.org/booklet/tech/json',
    differences: 'the last will got the time at which the app had connected',
  },
  {
    tool: 'Ruuvi Gateway',
    comparedWith: 'https://docs.ruuvi.com/gw-data-formats/mqtt-time-stamped-data-from-bluetooth-sensors',
  },
];
