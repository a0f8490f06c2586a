import { isObject } from './json-object.ts';
import type { MessageFormat } from './message-format.ts';

const SIGNALS = ['resourceMetrics', 'resourceLogs', 'resourceSpans'];

/** Rejects OTLP in JSON, which has a separate endpoint. Flat JSON would read its lists as metrics. */
export const otlpFormat: MessageFormat = {
  name: 'otlp',
  write: (message, writer) => {
    if (!isObject(message) || !SIGNALS.some((signal) => Array.isArray(message[signal]))) return false;
    writer.reject({
      reason: 'other-address',
      detail: 'Pipelines do not read OTLP. Set the endpoint of the exporter to /otlp of this service.',
      samples: 1,
    });
    return true;
  },
};
