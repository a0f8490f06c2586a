import type { Throughput } from '#contract/throughput.ts';
import { formatMoment } from '../../charts/axes/format-moment.ts';
import { formatCount, formatRate } from '../../ui/format/format-number.ts';
import type { TimeZone } from '../../ui/format/intl-formats.ts';

const MINUTE_MS = 60_000;

type Known = { fromMs: number; received: number; perSecond: number };
type Unknown = { fromMs: number; toMs: number };

/** The buckets, latest first, with a row for each time without data between them. */
const throughputRows = ({ ts, received, perSecond, bucketMs }: Throughput): (Known | Unknown)[] =>
  ts
    .flatMap((fromMs, index): (Known | Unknown)[] => {
      const known = { fromMs, received: received[index] ?? 0, perSecond: perSecond[index] ?? 0 };
      const before = ts[index - 1];
      const gap = before === undefined || fromMs - before <= bucketMs ? [] : [before + bucketMs];
      return [...gap.map((start) => ({ fromMs: start, toMs: fromMs })), known];
    })
    .toReversed();

type Props = { throughput: Throughput; timeZone: TimeZone; caption: string };

/** The samples that a pipeline received in each minute or hour. */
export const ThroughputTable = ({ throughput, timeZone, caption }: Props) => (
  <table className="tabular w-full text-sm">
    <caption className="sr-only">{caption}</caption>
    <thead>
      <tr className="border-b border-hairline text-left text-muted">
        <th scope="col" className="py-1.5 pr-4 font-medium">
          {throughput.bucketMs === MINUTE_MS ? 'Minute' : 'Hour'}
        </th>
        <th scope="col" className="px-4 py-1.5 text-right font-medium">
          Received
        </th>
        <th scope="col" className="py-1.5 pr-2 text-right font-medium">
          Per second
        </th>
      </tr>
    </thead>
    <tbody>
      {throughputRows(throughput).map((row) => (
        <tr key={row.fromMs} className="border-b border-hairline">
          <th scope="row" className="py-1 pr-4 text-left font-normal">
            {formatMoment(row.fromMs, MINUTE_MS, timeZone)}
            {'toMs' in row && ` – ${formatMoment(row.toMs, MINUTE_MS, timeZone)}`}
          </th>
          {'toMs' in row ? (
            <td colSpan={2} className="py-1 pr-2 text-right text-muted">
              Unknown
            </td>
          ) : (
            <>
              <td className="px-4 py-1 text-right">{formatCount(row.received)}</td>
              <td className="py-1 pr-2 text-right">{formatRate(row.perSecond)}</td>
            </>
          )}
        </tr>
      ))}
    </tbody>
  </table>
);
