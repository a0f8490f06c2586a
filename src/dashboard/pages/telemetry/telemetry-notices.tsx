import { Fragment } from 'react';
import type { TelemetryAnswer } from '#contract/telemetry.ts';
import { describeError } from '../../api/api-error.ts';
import { Button } from '../../ui/controls/button.tsx';
import { FormNotice } from '../../ui/feedback/form-notice.tsx';
import { RetryButton } from '../../ui/feedback/retry-button.tsx';
import { formatCount, plural } from '../../ui/format/format-number.ts';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import type { CounterViews } from '../../resources/telemetry/counters.ts';
import type { ChosenDevices } from './chosen-devices.ts';
import { incompleteMetrics } from './combined-series.ts';
import type { ChosenDisplay, DeviceDisplay } from './device-display.ts';
import { IncompleteLinesNotice } from './incomplete-lines-notice.tsx';
import { RankingNotice } from './ranking-notice.tsx';
import type { ComparisonResult } from './use-comparison.ts';

type Props = {
  /** Parameters of the URL that are not valid: `range=7x`. */
  ignored: readonly string[];
  chosen: ChosenDevices;
  /** The samples of the view; undefined while they load. */
  answer: TelemetryAnswer | undefined;
  /** What is shown of the devices. */
  devices: { display: DeviceDisplay; onDisplay: (display: ChosenDisplay) => void };
  counters: CounterViews;
  /** The label of a metric. */
  labelOf: (metric: string) => string;
  onDropMissing: () => void;
  /** Why the last refetch failed, null if it succeeded, and when the data was loaded, in epoch ms. */
  refresh: { error: Error | null; readAtMs: number; onRetry: () => void };
  comparison: Pick<ComparisonResult, 'error' | 'refetch'>;
};

/** How many devices a notice names. */
const NAMED_IN_NOTICE = 12;

/** How many ignored values a notice names, each with at most so many characters. */
const NAMED_VALUES = 5;
const VALUE_CHARACTERS = 60;

const shortened = (value: string): string =>
  value.length > VALUE_CHARACTERS ? `${value.slice(0, VALUE_CHARACTERS).toWellFormed()}…` : value;

const IgnoredValues = ({ ignored }: { ignored: readonly string[] }) => (
  <FormNotice tone="attention">
    <span className="wrap-anywhere">
      Telemetry ignores {ignored.length === 1 ? 'a value' : 'values'} of this link that{' '}
      {ignored.length === 1 ? 'is' : 'are'} not valid:{' '}
      {ignored.slice(0, NAMED_VALUES).map((value, index) => (
        <Fragment key={index}>
          {index > 0 && ', '}
          {/* Its text may change the direction of the sentence. */}“<bdi>{shortened(value)}</bdi>”
        </Fragment>
      ))}
      {ignored.length > NAMED_VALUES && ` and ${formatCount(ignored.length - NAMED_VALUES)} more`}.
    </span>
  </FormNotice>
);

const listedNames = (names: readonly string[]): string => {
  const more = names.length - NAMED_IN_NOTICE;
  const listed = names.slice(0, NAMED_IN_NOTICE).join(', ');
  return more > 0 ? `${listed} and ${formatCount(more)} more` : listed;
};

/** The names of the devices without a series in the answer. One device alone has its own empty chart. */
const silentDevices = (
  devices: ChosenDevices['devices'],
  answer: TelemetryAnswer | undefined,
): readonly string[] => {
  if (answer === undefined || devices.length < 2) return [];
  const shown = new Set(answer.series.filter(({ ts }) => ts.length > 0).map(({ device }) => device));
  return devices.filter(({ id }) => !shown.has(id)).map(({ name }) => name);
};

/**
 * Notices about ignored values of the link, missing devices, devices that are left out or without samples, stale data, and a
 * comparison that is not loaded.
 */
export const TelemetryNotices = ({
  ignored,
  chosen,
  answer,
  devices: { display, onDisplay },
  counters,
  labelOf,
  onDropMissing,
  refresh: { error, readAtMs, onRetry },
  comparison,
}: Props) => {
  const { missing } = chosen;
  const silent = display.is === 'each' ? silentDevices(chosen.devices, answer) : [];
  return (
    <>
      {ignored.length > 0 && <IgnoredValues ignored={ignored} />}
      {missing.length > 0 && (
        <FormNotice
          tone="attention"
          action={
            <Button onClick={onDropMissing}>{missing.length === 1 ? 'Remove it' : 'Remove them'}</Button>
          }
        >
          {plural(missing.length, 'device')} in this link {missing.length === 1 ? 'is' : 'are'} missing:{' '}
          {listedNames(missing)}. {missing.length === 1 ? 'It is' : 'They are'} unknown, deleted, or not
          accessible with your key.
        </FormNotice>
      )}
      {display.is === 'top' && answer?.top !== undefined && (
        <RankingNotice
          ranked={answer.top}
          display={display}
          labelOf={labelOf}
          names={new Map(chosen.devices.map(({ id, name }) => [id, name]))}
          onDisplay={onDisplay}
        />
      )}
      {display.is === 'across' && display.across !== 'count' && answer !== undefined && (
        <IncompleteLinesNotice
          metrics={incompleteMetrics(answer, counters)}
          labelOf={labelOf}
          onDisplay={onDisplay}
        />
      )}
      {silent.length > 0 && (
        <FormNotice tone="idle">
          {plural(silent.length, 'device')} without samples of these metrics in this range:{' '}
          {listedNames(silent)}.
        </FormNotice>
      )}
      {error !== null && (
        <FormNotice tone="attention" action={<RetryButton onRetry={onRetry} />}>
          This data was loaded <RelativeTime at={readAtMs} />. Could not refresh it.{' '}
          {describeError(error).detail}
        </FormNotice>
      )}
      {comparison.error !== null && (
        <FormNotice tone="attention" action={<RetryButton onRetry={comparison.refetch} />}>
          The earlier period could not be loaded. {describeError(comparison.error).detail}
        </FormNotice>
      )}
    </>
  );
};
