import type { ReactNode } from 'react';
import type { Spool } from '#contract/pipelines.ts';
import { formatBytes } from '../../ui/format/format-number.ts';
import { Panel } from '../../ui/layout/panel.tsx';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import { cx } from '../../ui/browser/cx.ts';
import { shareInWords, timeInWords } from './spool-in-words.ts';

/** Less than this until nothing more is taken calls for somebody. */
const SOON_FULL_S = 86_400;

type Props = { spool: Spool; destination: string; className?: string };

/** What waits on disk for a destination: since when, until when, and how much more may. */
export const SpoolPanel = ({ spool, destination, className }: Props) => {
  const { bytes, limitBytes, oldestAt, drainsInSeconds, fullInSeconds } = spool;
  const isUrgent = bytes >= limitBytes || (fullInSeconds !== null && fullInSeconds < SOON_FULL_S);
  return (
    <Panel title={`Waiting for ${destination}`} aside="On disk here" className={className ?? ''}>
      <dl className="tabular grid grid-cols-2 gap-x-4 gap-y-2 md:grid-cols-4">
        <Fact name="Waits">
          {formatBytes(bytes)}{' '}
          <span className="text-sm text-muted">
            {shareInWords(bytes, limitBytes)} of {formatBytes(limitBytes)}
          </span>
        </Fact>
        <Fact name="Oldest">{oldestAt === null ? '–' : <RelativeTime at={oldestAt} />}</Fact>
        <Fact name="All delivered in">
          {drainsInSeconds === null ? 'Nothing goes out now' : timeInWords(drainsInSeconds)}
        </Fact>
        <Fact name="Full in" isUrgent={isUrgent}>
          {bytes >= limitBytes
            ? 'It is full: nothing more is taken'
            : fullInSeconds === null
              ? 'It does not grow'
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
