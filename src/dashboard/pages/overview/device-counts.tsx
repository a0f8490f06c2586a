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
    <ul className="grid grid-cols-2 md:grid-cols-4 md:divide-x md:divide-hairline">
      {deviceStateOrder.map((state) => {
        const { word, tone } = deviceStateDisplay[state];
        const count = counts?.byState[state];
        return (
          <li key={state} className="p-1">
            <Link
              to={withQuery(paths.devices, { state })}
              className="block rounded-md px-3 py-2 hover:bg-hover"
            >
              <span className="flex items-center gap-2 text-muted">
                <Dot tone={tone} />
                {word}
              </span>{' '}
              <span
                className={cx(
                  'tabular mt-1 flex h-12 items-center text-3xl font-semibold tracking-tight',
                  count !== undefined && count > 0 && figures[tone],
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
