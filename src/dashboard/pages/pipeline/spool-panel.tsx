import type { ReactNode } from 'react';
import type { Spool } from '#contract/pipeline-state.ts';
import { formatBytes } from '../../ui/format/format-number.ts';
import { Panel } from '../../ui/layout/panel.tsx';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import { cx } from '../../ui/browser/cx.ts';
import { formatDuration } from '../../ui/format/format-duration.ts';
import { numberFormat } from '../../ui/format/intl-formats.ts';

const PERCENT = { style: 'percent', maximumSignificantDigits: 2 } as const;

/** The used share of the spool, such as “12%”. Shows 0% and 100% only if they are exact. */
const shareInWords = (bytes: number, limitBytes: number): string => {
  const share = bytes / limitBytes;
  if (share > 0 && share < 0.001) return `less than ${numberFormat(PERCENT).format(0.001)}`;
  return numberFormat(PERCENT).format(share >= 1 ? 1 : Math.min(share, 0.99));
};

/** A time that is estimated, in its largest unit: “about 3 h”. */
const timeInWords = (seconds: number): string =>
  seconds < 5
    ? 'a few seconds'
    : seconds > 365 * 86_400
      ? 'more than a year'
      : `about ${formatDuration(seconds * 1_000)}`;

/** A spool that fills within this time needs attention. */
const SOON_FULL_S = 86_400;

type Props = {
  spool: Spool;
  destination: string;
  /** The spool rejects messages. `bytes` can be below `limitBytes`, because the space left is too small for a message. */
  rejectsMessages: boolean;
  className?: string;
};

/** The spool: since when samples wait, and when it is full. */
export const SpoolPanel = ({ spool, destination, rejectsMessages, className }: Props) => {
  const { bytes, limitBytes, oldestAt, drainsInSeconds, fullInSeconds } = spool;
  const isFull = rejectsMessages || bytes >= limitBytes;
  const isUrgent = isFull || (fullInSeconds !== null && fullInSeconds < SOON_FULL_S);
  return (
    <Panel title={`Waiting for ${destination}`} aside="On disk" className={className ?? ''}>
      <dl className="tabular grid grid-cols-2 gap-x-4 gap-y-2 md:grid-cols-4">
        <Fact name="Size">
          {formatBytes(bytes)}{' '}
          <span className="text-sm text-muted">
            {shareInWords(bytes, limitBytes)} of {formatBytes(limitBytes)}
          </span>
        </Fact>
        <Fact name="Oldest">{oldestAt === null ? '–' : <RelativeTime at={oldestAt} />}</Fact>
        <Fact name="Drained in">
          {bytes === 0 ? '–' : drainsInSeconds === null ? 'Not draining' : timeInWords(drainsInSeconds)}
        </Fact>
        <Fact name="Full in" isUrgent={isUrgent}>
          {isFull
            ? 'Full: new messages are rejected'
            : fullInSeconds === null
              ? bytes === 0
                ? '–'
                : 'Backlog stable'
              : timeInWords(fullInSeconds)}
        </Fact>
      </dl>
    </Panel>
  );
};

const Fact = ({
  name,
  children,
  isUrgent = false,
}: {
  name: string;
  children: ReactNode;
  isUrgent?: boolean;
}) => (
  <div className="min-w-0">
    <dt className="text-sm text-muted">{name}</dt>
    <dd className={cx('break-words', isUrgent && 'font-medium text-bad-text')}>{children}</dd>
  </div>
);
