import { plural } from '../../ui/format/format-number.ts';

/** The amount of telemetry of devices. */
export type TelemetryCount = { series: number; samples: number };

/** “4 metrics and 2,300 samples”, of several devices “8 series and 4,600 samples”; empty without any. */
export const describeTelemetry = (devices: number, { series, samples }: TelemetryCount): string =>
  [
    series > 0 && (devices === 1 ? plural(series, 'metric') : plural(series, 'series', 'series')),
    samples > 0 && plural(samples, 'sample'),
  ]
    .filter((part) => part !== false)
    .join(' and ');

/** What happens to deleted devices, and to their telemetry if its amount is known. */
export const describeDeletion = (
  devices: number,
  count: TelemetryCount = { series: 0, samples: 0 },
): string => {
  const [them, their] = devices === 1 ? ['it', 'its'] : ['them', 'their'];
  const telemetry = describeTelemetry(devices, count) || 'telemetry';
  return `You can restore ${them} for 24 hours. Then Penstock deletes ${them} with ${their} ${telemetry}.`;
};
