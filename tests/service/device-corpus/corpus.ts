import { cloudPayloads } from './clouds.ts';
import type { Conversation } from './conversation.ts';
import type { DevicePayload } from './device-payload.ts';
import { energyPayloads } from './energy.ts';
import { homeAssistantConversations } from './home-assistant.ts';
import { homePayloads } from './homes.ts';
import { homieConversations } from './homie.ts';
import { lorawanPayloads } from './lorawan.ts';
import { monitoringPayloads } from './monitoring.ts';
import { platformPayloads } from './platforms.ts';
import { radioPayloads } from './radio.ts';
import { serverPayloads } from './servers.ts';
import { shellyPayloads } from './shelly.ts';
import { statestreamConversations } from './statestream.ts';
import { tasmotaPayloads } from './tasmota.ts';
import { textPayloads } from './texts.ts';
import { zigbee2mqttPayloads } from './zigbee2mqtt.ts';

/** The payloads of the corpus, by their senders. */
export const corpusPayloads: readonly (readonly [senders: string, payloads: readonly DevicePayload[]])[] = [
  ['Zigbee2MQTT', zigbee2mqttPayloads],
  ['Tasmota', tasmotaPayloads],
  ['Shelly', shellyPayloads],
  ['rtl_433 and OpenMQTTGateway', radioPayloads],
  ['ChirpStack v3, The Things Network v2, Telegraf and AWS IoT', serverPayloads],
  ['Azure IoT Hub, Helium, Milesight, flespi and Teltonika', cloudPayloads],
  ['collectd, OpenTSDB and Graphite', monitoringPayloads],
  ['platforms', platformPayloads],
  ['energy', energyPayloads],
  ['homes and weather', homePayloads],
  ['LoRaWAN', lorawanPayloads],
  ['text, SenML and single values', textPayloads],
];

/** The sequences of messages of the corpus, by their senders. */
export const corpusConversations: readonly (readonly [
  senders: string,
  conversations: readonly Conversation[],
])[] = [
  ['Homie', homieConversations],
  ['Home Assistant discovery', homeAssistantConversations],
  ['MQTT Statestream', statestreamConversations],
];

/** The bytes of a message: an object as JSON, text as it is. */
export const bytesOf = (payload: object | string): Buffer =>
  Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload));
