import type { Preview } from '#contract/pipelines.ts';
import { cx } from '../../ui/cx.ts';
import { formatCount, formatMeasure, plural } from '../../ui/format-number.ts';
import { formatExact, timeZoneChoice } from '../../ui/format-time.ts';
import { ScrollRegion } from '../../ui/scroll-region.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Dot } from '../../ui/state-dot.tsx';
import { useStoredChoice } from '../../ui/stored-choice.ts';
import { reasonInWords } from './rejection-reason.ts';

const formatNames: Record<string, string> = {
  penstock: 'Penstock',
  flat: 'Flat JSON',
  thingsboard: 'ThingsBoard',
  'thingsboard-gateway': 'ThingsBoard gateway',
  senml: 'SenML',
  chirpstack: 'ChirpStack',
  'things-stack': 'The Things Stack',
  prometheus: 'Prometheus',
  expression: 'By the expression',
};

const SHOWN_VALUES = 100;

type Value = {
  device: string;
  metric: string;
  value: number | boolean | string;
  ts: string | number | undefined;
};

const valuesOf = ({ samples }: Preview): Value[] =>
  samples.flatMap(({ device, ts, values }) =>
    Object.entries(values).map(([metric, value]) => ({ device, metric, value, ts })),
  );

/** What a message becomes: its format, its values, and what of it would be rejected. */
export const PreviewResult = ({ preview, isStale }: { preview: Preview | undefined; isStale: boolean }) => {
  if (preview === undefined) return <Skeleton className="my-4 w-1/2" />;
  const values = valuesOf(preview);
  const { format, rejections } = preview;
  const devices = new Set(values.map(({ device }) => device)).size;
  return (
    <div
      className={cx(
        'flex flex-col gap-3 border-t border-hairline pt-3',
        isStale && 'opacity-60 transition-opacity delay-150',
      )}
    >
      <output className="flex flex-wrap items-baseline gap-x-2">
        <Dot tone={format === null ? 'bad' : rejections.length > 0 ? 'attention' : 'good'} />
        <span className="font-medium">
          {format === null ? 'No known format' : (formatNames[format] ?? format)}
        </span>
        <span className="text-muted">
          {values.length > 0 && `${plural(values.length, 'value')} of ${plural(devices, 'device')}`}
          {values.length > 0 && rejections.length > 0 && ', '}
          {rejections.length > 0 && plural(rejections.length, 'rejection')}
        </span>
      </output>
      {values.length > 0 && <ValueTable values={values} />}
      {rejections.length > 0 && (
        <div>
          <h3 className="mb-1 font-medium">Would be rejected</h3>
          <ul className="divide-y divide-hairline rounded-md border border-hairline">
            {rejections.map(({ reason, detail }, index) => (
              // eslint-disable-next-line react/no-array-index-key -- the list is replaced whole
              <li key={index} className="px-3 py-2">
                <span className="font-medium text-bad-text">{reasonInWords(reason)}</span>
                <span className="block break-words text-muted">{detail}</span>
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
};

const ValueTable = ({ values }: { values: readonly Value[] }) => {
  const zone = useStoredChoice(timeZoneChoice);
  const rest = values.length - SHOWN_VALUES;
  return (
    <ScrollRegion label="Values" className="max-h-80 overflow-auto rounded-md border border-hairline">
      <table className="tabular w-full text-left">
        <thead className="sticky top-0 bg-surface text-sm text-muted">
          <tr className="border-b border-hairline">
            {['Device', 'Metric', 'Value', 'Time'].map((name) => (
              <th
                key={name}
                scope="col"
                className={cx('px-3 py-1.5 font-medium', name === 'Value' && 'text-right')}
              >
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {values.slice(0, SHOWN_VALUES).map(({ device, metric, value, ts }, index) => (
            // eslint-disable-next-line react/no-array-index-key -- the table is replaced whole
            <tr key={index} className="border-b border-hairline last:border-0">
              <td className="px-3 py-1.5 font-mono text-sm break-all">{device}</td>
              <td className="px-3 py-1.5 font-mono text-sm break-all">{metric}</td>
              <td className="max-w-48 truncate px-3 py-1.5 text-right">
                {typeof value === 'number'
                  ? formatMeasure(value)
                  : typeof value === 'string'
                    ? `“${value}”`
                    : String(value)}
              </td>
              <td className="px-3 py-1.5 text-sm text-muted">
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
