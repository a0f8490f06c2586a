import { putFields } from './flatten.ts';
import { hasOnly, isObject } from './json-object.ts';
import type { MessageFormat } from './message-format.ts';

/**
 * EMQX Neuron, values format: the southbound node is the device, the group and the tag are the metric. Tags with an
 * error have no value. `recordsFormat` reads the tags format.
 * Source: https://docs.emqx.com/en/neuron/latest/configuration/north-apps/mqtt/api.html
 */
export const neuronFormat: MessageFormat = {
  name: 'neuron',
  write: (message, writer) => {
    if (!isObject(message) || !hasOnly(message, ['node', 'group', 'timestamp', 'values', 'errors', 'metas']))
      return false;
    const { node, group, timestamp, values, errors } = message;
    if (typeof node !== 'string' || typeof group !== 'string' || !isObject(values)) return false;
    putFields(writer, values, `${group}.`);
    writer.noValues += isObject(errors) ? Object.keys(errors).length : 0;
    if (writer.hasSamples) writer.endGroup(writer.deviceNamed(node), timestamp);
    return true;
  },
};
