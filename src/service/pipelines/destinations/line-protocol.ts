import type { Value } from '#contract/telemetry.ts';
import { DeliveryFailure, type SpooledSample } from './destination.ts';

/** InfluxDB keeps a point's time under this name, and drops a field of that name without a word. */
const TIME = 'time';
/** The picture of U+0000 stands before those of all other control characters. */
const CONTROL_PICTURES = 0x24_00;
const FULLWIDTH_BACKSLASH = '\uff3c';

/**
 * A name that may stand outside quotes. Line protocol has no way to write a line break there, nor a backslash that would
 * be read as the escape of what follows it: the picture of the control character and the full-width backslash stand for them.
 */
const writable = (name: string, special: RegExp): string =>
  name
    .toWellFormed()
    .replaceAll(/[\0-\x1f]/g, (control) => String.fromCharCode(CONTROL_PICTURES + control.charCodeAt(0)))
    .replaceAll(/\\(?=[,= ]|$)/g, FULLWIDTH_BACKSLASH)
    .replaceAll(special, '\\$&');

const keyOf = (name: string): string => writable(name, /[,= ]/g);
const measurementOf = (name: string): string => writable(name, /[, ]/g);

const fieldOf = (value: Value): string => {
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value);
  if (typeof value === 'boolean') return String(value);
  return `"${value.toWellFormed().replaceAll(/["\\]/g, '\\$&')}"`;
};

/**
 * Samples as InfluxDB's line protocol (https://docs.influxdata.com/influxdb/v2/reference/syntax/line-protocol/): a line
 * each, the device as the tag `device`, each metric as a field (numbers as floats), the time in ms.
 * @throws DeliveryFailure for a metric that InfluxDB would drop in silence
 */
export const lineProtocol = (samples: readonly SpooledSample[], measurement: string): string => {
  const prefix = `${measurementOf(measurement)},device=`;
  return samples
    .filter(({ values }) => Object.keys(values).length > 0)
    .map(({ device, ts, values }) => {
      if (Object.hasOwn(values, TIME))
        throw new DeliveryFailure(
          'unacceptable',
          'InfluxDB takes no field named “time”: give the metric another name.',
        );
      const fields = Object.entries(values).map(([metric, value]) => `${keyOf(metric)}=${fieldOf(value)}`);
      return `${prefix}${keyOf(device)} ${fields.join(',')} ${ts}\n`;
    })
    .join('');
};
