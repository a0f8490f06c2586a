import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { DeviceFilters } from '../../resources/devices/device-queries.ts';
import { facetQuery, incompleteCounts } from '../../resources/devices/facet-queries.ts';
import { byName, groupsOf, type DeviceGroup } from '../../resources/devices/device-group.ts';
import { StateShares } from '../../resources/devices/state-shares.tsx';
import { deviceStateDisplay, deviceStateOrder } from '../../resources/devices/device-state.tsx';
import { Failure } from '../../kit/failure.tsx';
import { sortInAddress } from '../../kit/resource/list-address.ts';
import { useQueryParams } from '../../ui/browser/query-params.ts';
import { withParams } from '../../ui/browser/with-params.ts';
import { formatCount, plural } from '../../ui/format/format-number.ts';
import { DataTable } from '../../ui/table/data-table.tsx';
import type { Column, Sort } from '../../ui/table/data-table-props.ts';
import { filterOf } from './device-filters.ts';

/** The most groups that one request returns. */
const MAX_GROUPS = 200;

const counts = deviceStateOrder.map((state, index): Column<DeviceGroup> => {
  const { word, tone } = deviceStateDisplay[state];
  return {
    id: state,
    header: word,
    sort: state,
    min: 96,
    grow: 0,
    align: 'end',
    ...(index > 0 && { drop: index }),
    card: index === 0 ? 'aside' : 'detail',
    cell: ({ byState }) => (
      <span
        className={byState[state] === 0 ? 'text-faint' : tone === 'bad' ? 'font-medium text-bad-text' : ''}
      >
        <span className="md:hidden">{word} </span>
        {formatCount(byState[state])}
      </span>
    ),
  };
});

const columnsOf = (tagKey: string): readonly Column<DeviceGroup>[] => [
  { id: 'name', header: tagKey, sort: 'name', min: 140, grow: 2, isName: true, cell: ({ name }) => name },
  ...counts,
  {
    id: 'total',
    header: 'Devices',
    sort: 'total',
    min: 96,
    grow: 0,
    align: 'end',
    card: 'detail',
    cell: ({ total }) => (
      <span>
        {formatCount(total)}
        <span className="md:hidden"> {total === 1 ? 'device' : 'devices'}</span>
      </span>
    ),
  },
  {
    id: 'states',
    header: 'States',
    min: 160,
    drop: 5,
    card: 'none',
    cell: (group) => <StateShares counts={group} />,
  },
];

const { readSort, sortParam } = sortInAddress([...deviceStateOrder, 'name', 'total'], '-offline');

/** Groups of the same rank stay worst first. */
const sortGroups = (groups: readonly DeviceGroup[], { by, isDescending }: Sort): DeviceGroup[] => {
  const sign = isDescending ? -1 : 1;
  const countIn = ({ total, byState }: DeviceGroup) =>
    by === 'total' ? total : byState[by as keyof typeof byState];
  const compare = (a: DeviceGroup, b: DeviceGroup) =>
    by === 'name' ? byName(a, b) : countIn(a) - countIn(b);
  return groups.toSorted((a, b) => sign * compare(a, b));
};

type Props = { filters: DeviceFilters; tagKey: string; empty: ReactNode };

/** The matching devices by the value of a tag, usually worst first. Each group opens the list of its devices. */
export const DeviceGroups = ({ filters, tagKey, empty }: Props) => {
  const [params, setParams] = useQueryParams();
  const sort = readSort(params);
  const filter = filterOf(filters);
  const requestedSort = sort.by === 'total' ? '-total' : '-offline';
  const { data, error, isPending, isPlaceholderData, refetch } = useQuery(
    facetQuery({ ...filter, by: `tag:${tagKey}`, sort: requestedSort, limit: MAX_GROUPS }),
  );
  if (error !== null && data === undefined)
    return (
      <div className="rounded-md border border-hairline bg-surface">
        <Failure error={error} onRetry={() => void refetch()} />
      </div>
    );
  return (
    <>
      <DataTable
        label={`Devices by ${tagKey}`}
        columns={columnsOf(tagKey)}
        rows={data === undefined ? [] : sortGroups(groupsOf(data, tagKey, filter), sort)}
        sort={sort}
        onSort={({ by, isDescending }) => {
          // The largest counts first: they are what one looks for.
          const next = { by, isDescending: isDescending || (by !== 'name' && by !== sort.by) };
          setParams((old) => withParams(old, { sort: [sortParam(next)] }));
        }}
        rowId={({ name, isRest }) => (isRest ? 'rest' : `value ${name}`)}
        rowName={({ name }) => name}
        rowLink={({ path }) => path}
        isLoading={isPending}
        isStale={isPlaceholderData}
        empty={empty}
      />
      {data !== undefined && (data.total > data.data.length || !data.isComplete) && (
        <p className="mt-2 text-sm text-muted">
          {data.total > data.data.length &&
            `The ${formatCount(data.data.length)} groups with the most ${requestedSort === '-total' ? '' : 'offline '}devices, of ${plural(data.total, 'group')}. `}
          {!data.isComplete && incompleteCounts}
        </p>
      )}
    </>
  );
};
