import { Fragment } from 'react';
import type { Attention, AttentionItem } from '#contract/attention.ts';
import { useHasScope } from '../../api/session-queries.ts';
import { tagValueLabel } from '../../resources/devices/tag-list.tsx';
import { paths, withQuery } from '../../paths.ts';
import { useClock } from '../../ui/browser/clock.ts';
import { useSteadyOrder } from '../../ui/browser/steady-order.ts';
import { Link } from '../../ui/controls/link.tsx';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';
import { StateDot } from '../../ui/feedback/state-dot.tsx';
import { durationSince } from '../../ui/format/format-duration.ts';
import { formatCount, plural } from '../../ui/format/format-number.ts';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import { Panel } from '../../ui/layout/panel.tsx';
import { describeAttention } from './describe-attention.ts';

/** An item that left the list while its row was shown. */
type Row = AttentionItem & { isRemoved?: true };

type Props = { attention: Attention | undefined; className: string };

/** Everything that is wrong, worst first: what, since when, how often, and the page where it is fixed. */
export const AttentionPanel = ({ attention, className }: Props) => (
  <Panel
    title="Needs attention"
    className={className}
    flush
    aside={attention && <Total attention={attention} />}
  >
    {attention === undefined ? (
      <div className="flex flex-col gap-3 px-4 py-3">
        <Skeleton className="w-1/3" />
        <Skeleton className="w-2/3" />
      </div>
    ) : (
      <Rows attention={attention} />
    )}
  </Panel>
);

const Total = ({ attention: { total, items } }: { attention: Attention }) =>
  total > 0 && (
    <span className="tabular">
      {total > items.length
        ? `The ${formatCount(items.length)} most severe of ${formatCount(total)}`
        : plural(total, 'entry', 'entries')}
    </span>
  );

/** Offline devices that are one entry now, or are listed one by one again, are still offline. */
const isRegrouped = ({ kind, subject }: AttentionItem, items: readonly AttentionItem[]): boolean =>
  kind === 'devices-offline' &&
  items.some((other) => other.kind === kind && (other.subject === null) !== (subject === null));

const Rows = ({ attention: { total, items } }: { attention: Attention }) => {
  const rows = useSteadyOrder<Row>(items, {
    idOf: ({ id }) => id,
    list: 'attention',
    // A worse item may have taken its place.
    ...(total === items.length && {
      displayRemoved: (item) => (isRegrouped(item, items) ? undefined : { ...item, isRemoved: true }),
    }),
  });
  const seesPipelines = useHasScope('pipelines:read');
  if (rows.length === 0)
    return seesPipelines ? (
      <EmptyState title="Nothing needs attention" />
    ) : (
      <EmptyState title="No device needs attention">
        Your key lacks pipelines:read, so pipelines are not checked here.
      </EmptyState>
    );
  return (
    <ul className="@container max-h-[75vh] divide-y divide-hairline overflow-y-auto">
      {rows.map((item, index) => (
        // Keyed by position: a new first item changes texts, and moves no row.
        // oxlint-disable-next-line react/no-array-index-key
        <AttentionRow key={index} item={item} />
      ))}
    </ul>
  );
};

/** Grow with the panel, so that a wall display reads at five metres. */
const titleClass = 'text-[clamp(0.875rem,1.6cqi,2rem)] leading-normal';
const detailClass = 'text-[clamp(0.8125rem,1.35cqi,1.5rem)] leading-normal';

const AttentionRow = ({ item }: { item: Row }) => {
  const { title, path, word, tone, summary } = describeAttention(item);
  return (
    // The height of two lines of facts, so that a change of the text moves no row. One line is in the middle.
    <li className="flex flex-col justify-center px-4 py-2 max-md:min-h-20 @max-[48rem]:min-h-20">
      <div className={`flex items-baseline justify-between gap-3 ${titleClass}`}>
        <span className="min-w-0 font-medium break-words">
          <Link to={path}>{title}</Link>
        </span>
        {!item.isRemoved && <StateDot tone={tone}>{word}</StateDot>}
      </div>
      <p className={`break-words text-muted ${detailClass}`}>
        {item.isRemoved ? 'No longer reported.' : <Facts item={item} summary={summary} />}
      </p>
    </li>
  );
};

const TAG = 'tag:';

/**
 * “Source failing for 2 h”, “Offline, last seen 16 min ago”. What happened once: “1 message 3 min ago”; several times: “12
 * messages in the last 2 h, the latest 3 min ago”.
 */
const Facts = ({ item, summary }: { item: AttentionItem; summary: string }) => {
  const { since, lastAt, lastSeenAt, detail, groups } = item;
  const isOnce = lastAt !== null && item.count === 1;
  // A device is silent for longer than it is offline.
  const fromAt = lastSeenAt === null && !isOnce ? since : null;
  const duration = useClock((nowMs) => (fromAt === null ? '' : durationSince(fromAt, nowMs)));
  if (summary === '') return detail;
  return (
    <>
      <span className="font-medium text-ink">
        {summary}
        {duration !== '' && ` ${lastAt === null ? 'for' : 'in the last'} ${duration}`}
      </span>
      {lastAt !== null && (
        <>
          {isOnce ? ' ' : ', the latest '}
          <RelativeTime at={lastAt} />
        </>
      )}
      {lastSeenAt !== null && (
        <>
          , last seen <RelativeTime at={lastSeenAt} />
        </>
      )}
      {groups !== null && <DeviceGroups groups={groups} devices={item.devices ?? 0} />}
      {detail !== '' && `${lastAt === null ? ':' : '.'} ${detail}`}
    </>
  );
};

/** “By site: Lyon 12, Paris 3, others 2”, each with a link to its offline devices. */
const DeviceGroups = ({
  groups: { by, data },
  devices,
}: {
  groups: NonNullable<AttentionItem['groups']>;
  devices: number;
}) => {
  const key = by.startsWith(TAG) ? by.slice(TAG.length) : null;
  const others = devices - data.reduce((sum, group) => sum + group.devices, 0);
  return (
    <>
      . By {key ?? 'type'}:{' '}
      {data.map(({ value, devices: count }, index) => (
        <Fragment key={value}>
          {index > 0 && ', '}
          <Link
            to={withQuery(paths.devices, {
              state: 'offline',
              ...(key === null ? { type: value } : { tag: `${key}:${value}` }),
              sort: '-lastSeenAt',
            })}
          >
            {key === null ? value : tagValueLabel(value)} {formatCount(count)}
          </Link>
        </Fragment>
      ))}
      {others > 0 && `, others ${formatCount(others)}`}
    </>
  );
};
