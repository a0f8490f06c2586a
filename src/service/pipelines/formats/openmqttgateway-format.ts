import { putFields } from './flatten.ts';
import { isObject, type JsonObject } from './json-object.ts';
import type { MessageFormat } from './message-format.ts';
import type { MessageWriter } from './message-writer.ts';
import { isRtl433, writeRtl433 } from './rtl433-format.ts';
import { topicDevice } from './topic-device.ts';

/** The level of a module: `BTtoMQTT`. */
const END = 'toMQTT';

/** The gateway and the module in `home/OpenMQTTGateway/BTtoMQTT/A4C138000000`. */
const placeOf = (topic: string | null): { gateway: string; module: string } | undefined => {
  if (topic?.includes(END) !== true) return undefined;
  const levels = topic.split('/');
  const at = levels.findIndex((level) => level.endsWith(END));
  const gateway = levels[at - 1];
  return gateway === undefined ? undefined : { gateway, module: levels[at]!.slice(0, -END.length) };
};

/** A Bluetooth device, named by its MAC address. Several gateways may receive it. */
const writeBluetooth = (writer: MessageWriter, { id, name, ...values }: JsonObject): void => {
  const device = String(id);
  putFields(writer, values);
  if (typeof name === 'string') writer.deviceNames = new Map([[device, name]]);
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
    const { gateway, module } = place;
    if (module === 'BT' && typeof content['id'] === 'string') writeBluetooth(writer, content);
    else if (module === 'RTL_433' && isRtl433(content)) writeRtl433(writer, content, nowMs);
    else {
      putFields(writer, content, module === 'SYS' ? '' : `${module}.`);
      writer.endGroup(topicDevice(writer, gateway), undefined);
    }
    return true;
  },
};
