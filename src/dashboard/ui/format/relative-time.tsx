import { useClock } from '../browser/clock.ts';
import { cx } from '../browser/cx.ts';
import { formatExact, formatRelative, timeZoneChoice } from './format-time.ts';
import { useStoredChoice } from '../browser/stored-choice.ts';

type Props = {
  /** RFC 3339 or epoch ms. */
  at: string | number;
  className?: string;
  /** Inside a table row, which has only one tab stop; elsewhere Tab reaches the exact time. */
  inRow?: boolean;
};

/** The age of a time, updated; the exact time on hover, focus and tap. */
export const RelativeTime = ({ at, className, inRow = false }: Props) => {
  const ms = typeof at === 'number' ? at : Date.parse(at);
  const zone = useStoredChoice(timeZoneChoice);
  const text = useClock((nowMs) => formatRelative(ms, nowMs, zone));
  return (
    <time
      dateTime={new Date(ms).toISOString()}
      data-hint={formatExact(ms, zone)}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the exact time must be reachable by keyboard
      tabIndex={inRow ? undefined : 0}
      className={cx('tabular rounded-sm whitespace-nowrap', className)}
    >
      {text}
    </time>
  );
};
