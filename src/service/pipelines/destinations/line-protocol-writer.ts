import type { Value } from '#contract/telemetry.ts';
import { DeliveryFailure, type SpooledSamples } from './destination.ts';

/** InfluxDB uses this name for the timestamp and silently drops a field with this name. */
const TIME = 'time';
/** The first of the Unicode control pictures, for U+0000. */
const CONTROL_PICTURES = 0x24_00;
const FULLWIDTH_BACKSLASH = '\uff3c';

/**
 * Escapes a name outside quotes. Line protocol cannot express control characters or a literal backslash there, so they
 * are replaced by control pictures and the full-width backslash.
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
 * Samples in InfluxDB line protocol (https://docs.influxdata.com/influxdb/v2/reference/syntax/line-protocol/): one line
 * per device and timestamp, the device as the tag `device`, each metric as a field (numbers as floats), the time in ms.
 * @throws DeliveryFailure for a metric that InfluxDB would silently drop
 */
export const lineProtocol = (samples: readonly SpooledSamples[], measurement: string): string => {
  const prefix = `${measurementOf(measurement)},device=`;
  return samples
    .filter(({ values }) => Object.keys(values).length > 0)
    .map(({ device, ts, values }) => {
      if (Object.hasOwn(values, TIME))
        throw new DeliveryFailure(
          'unacceptable',
          'InfluxDB does not accept a field named “time”. Rename the metric.',
        );
      const fields = Object.entries(values).map(([metric, value]) => `${keyOf(metric)}=${fieldOf(value)}`);
      return `${prefix}${keyOf(device)} ${fields.join(',')} ${ts}\n`;
    })
    .join('');
};
