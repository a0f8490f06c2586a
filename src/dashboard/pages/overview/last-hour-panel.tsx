import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router-dom';
import type { EventType } from '#contract/events.ts';
import { Failure } from '../../kit/failure.tsx';
import { paths, withQuery } from '../../paths.ts';
import { cx } from '../../ui/browser/cx.ts';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';
import { formatCount } from '../../ui/format/format-number.ts';
import { Panel } from '../../ui/layout/panel.tsx';
import { overviewQueries } from './overview-queries.ts';

type Change = { label: string; types: readonly EventType[]; isBad?: boolean };

const changes: readonly Change[] = [
  { label: 'Went offline', types: ['device.offline'], isBad: true },
  { label: 'Came online', types: ['device.online'] },
  { label: 'Devices registered', types: ['device.registered'] },
  { label: 'Pipeline changes', types: ['pipeline.state-changed'] },
];

/** The number of events in the last hour, as links to them. */
export const LastHourPanel = () => (
  <Panel title="Changes in the last hour" flush>
    <ul className="@container grid grid-cols-2 md:grid-cols-4">
      {changes.map((change) => (
        <ChangeCount key={change.label} change={change} />
      ))}
    </ul>
  </Panel>
);

const ChangeCount = ({ change: { label, types, isBad = false } }: { change: Change }) => {
  const { data, error, refetch } = useQuery(overviewQueries.inLastHour(types));
  if (error !== null && data === undefined)
    return (
      <li>
        <Failure error={error} onRetry={() => void refetch()} />
      </li>
    );
  return (
    <li className="p-1">
      <Link
        to={withQuery(paths.activity, { type: types, from: '-1h' })}
        className="flex h-full flex-col justify-between rounded-md px-3 py-2 hover:bg-hover"
      >
        <span className="text-[clamp(0.875rem,1.6cqi,1.5rem)] leading-normal text-muted">{label}</span>{' '}
        <span
          className={cx(
            'tabular flex h-[1.2em] items-center text-[clamp(1.5rem,4cqi,5rem)] leading-none font-semibold tracking-tight',
            isBad && data !== undefined && data > 0 && 'text-bad-text',
          )}
        >
          {data === undefined ? <Skeleton className="h-6 w-12" /> : formatCount(data)}
        </span>
      </Link>
    </li>
  );
};
