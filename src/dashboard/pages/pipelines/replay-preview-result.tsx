import type { ReplayPreview } from '#contract/rejections.ts';
import { TELEMETRY } from '#contract/pipelines.ts';
import { isSameDestination } from '../../destinations/is-same-destination.ts';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { formatCount, plural } from '../../ui/format-number.ts';
import { ProgressBar } from '../../ui/progress-bar.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Dot } from '../../ui/state-dot.tsx';
import { reasonInWords } from './rejection-reason.ts';
import { ValueTable, valuesIn } from './value-table.tsx';

type Example = ReplayPreview['causes'][number]['example'];

type Props = {
  /** Undefined: nothing was tried yet. */
  preview: ReplayPreview | undefined;
  /** Every message was tried. */
  isDone: boolean;
  /** It is of an earlier request. */
  isStale: boolean;
  /** The name of the destination of the pipeline. */
  destination: string;
  /** Looks at an example of what would still be rejected. */
  onShow?: (example: Example) => void;
};

/** What a replay would come to: how many values would be taken, which, and why the others would not. */
export const ReplayPreviewResult = ({ preview, isDone, isStale, destination, onShow }: Props) => {
  if (preview === undefined) return <Skeleton className="my-2 w-1/2" />;
  const { total, messages, replayed, rejected, causes } = preview;
  if (total === 0)
    return <p className="text-muted">None of them is kept any more: there is nothing to replay.</p>;
  const values = valuesIn(preview.samples);
  return (
    <div className={cx('flex flex-col gap-4', isStale && 'opacity-60 transition-opacity delay-150')}>
      <div className="flex flex-col gap-1">
        <output className="flex flex-col gap-1">
          {(replayed > 0 || rejected === 0) && (
            <Line tone="good">{`${plural(replayed, 'value')} would be taken`}</Line>
          )}
          {rejected > 0 && (
            <Line
              tone={replayed === 0 ? 'bad' : 'attention'}
            >{`${plural(rejected, 'value')} would still be rejected`}</Line>
          )}
        </output>
        <Tried messages={messages} total={total} isDone={isDone} />
      </div>
      {causes.length > 0 && <StillRejected causes={causes} {...(onShow !== undefined && { onShow })} />}
      {replayed > 0 && values.length > 0 && (
        <div>
          <h3 className="mb-1 font-medium">
            {replayed > values.length ? 'What they become, the first values' : 'What they become'}
          </h3>
          <ValueTable values={values} />
        </div>
      )}
      {replayed > 0 && !isSameDestination(destination, TELEMETRY) && (
        <p className="text-sm text-muted">
          They go out to {destination}. Whether it takes them shows when they get there.
        </p>
      )}
    </div>
  );
};

const Line = ({ tone, children }: { tone: 'good' | 'attention' | 'bad'; children: string }) => (
  <span className="flex items-baseline gap-2">
    <Dot tone={tone} />
    <span className="font-medium">{children}</span>
  </span>
);

const Tried = ({ messages, total, isDone }: { messages: number; total: number; isDone: boolean }) =>
  isDone ? (
    <p className="text-sm text-muted">{plural(messages, 'message')} tried; nothing of it is stored.</p>
  ) : (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted">
      <span className="tabular">
        Tried {formatCount(messages)} of {plural(total, 'message')} so far
      </span>
      <ProgressBar label="Tried" share={messages / total} className="w-40" />
    </div>
  );

const StillRejected = ({ causes, onShow }: Pick<ReplayPreview, 'causes'> & Pick<Props, 'onShow'>) => (
  <div>
    <h3 className="mb-1 font-medium">Would still be rejected</h3>
    <ul className="max-h-60 divide-y divide-hairline overflow-y-auto rounded-md border border-hairline">
      {causes.map(({ reason, detail, values, messages, example }) => (
        <li key={reason} className="flex flex-wrap items-center gap-x-3 gap-y-1.5 px-3 py-2">
          <div className="min-w-48 flex-1">
            <span className="font-medium text-bad-text">{reasonInWords(reason)}</span>{' '}
            <span className="text-sm text-muted">
              {plural(values, 'value')} of {plural(messages, 'message')}
            </span>
            <span className="block break-words text-muted">{detail}</span>
          </div>
          {onShow !== undefined && <Button onClick={() => onShow(example)}>Show one</Button>}
        </li>
      ))}
    </ul>
  </div>
);
