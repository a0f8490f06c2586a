import type { ReplayPreview } from '#contract/rejections.ts';
import { TELEMETRY } from '#contract/pipelines.ts';
import { describeFailedChange } from '../../api/describe-failed-change.ts';
import { isSameDestination } from '../destinations/destination-state.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { cx } from '../../ui/browser/cx.ts';
import { FormNotice } from '../../ui/feedback/form-notice.tsx';
import { formatCount, plural } from '../../ui/format/format-number.ts';
import { ProgressBar } from '../../ui/feedback/progress-bar.tsx';
import { RetryButton } from '../../ui/feedback/retry-button.tsx';
import { ScrollRegion } from '../../ui/layout/scroll-region.tsx';
import { DotLine } from '../../ui/feedback/state-dot.tsx';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import { TRUNCATED_NOTE } from './message-text.tsx';
import { reasonInWords } from '#contract/rejection-reason.ts';
import type { ReplayPreviewState } from './use-replay-preview.ts';
import { SampleTable, samplesOf } from './sample-table.tsx';
import { useStaleClass } from '../../ui/feedback/stale-class.ts';

type Example = ReplayPreview['reasons'][number]['example'];

type Props = ReplayPreviewState & {
  /** The name of the destination of the pipeline. */
  destination: string;
  /** Shows an example that would still be rejected. */
  onShow?: (example: Example) => void;
  /** Maps the messages with a suggested expression. */
  onUseExpression?: (expression: string) => void;
};

/** The preview of a replay: the accepted samples, and the reasons of the rejected ones. */
export const ReplayPreviewResult = ({ preview, error, ...props }: Props) => (
  <div className="flex flex-col gap-4">
    {error !== null && (
      <FormNotice tone="bad" action={<RetryButton onRetry={props.retry} />}>
        {describeFailedChange(error)}
      </FormNotice>
    )}
    {/* First, since the lists below can be long. */}
    {preview?.total !== 0 && error === null && (
      <PreviewProgress {...props} preview={props.isStale ? undefined : preview} />
    )}
    {preview !== undefined && <Outcome preview={preview} {...props} />}
  </div>
);

type OutcomeProps = Pick<Props, 'isStale' | 'destination' | 'onShow' | 'onUseExpression'> & {
  preview: ReplayPreview;
};

const Outcome = ({ preview, isStale, destination, ...actions }: OutcomeProps) => {
  const { total, messages, passed, replayed, rejected, skipped, reasons } = preview;
  const staleClass = useStaleClass(isStale);
  if (total === 0)
    return <p className="text-muted">Nothing to replay: these messages are no longer stored.</p>;
  const samples = samplesOf(preview.samples);
  return (
    <div className={cx('flex flex-col gap-4', staleClass)}>
      <div className="flex flex-col gap-1">
        <DotLine
          tone={passed === messages ? 'good' : passed === 0 ? 'bad' : 'attention'}
        >{`${formatCount(passed)} of ${plural(messages, 'rejected message')} ${passed === 1 || messages === 1 ? 'passes' : 'pass'}`}</DotLine>
        {(replayed > 0 || rejected + skipped === 0) && (
          <DotLine tone="good">{`${plural(replayed, 'sample')} would be accepted`}</DotLine>
        )}
        {rejected > 0 && (
          <DotLine
            tone={replayed + skipped === 0 ? 'bad' : 'attention'}
          >{`${plural(rejected, 'sample')} would still be rejected`}</DotLine>
        )}
        {skipped > 0 && <DotLine tone="idle">{`${plural(skipped, 'message')} would be skipped`}</DotLine>}
      </div>
      {reasons.length > 0 && <StillRejected reasons={reasons} {...actions} />}
      {replayed > 0 && samples.length > 0 && (
        <div>
          <h3 className="mb-1 font-medium">{replayed > samples.length ? 'First samples' : 'Samples'}</h3>
          <SampleTable samples={samples} />
        </div>
      )}
      {replayed > 0 && !isSameDestination(destination, TELEMETRY) && (
        <p className="text-sm text-muted">
          Penstock sends the samples to {destination}, which can still reject them.
        </p>
      )}
    </div>
  );
};

type TriedProps = Pick<ReplayPreviewState, 'preview' | 'isDone' | 'testedAtMs' | 'isPaused' | 'retry'>;

/** The progress of the preview, announced at its start and its end. */
const PreviewProgress = ({ preview, isDone, testedAtMs, isPaused, retry }: TriedProps) => (
  <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted">
    <output>
      {preview === undefined ? (
        'Testing the messages'
      ) : isDone ? (
        <>
          Tested {plural(preview.messages, 'message')}. Nothing is saved.
          <span className="sr-only">
            {` ${plural(preview.replayed, 'sample')} would be accepted, ${preview.rejected} would still be rejected, ${preview.skipped} would be skipped.`}
          </span>
        </>
      ) : null}
    </output>
    {/* Messages that arrive later are not tested. Apart, since an age that changes is not announced. */}
    {preview !== undefined && isDone && <RelativeTime at={testedAtMs} />}
    {preview !== undefined && !isDone && (
      <span className="tabular">
        Tested {formatCount(preview.messages)} of {plural(preview.total, 'message')} so far
      </span>
    )}
    {isPaused && <Button onClick={retry}>Test more</Button>}
    {!isDone && !isPaused && (
      <ProgressBar
        label="Tested"
        share={preview === undefined ? null : preview.messages / preview.total}
        className="w-40"
      />
    )}
  </div>
);

const StillRejected = ({
  reasons,
  onShow,
  onUseExpression,
}: Pick<ReplayPreview, 'reasons'> & Pick<Props, 'onShow' | 'onUseExpression'>) => (
  <div>
    <h3 className="mb-1 font-medium">Would still be rejected</h3>
    <ScrollRegion
      label="Would still be rejected"
      className="max-h-60 overflow-y-auto rounded-md border border-hairline in-[[role=dialog]]:max-h-none"
    >
      <ul className="divide-y divide-hairline">
        {reasons.map(({ reason, detail, samples, messages, expression, example }) => (
          <li key={reason} className="flex flex-wrap items-center gap-x-3 gap-y-1.5 px-3 py-2">
            <div className={cx('min-w-48 flex-1', expression !== null && 'basis-full')}>
              <span className="font-medium text-bad-text">{reasonInWords(reason)}</span>{' '}
              <span className="text-sm text-muted">
                {plural(samples, 'sample')} from {plural(messages, 'message')}
              </span>
              <span className="block break-words text-muted">
                {messages > 1 && 'For example: '}
                {detail}
              </span>
              {expression !== null && (
                <code className="mt-1 block font-mono text-sm wrap-anywhere">{expression}</code>
              )}
            </div>
            {onUseExpression !== undefined && expression !== null && (
              <Button onClick={() => onUseExpression(expression)}>Use this expression</Button>
            )}
            {onShow !== undefined &&
              (example.truncated ? (
                <span className="text-sm text-muted">{TRUNCATED_NOTE}</span>
              ) : (
                <Button aria-label={`Show example: ${reasonInWords(reason)}`} onClick={() => onShow(example)}>
                  Show example
                </Button>
              ))}
          </li>
        ))}
      </ul>
    </ScrollRegion>
  </div>
);
