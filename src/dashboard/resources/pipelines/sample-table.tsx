import type { DeviceSamples, Value } from '#contract/telemetry.ts';
import { cx } from '../../ui/browser/cx.ts';
import { BreakableName } from '../../ui/format/breakable-name.tsx';
import { formatCount, formatExactly } from '../../ui/format/format-number.ts';
import { formatExact, timeZoneChoice } from '../../ui/format/format-time.ts';
import { ScrollRegion } from '../../ui/layout/scroll-region.tsx';
import { useStoredChoice } from '../../ui/browser/stored-choice.ts';

const SHOWN_SAMPLES = 100;

/** A number in the reader’s notation with all its digits, text in quotation marks. */
export const formatSampleValue = (value: Value): string => {
  if (typeof value === 'number') return formatExactly(value);
  return typeof value === 'string' ? `“${value}”` : String(value);
};

type Sample = { device: string; metric: string; value: Value; ts: DeviceSamples['ts'] };

/** One row for each sample. */
export const samplesOf = (samples: readonly DeviceSamples[]): Sample[] =>
  samples.flatMap(({ device, ts, values }) =>
    Object.entries(values).map(([metric, value]) => ({ device, metric, value, ts })),
  );

/** The first samples with device, metric and time. */
export const SampleTable = ({ samples }: { samples: readonly Sample[] }) => {
  const zone = useStoredChoice(timeZoneChoice);
  const rest = samples.length - SHOWN_SAMPLES;
  return (
    <ScrollRegion
      label="Samples"
      className="max-h-80 overflow-auto rounded-md border border-hairline in-[[role=dialog]]:max-h-none"
    >
      <table className="tabular w-full text-left">
        <thead className="sticky top-0 bg-surface text-sm text-muted">
          <tr className="border-b border-hairline">
            {['Device', 'Metric', 'Value', 'Time'].map((name) => (
              <th
                key={name}
                scope="col"
                className={cx(
                  'px-2 py-1.5 font-medium first:pl-3 last:pr-3',
                  name === 'Value' && 'text-right',
                )}
              >
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {samples.slice(0, SHOWN_SAMPLES).map(({ device, metric, value, ts }, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- the table is replaced whole
            <tr key={index} className="border-b border-hairline last:border-0">
              {[device, metric].map((name, column) => (
                <td key={column} className="min-w-20 px-2 py-1.5 font-mono text-sm first:pl-3">
                  <BreakableName name={name} />
                </td>
              ))}
              <td data-hint-if-cut className="w-1/4 max-w-0 min-w-22 truncate px-2 py-1.5 text-right">
                {formatSampleValue(value)}
              </td>
              <td className="px-2 py-1.5 pr-3 text-sm whitespace-nowrap text-muted">
                {ts === undefined ? 'On arrival' : formatExact(new Date(ts).getTime(), zone)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {rest > 0 && <p className="px-3 py-2 text-sm text-muted">and {formatCount(rest)} more</p>}
    </ScrollRegion>
  );
};
