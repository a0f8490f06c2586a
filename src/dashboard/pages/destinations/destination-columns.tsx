import type { Destination, DestinationType } from '#contract/destinations.ts';
import {
  destinationReason,
  DestinationStateDot,
  isBuiltIn,
} from '../../resources/destinations/destination-state.tsx';
import { paths, withQuery } from '../../paths.ts';
import { cx } from '../../ui/browser/cx.ts';
import { cellTextClass, type Column } from '../../ui/table/data-table-props.ts';
import { plural } from '../../ui/format/format-number.ts';
import { Link } from '../../ui/controls/link.tsx';
import { RelativeTime } from '../../ui/format/relative-time.tsx';

/** The address, or a description for types without one. Files are in a folder named after the ID by default. */
export const addressInWords = (destination: Destination): string => {
  const { url, id, options } = destination;
  if (url !== null) return url;
  if (isBuiltIn(destination)) return 'This service';
  return `exports/${typeof options.folder === 'string' ? options.folder : id} in the data directory`;
};

const UsedBy = ({ destination: { usedBy, name } }: { destination: Destination }) =>
  usedBy === 0 ? (
    <span className="text-faint">No pipelines</span>
  ) : (
    <Link to={withQuery(paths.pipelines, { destination: name })} className="relative z-1 truncate">
      {plural(usedBy, 'pipeline')}
    </Link>
  );

/** On a card the value needs its label. */
const LastDelivered = ({ destination }: { destination: Destination }) => {
  const { lastDeliveredAt: at } = destination;
  if (isBuiltIn(destination)) return <span className="text-faint max-md:hidden">–</span>;
  if (at === null)
    return (
      <span className="text-faint">
        <span className="md:hidden">Delivered: </span>Not yet
      </span>
    );
  return (
    <span className="text-muted">
      <span className="md:hidden">Delivered </span>
      <RelativeTime at={at} inRow className="relative z-1" />
    </span>
  );
};

const reasonColumn: Column<Destination> = {
  id: 'reason',
  header: 'Reason',
  min: 140,
  grow: 3,
  drop: 4,
  card: 'detail',
  cell: (destination) => {
    const reason = destinationReason(destination);
    return (
      reason !== null && (
        <span data-hint={reason} className={cx('relative z-1', cellTextClass)}>
          {reason}
        </span>
      )
    );
  },
};

/** The columns of the list; labels come from the types that the service has. The column of reasons appears if a row has one. */
export const destinationColumns = (
  types: readonly DestinationType[],
  rows: readonly Destination[],
): readonly Column<Destination>[] => [
  {
    id: 'state',
    header: 'State',
    sort: 'state',
    min: 124,
    grow: 0,
    card: 'aside',
    cell: (destination) => (
      <span data-hint={destinationReason(destination) ?? undefined} className="relative z-1">
        <DestinationStateDot destination={destination} />
      </span>
    ),
  },
  {
    id: 'name',
    header: 'Name',
    sort: 'name',
    min: 140,
    grow: 2,
    isName: true,
    cell: ({ name }) => name,
  },
  {
    id: 'type',
    header: 'Type',
    sort: 'type',
    min: 116,
    grow: 0,
    drop: 2,
    card: 'detail',
    cell: ({ type }) => (
      <span className="truncate">{types.find((each) => each.type === type)?.label ?? type}</span>
    ),
  },
  {
    id: 'url',
    header: 'Address',
    min: 160,
    grow: 3,
    drop: 3,
    card: 'detail',
    cell: (destination) =>
      destination.url === null ? (
        <span data-hint-if-cut className="relative z-1 truncate text-muted">
          {addressInWords(destination)}
        </span>
      ) : (
        <span data-hint={destination.url} className="relative z-1 truncate font-mono text-sm text-muted">
          {destination.url}
        </span>
      ),
  },
  ...(rows.some((row) => destinationReason(row) !== null) ? [reasonColumn] : []),
  {
    id: 'usedBy',
    header: 'Used by',
    min: 104,
    grow: 0,
    drop: 1,
    card: 'detail',
    cell: (destination) => <UsedBy destination={destination} />,
  },
  {
    id: 'lastDeliveredAt',
    header: 'Last delivered',
    min: 116,
    grow: 0,
    drop: 2,
    align: 'end',
    card: 'detail',
    cell: (destination) => <LastDelivered destination={destination} />,
  },
];
