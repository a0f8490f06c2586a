import { putFields } from './flatten.ts';
import { isObject, type JsonObject } from './json-object.ts';
import type { MessageFormat } from './message-format.ts';
import type { MessageWriter } from './message-writer.ts';
import { isRtl433, writeRtl433 } from './rtl433-format.ts';
import { topicDevice } from './topic-device.ts';

/** The level of a module: `BTtoMQTT`. */
const END = 'toMQTT';

/** Where a message is from: `home/OpenMQTTGateway/BTtoMQTT/A4C138000000`. `below`: the level below the module. */
const placeOf = (topic: string | null): { gateway: string; module: string; below: string } | undefined => {
  if (topic?.includes(END) !== true) return undefined;
  const levels = topic.split('/');
  const at = levels.findIndex((level) => level.endsWith(END));
  const gateway = levels[at - 1];
  if (gateway === undefined) return undefined;
  return { gateway, module: levels[at]!.slice(0, -END.length), below: levels[at + 1] ?? '' };
};

/** The device of a message from Bluetooth: its `id`. Versions before 1 sent only its address, in the topic: `A4C138000000`. */
const bluetoothDevice = (id: unknown, below: string): string | undefined => {
  if (typeof id === 'string') return id;
  return /^[0-9A-F]{12}$/i.test(below) ? below.match(/../g)!.join(':') : undefined;
};

/** A Bluetooth device, named by its MAC address. Several gateways may receive it. */
const writeBluetooth = (
  writer: MessageWriter,
  device: string,
  { id: _, name, ...values }: JsonObject,
): void => {
  putFields(writer, values);
  if (typeof name === 'string') writer.nameDevice(device, name);
  writer.endGroup(device, undefined);
};

/**
 * OpenMQTTGateway: devices received over Bluetooth or by rtl_433 name themselves. What the gateway reports, and codes
 * that other modules receive, such as `433.value`, belong to the gateway.
 * Source: https://docs.openmqttgateway.com/use/gateway.html
 */
export const openMqttGatewayFormat: MessageFormat = {
  name: 'openmqttgateway',
  write: (content, writer, { topic, nowMs }) => {
    if (!isObject(content)) return false;
    const place = placeOf(topic);
    if (place === undefined) return false;
    const { gateway, module, below } = place;
    const bluetooth = module === 'BT' ? bluetoothDevice(content['id'], below) : undefined;
    if (bluetooth !== undefined) writeBluetooth(writer, bluetooth, content);
    else if (module === 'RTL_433' && isRtl433(content)) writeRtl433(writer, content, nowMs);
    else {
      putFields(writer, content, module === 'SYS' ? '' : `${module}.`);
      writer.endGroup(topicDevice(writer, gateway), undefined);
    }
    return true;
  },
};
