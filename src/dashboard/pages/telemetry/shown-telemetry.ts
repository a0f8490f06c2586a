import type { LiveSource } from '../../charts/live/live-window.ts';
import type { TimeSpan } from '../../charts/series/time-span.ts';
import type { ChartSeries } from '../../charts/series/series.ts';
import type { TimeZone } from '../../ui/format/intl-formats.ts';
import { formatList } from '../../ui/format/format-list.ts';

/** What the page shows at this moment. */
export type ShownTelemetry = {
  /** The names of the devices. */
  title: string;
  /** Those that are not hidden. */
  series: readonly ChartSeries[];
  /** The external ID of each device, by its ID. */
  externalIds: ReadonlyMap<string, string>;
  span: TimeSpan;
  live: LiveSource | undefined;
  zone: TimeZone;
};

/** More names would not fit the head of a picture. */
const MAX_NAMES = 4;

export const titleOf = (names: readonly string[]): string => {
  const more = names.length - MAX_NAMES;
  const shown = more > 0 ? [...names.slice(0, MAX_NAMES), `${more} more`] : names;
  return formatList(shown);
};

/** `telemetry-20261122T200000Z-20261122T210000Z.csv` */
export const fileNameOf = ({ fromMs, toMs }: TimeSpan, extension: string): string => {
  const moment = (ms: number) => new Date(ms).toISOString().slice(0, 19).replaceAll(/[-:]/g, '');
  return `telemetry-${moment(fromMs)}Z-${moment(toMs)}Z.${extension}`;
};
