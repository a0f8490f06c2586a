import { useQuery } from '@tanstack/react-query';
import type { Pipeline, PipelineType } from '#contract/pipelines.ts';
import { LISTED_SAMPLES, type ChangedMessage, type RecentPreview } from '#contract/recent-messages.ts';
import type { DeviceSamples } from '#contract/telemetry.ts';
import { describeFailedChange } from '../../api/describe-failed-change.ts';
import { messageQueries } from '../../resources/pipelines/message-queries.ts';
import { formatSampleValue, samplesOf } from '../../resources/pipelines/sample-table.tsx';
import { cx } from '../../ui/browser/cx.ts';
import { useStoredChoice } from '../../ui/browser/stored-choice.ts';
import { Button } from '../../ui/controls/button.tsx';
import { RetryButton } from '../../ui/feedback/retry-button.tsx';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';
import { DotLine } from '../../ui/feedback/state-dot.tsx';
import { formatCount, plural } from '../../ui/format/format-number.ts';
import { formatExact, timeZoneChoice } from '../../ui/format/format-time.ts';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import { Panel } from '../../ui/layout/panel.tsx';
import { ScrollRegion } from '../../ui/layout/scroll-region.tsx';
import type { PipelineFormState } from './pipeline-form-values.ts';
import { showInPreview } from './show-in-preview.ts';
import { useFormChange } from './use-form-change.ts';
import { useStaleClass } from '../../ui/feedback/stale-class.ts';

type Props = {
  form: PipelineFormState;
  types: readonly PipelineType[];
  pipeline: Pipeline;
};

/**
 * Compares what recently accepted messages give without and with the changes of the form, so that a fix for some breaks
 * no others. Always there, so that it moves no field when the first change is typed.
 */
export const RecentPreviewPanel = ({ form, types, pipeline }: Props) => {
  const change = useFormChange(form, pipeline, types);
  const hasChange = Object.keys(change).length > 0;
  const { data, error, isPlaceholderData, refetch } = useQuery({
    ...messageQueries.previewChange(pipeline.id, change),
    enabled: hasChange,
  });
  const staleClass = useStaleClass(isPlaceholderData);
  return (
    <Panel title="Recent messages" aside="Accepted before the change">
      {!hasChange ? (
        <p className="text-muted">
          No changes yet. Penstock compares your changes here with messages that the pipeline accepted.
        </p>
      ) : error !== null ? (
        <div className="flex flex-wrap items-center gap-3 text-muted">
          <p className="min-w-40 flex-1">{describeFailedChange(error)}</p>
          <RetryButton onRetry={() => void refetch()} />
        </div>
      ) : data === undefined ? (
        <Skeleton className="w-1/2" />
      ) : (
        <div className={cx('flex flex-col gap-3', staleClass)}>
          <Comparison {...data} />
          {data.changed.length > 0 && (
            <ChangedMessages changes={data.changed} onShow={(message) => showInPreview(form, message)} />
          )}
        </div>
      )}
    </Panel>
  );
};

const Comparison = ({ since, total, messages, same, different, rejected, skipped }: RecentPreview) => {
  if (total === 0)
    return (
      <p className="text-muted">
        Nothing to compare: Penstock keeps accepted messages in memory, and has none since it started{' '}
        <RelativeTime at={since} />.
      </p>
    );
  return (
    <output className="flex flex-col gap-1">
      <DotLine
        tone={same === messages ? 'good' : 'attention'}
      >{`${formatCount(same)} of ${plural(messages, 'recent message')} ${same === 1 || messages === 1 ? 'produces' : 'produce'} the same samples`}</DotLine>
      {rejected > 0 && <DotLine tone="bad">{`${plural(rejected, 'message')} would be rejected`}</DotLine>}
      {skipped > 0 && <DotLine tone="attention">{`${plural(skipped, 'message')} would be skipped`}</DotLine>}
      {different > 0 && (
        <DotLine tone="attention">{`${plural(different, 'message')} would produce different samples`}</DotLine>
      )}
      {messages < total && (
        <span className="text-sm text-muted">
          Compared {formatCount(messages)} of {plural(total, 'message')}: the expression is slow.
        </span>
      )}
    </output>
  );
};

const outcomeWords: Record<ChangedMessage['outcome'], string> = {
  rejected: 'Would be rejected',
  skipped: 'Would be skipped',
  different: 'Different samples',
};

type SamplesProps = {
  name: 'Before' | 'After';
  groups: readonly DeviceSamples[];
  /** The samples on the other side of the change. */
  others: readonly DeviceSamples[];
};

const keyOf = ({ device, metric, value }: ReturnType<typeof samplesOf>[number]): string =>
  JSON.stringify([device, metric, value]);

/** “boiler-7 temp 21”, with the time where the samples before and after differ only in their time. */
const Samples = ({ name, groups, others }: SamplesProps) => {
  const zone = useStoredChoice(timeZoneChoice);
  const otherKeys = new Set(samplesOf(others).map(keyOf));
  const samples = samplesOf(groups).map((sample) => {
    const { device, metric, value, ts } = sample;
    const text = `${device} ${metric} ${formatSampleValue(value)}`;
    if (!otherKeys.has(keyOf(sample))) return text;
    return `${text} ${ts === undefined ? 'on arrival' : `at ${formatExact(new Date(ts).getTime(), zone)}`}`;
  });
  if (samples.length === 0) return null;
  return (
    <span className="block text-sm break-all text-muted">
      {samples.length < LISTED_SAMPLES ? name : `${name}, the first ${LISTED_SAMPLES} samples`}:{' '}
      {samples.join(', ')}
    </span>
  );
};

/** “boiler-7, 2 minutes ago”, or “12 messages from boiler-7, boiler-8, boiler-9 and others”. */
const Origin = ({ at, device, devices, messages }: ChangedMessage) => {
  if (messages === 1)
    return (
      <>
        {device ?? 'several devices'}, <RelativeTime at={at} />
      </>
    );
  const names = devices.join(', ');
  const others = messages > devices.length ? ' and others' : '';
  return `${plural(messages, 'message')}${names === '' ? '' : ` from ${names}${others}`}`;
};

type ChangedMessagesProps = {
  changes: readonly ChangedMessage[];
  /** Shows a message in the preview. */
  onShow: (message: ChangedMessage) => void;
};

const ChangedMessages = ({ changes, onShow }: ChangedMessagesProps) => (
  <ScrollRegion
    label="Changed messages"
    className="max-h-72 overflow-y-auto rounded-md border border-hairline"
  >
    <ul className="divide-y divide-hairline">
      {changes.map((message, index) => {
        const { messages, outcome, detail, missing, added } = message;
        return (
          // oxlint-disable-next-line react/no-array-index-key -- the list is replaced whole
          <li key={index} className="flex flex-wrap items-start gap-x-3 gap-y-1.5 px-3 py-2">
            <div className="min-w-48 flex-1">
              <span className={cx('font-medium', outcome === 'rejected' && 'text-bad-text')}>
                {outcomeWords[outcome]}
              </span>{' '}
              <span className="text-sm break-words text-muted">
                <Origin {...message} />
              </span>
              {detail !== null && (
                <span className="block break-words text-muted">
                  {messages > 1 && 'For example: '}
                  {detail}
                </span>
              )}
              {outcome === 'different' && (
                <>
                  <Samples name="Before" groups={missing} others={added} />
                  <Samples name="After" groups={added} others={missing} />
                </>
              )}
            </div>
            <Button onClick={() => onShow(message)}>{messages > 1 ? 'Show example' : 'Show message'}</Button>
          </li>
        );
      })}
    </ul>
  </ScrollRegion>
);
