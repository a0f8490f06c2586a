import { hasOnly, isObject, type JsonObject } from './json-object.ts';
import type { MessageFormat } from './message-format.ts';
import type { MessageWriter } from './message-writer.ts';

type Sample = { device?: unknown; ts?: unknown; values: JsonObject };

const isSample = (value: unknown): value is Sample =>
  isObject(value) && isObject(value['values']) && hasOnly(value, ['device', 'ts', 'values']);

const samplesIn = (message: unknown): unknown[] | undefined => {
  if (isSample(message)) return [message];
  if (Array.isArray(message)) return message.length > 0 && message.every(isSample) ? message : undefined;
  // Each sample is validated separately, so that an invalid one does not reject the others.
  if (!isObject(message) || !hasOnly(message, ['samples'])) return undefined;
  return Array.isArray(message['samples']) ? message['samples'] : undefined;
};

const writeSample = (writer: MessageWriter, sample: unknown): void => {
  if (!isSample(sample)) return writer.rejectSample(sample);
  writer.addSample(sample.device, sample.ts, sample.values);
};

/**
 * The Penstock format, strict: `{ samples: [...] }`, one sample `{ device?, ts?, values }`, or a list of samples.
 */
export const penstockFormat: MessageFormat = {
  name: 'penstock',
  write: (message, writer) => {
    const samples = samplesIn(message);
    if (samples === undefined) return false;
    writer.addAll(samples, (sample) => writeSample(writer, sample));
    return true;
  },
};
