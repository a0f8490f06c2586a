import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { groupsOf, type DeviceGroup } from '../../resources/devices/device-group.ts';
import { facetQuery } from '../../resources/devices/facet-queries.ts';
import { StateShares } from '../../resources/devices/state-shares.tsx';
import { overviewQueries } from './overview-queries.ts';
import { Failure } from '../../kit/failure.tsx';
import { paths, withQuery } from '../../paths.ts';
import { cx } from '../../ui/browser/cx.ts';
import { useSteadyOrder } from '../../ui/browser/steady-order.ts';
import { storedChoice, useStoredChoice } from '../../ui/browser/stored-choice.ts';
import { Link } from '../../ui/controls/link.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';
import { formatCount } from '../../ui/format/format-number.ts';
import { Panel } from '../../ui/layout/panel.tsx';

/** The groups that fit the panel. */
const SHOWN = 8;

/** The tag that this browser groups devices by; empty for the most common one. */
const groupKey = storedChoice(
  'penstock.overview.group',
  (text) => text ?? '',
  (key) => key,
);

/** Devices by the value of a tag, worst first. Nothing if no device has a tag. */
export const GroupsPanel = ({ className }: { className: string }) => {
  const stored = useStoredChoice(groupKey);
  const keys = useQuery(overviewQueries.groupKeys());
  const key = stored === '' ? keys.data?.data[0]?.value : stored;
  // No placeholder: it would disappear if no device has a tag.
  if (keys.isPending || keys.data?.data.length === 0) return null;
  // The chosen tag stays in the list when no device has it any more.
  const options = [...new Set([...(keys.data?.data ?? []).map(({ value }) => value), key ?? ''])];
  return (
    <Panel
      title="Groups"
      className={className}
      flush
      aside={
        key !== undefined && (
          <Select
            aria-label="Group by"
            options={options.map((value) => ({ value, label: value }))}
            value={key}
            onChange={groupKey.set}
            className="w-40"
          />
        )
      }
    >
      {keys.error !== null && keys.data === undefined ? (
        <Failure error={keys.error} onRetry={() => void keys.refetch()} />
      ) : (
        key !== undefined && <Groups key={key} tagKey={key} />
      )}
    </Panel>
  );
};

const Lines = () => (
  <div className="flex flex-col gap-3 px-4 py-3">
    {Array.from({ length: SHOWN / 2 }, (_, index) => (
      <Skeleton key={index} className="w-2/3" />
    ))}
  </div>
);

const Groups = ({ tagKey }: { tagKey: string }) => {
  const { data, error, refetch } = useQuery(
    facetQuery({ by: `tag:${tagKey}`, sort: '-offline', limit: SHOWN }),
  );
  const sorted = useMemo(
    () => (data === undefined ? [] : groupsOf(data, tagKey).slice(0, SHOWN)),
    [data, tagKey],
  );
  const groups = useSteadyOrder(sorted, { idOf: ({ path }) => path, list: tagKey });
  if (error !== null && data === undefined) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Lines />;
  if (groups.length === 0) return <EmptyState title={`No device has the tag ${tagKey}`} />;
  const hidden = data.total + (data.without?.total === 0 ? 0 : 1) - groups.length;
  return (
    <>
      <ul className="@container divide-y divide-hairline">
        {groups.map((group) => (
          <GroupItem key={group.path} group={group} />
        ))}
      </ul>
      {hidden > 0 && (
        <p className="px-4 py-2 text-sm">
          <Link to={withQuery(paths.devices, { group: tagKey })}>{formatCount(hidden)} more</Link>
        </p>
      )}
    </>
  );
};

const GroupItem = ({ group }: { group: DeviceGroup }) => {
  const { name, path, byState, total } = group;
  return (
    <li className="flex flex-col gap-1.5 px-4 py-2">
      <div className="wall-text flex items-baseline justify-between gap-3">
        <span className="min-w-0 truncate font-medium">
          <Link to={path}>{name}</Link>
        </span>
        <span
          className={cx(
            'tabular shrink-0',
            byState.offline > 0 ? 'text-bad-text' : byState.late > 0 ? 'text-attention-text' : 'text-muted',
          )}
        >
          {byState['never-seen'] === total ? (
            `${formatCount(total)} never seen`
          ) : (
            <>
              {byState.offline === 0 ? (
                '0 offline'
              ) : (
                // The latest first, as for all offline devices.
                <Link className="text-inherit!" to={`${path}&state=offline&sort=-lastSeenAt`}>
                  {formatCount(byState.offline)} offline
                </Link>
              )}
              {byState.late > 0 && `, ${formatCount(byState.late)} late`} of {formatCount(total)}
            </>
          )}
        </span>
      </div>
      <StateShares counts={group} />
    </li>
  );
};
