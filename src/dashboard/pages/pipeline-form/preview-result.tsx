import type { Preview } from '#contract/messages.ts';
import { cx } from '../../ui/browser/cx.ts';
import { plural } from '../../ui/format/format-number.ts';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';
import { Dot } from '../../ui/feedback/state-dot.tsx';
import { reasonInWords } from '../../resources/pipelines/rejection-reason.ts';
import { ValueTable, valuesIn } from '../../resources/pipelines/value-table.tsx';

const formatNames: Record<string, string> = {
  penstock: 'Penstock',
  flat: 'Flat JSON',
  thingsboard: 'ThingsBoard',
  'thingsboard-gateway': 'ThingsBoard gateway',
  senml: 'SenML',
  chirpstack: 'ChirpStack',
  'things-stack': 'The Things Stack',
  prometheus: 'Prometheus',
  expression: 'Expression',
};

/** What a message becomes: its format, its values, and what of it would be rejected. */
export const PreviewResult = ({ preview, isStale }: { preview: Preview | undefined; isStale: boolean }) => {
  if (preview === undefined) return <Skeleton className="my-4 w-1/2" />;
  const unnamed = preview.unnamed.map((sample) => ({ ...sample, device: '(no device)' }));
  const values = [...valuesIn(preview.samples), ...valuesIn(unnamed)];
  const { format, rejections, skipped, timeZone, noValues } = preview;
  const devices = new Set(preview.samples.map(({ device }) => device)).size;
  return (
    <div
      className={cx(
        'flex flex-col gap-3 border-t border-hairline pt-3',
        isStale && 'opacity-60 transition-opacity delay-150',
      )}
    >
      <output className="flex flex-wrap items-baseline gap-x-2">
        <Dot
          tone={skipped ? 'idle' : format === null ? 'bad' : rejections.length > 0 ? 'attention' : 'good'}
        />
        <span className="font-medium">
          {skipped
            ? 'Skipped by the expression'
            : format === null
              ? 'Unknown format'
              : (formatNames[format] ?? format)}
        </span>
        {skipped && <span className="text-muted">Nothing is stored or rejected</span>}
        <span className="text-muted">
          {values.length > 0 &&
            `${plural(values.length, 'sample')} ${devices === 0 ? 'without a device' : `from ${plural(devices, 'device')}`}`}
          {values.length > 0 && rejections.length > 0 && ', '}
          {rejections.length > 0 && plural(rejections.length, 'rejection')}
        </span>
      </output>
      {values.length > 0 && <ValueTable values={values} />}
      {noValues > 0 && (
        <p className="text-muted">
          {plural(noValues, 'series', 'series')} without a value (NaN or infinity): not stored and not
          rejected.
        </p>
      )}
      {timeZone !== null && (
        <p className="text-muted">Timestamps without a time zone are read as {timeZone}.</p>
      )}
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
