import { Link } from 'react-router-dom';
import type { Overview } from '#contract/overview.ts';
import { deviceStateDisplay, deviceStateOrder } from '../../resources/devices/device-state.tsx';
import { StateShares } from '../../resources/devices/state-shares.tsx';
import { paths, withQuery } from '../../paths.ts';
import { cx } from '../../ui/browser/cx.ts';
import { formatCount, plural } from '../../ui/format/format-number.ts';
import { Panel } from '../../ui/layout/panel.tsx';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';
import { Dot, type Tone } from '../../ui/feedback/state-dot.tsx';

/** Counts of late and offline devices have the colour of their state. */
const figures: Record<Tone, string> = {
  good: '',
  attention: 'text-attention-text',
  bad: 'text-bad-text',
  idle: 'text-muted',
};

/**
 * Grow with the panel, so that a wall display reads at five metres. Four figures of seven characters fit beside each
 * other.
 */
const wallFigureClass = 'h-[1.2em] text-[clamp(2rem,4.2cqi,10rem)] leading-none';
const wallLabelClass = 'text-[clamp(0.875rem,1.2cqi,2.25rem)] leading-normal';

type Props = { counts: Overview['devices'] | undefined; className: string };

/** The number of devices in each state, as links to the lists. */
export const DeviceCounts = ({ counts, className }: Props) => (
  <Panel
    title="Devices"
    className={className}
    flush
    aside={
      counts !== undefined && (
        <Link to={paths.devices} className="tabular rounded-sm hover:text-ink hover:underline">
          {plural(counts.total, 'device')}
        </Link>
      )
    }
  >
    <div className="mx-4 mt-1 mb-2">
      <StateShares counts={counts} />
    </div>
    <ul className="@container grid grid-cols-2 md:grid-cols-4 md:divide-x md:divide-hairline">
      {deviceStateOrder.map((state) => {
        const { word, tone } = deviceStateDisplay[state];
        const count = counts?.byState[state];
        const isAlarm = tone === 'bad' && count !== undefined && count > 0;
        return (
          <li key={state} className="p-1">
            <Link
              to={withQuery(paths.devices, { state })}
              className={cx(
                'block h-full rounded-md px-3 py-2',
                isAlarm ? 'bg-bad-fill text-on-accent hover:underline' : 'hover:bg-hover',
              )}
            >
              <span className={cx(wallLabelClass, 'flex items-center gap-2', !isAlarm && 'text-muted')}>
                <Dot tone={tone} {...(isAlarm && { className: 'not-forced-colors:bg-on-accent!' })} />
                {word}
              </span>{' '}
              <span
                className={cx(
                  'tabular mt-1 flex items-center font-semibold tracking-tight',
                  wallFigureClass,
                  count !== undefined && count > 0 && !isAlarm && figures[tone],
                )}
              >
                {count === undefined ? <Skeleton className="h-8 w-16" /> : formatCount(count)}{' '}
                <span className="sr-only">
                  {count === undefined ? 'loading' : count === 1 ? 'device' : 'devices'}
                </span>
              </span>
            </Link>
          </li>
        );
      })}
    </ul>
  </Panel>
);
