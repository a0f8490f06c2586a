import { hasOnly, isObject, type JsonObject, type MessageFormat } from './message-format.ts';

const isSample = (value: unknown): value is JsonObject & { values: JsonObject } =>
  isObject(value) && isObject(value['values']) && hasOnly(value, ['device', 'ts', 'values']);

/**
 * Our own body, strict: `{ samples: [...] }`, one sample `{ device?, ts?, values }`, or a list of them.
 */
export const penstockFormat: MessageFormat = {
  name: 'penstock',
  read: (message) => {
    if (isSample(message)) return { samples: [message] };
    if (Array.isArray(message))
      return message.length > 0 && message.every(isSample) ? { samples: message } : undefined;
    if (!isObject(message) || !hasOnly(message, ['samples'])) return undefined;
    // Each is judged on its own: one that is no sample must not reject its neighbours.
    return Array.isArray(message['samples']) ? { samples: message['samples'] } : undefined;
  },
};
