import { hasOnly, isObject, type JsonObject, type MessageFormat } from './message-format.ts';

const isSample = (value: unknown): value is JsonObject & { values: JsonObject } =>
  isObject(value) && isObject(value['values']) && hasOnly(value, ['device', 'ts', 'values']);

/**
 * The Penstock format, strict: `{ samples: [...] }`, one sample `{ device?, ts?, values }`, or a list of samples.
 */
export const penstockFormat: MessageFormat = {
  name: 'penstock',
  read: (message) => {
    if (isSample(message)) return { samples: [message] };
    if (Array.isArray(message))
      return message.length > 0 && message.every(isSample) ? { samples: message } : undefined;
    if (!isObject(message) || !hasOnly(message, ['samples'])) return undefined;
    // Each sample is validated separately, so that an invalid one does not reject the others.
    return Array.isArray(message['samples']) ? { samples: message['samples'] } : undefined;
  },
};
