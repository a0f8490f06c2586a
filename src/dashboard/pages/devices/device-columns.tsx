import { lazy } from 'react';
import type { Device } from '#contract/devices.ts';
import { DeviceStateDot } from '../../resources/devices/device-state.tsx';
import { rowTextClass, type Column } from '../../ui/table/data-table-props.ts';
import { formatAboutSeconds, formatSeconds } from '../../ui/format/format-duration.ts';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import { useHasKnownScope } from '../../api/session-queries.ts';
import { Optional } from '../../ui/browser/optional.tsx';
import { storedChoice, useStoredChoice } from '../../ui/browser/stored-choice.ts';
import { ExternalId } from '../../resources/devices/external-id.tsx';
import { TagList } from '../../resources/devices/tag-list.tsx';

const DeviceSparkline = lazy(async () => ({
  default: (await import('./device-sparkline.tsx')).DeviceSparkline,
}));

/** The columns of the list; those with `isOff` are hidden until they are chosen. */
export const deviceColumns: readonly (Column<Device> & { isOff?: boolean; needsTelemetry?: boolean })[] = [
  {
    id: 'state',
    header: 'State',
    sort: 'state',
    min: 104,
    grow: 0,
    card: 'aside',
    cell: ({ state }) => <DeviceStateDot state={state} />,
  },
  { id: 'name', header: 'Name', sort: 'name', min: 132, grow: 2, isName: true, cell: ({ name }) => name },
  {
    id: 'externalId',
    header: 'External ID',
    sort: 'externalId',
    min: 110,
    grow: 1.5,
    drop: 3,
    card: 'detail',
    cell: ({ externalId }) => <ExternalId id={externalId} inRow />,
  },
  {
    id: 'type',
    header: 'Type',
    sort: 'type',
    min: 89,
    grow: 1.2,
    drop: 2,
    card: 'detail',
    cell: ({ type }) => (type === '' ? null : <span className={rowTextClass}>{type}</span>),
  },
  {
    id: 'tags',
    header: 'Tags',
    min: 180,
    grow: 2,
    drop: 4,
    card: 'none',
    cell: ({ tags }) => <TagList tags={tags} />,
  },
  {
    id: 'interval',
    header: 'Interval',
    min: 100,
    grow: 0,
    align: 'end',
    drop: 6,
    card: 'none',
    isOff: true,
    cell: ({ expectedInterval, learnedInterval }) =>
      expectedInterval !== null ? (
        formatSeconds(expectedInterval)
      ) : learnedInterval !== null ? (
        <span className="text-muted" data-hint="Learned from recent messages">
          ≈ {formatAboutSeconds(learnedInterval)}
        </span>
      ) : (
        <span className="text-faint">None yet</span>
      ),
  },
  {
    id: 'sparkline',
    header: 'Last 24 h',
    min: 112,
    grow: 0,
    drop: 7,
    card: 'none',
    needsTelemetry: true,
    cell: ({ id }) => (
      <Optional>
        <DeviceSparkline deviceId={id} />
      </Optional>
    ),
  },
  {
    id: 'lastSeenAt',
    header: 'Last seen',
    sort: 'lastSeenAt',
    min: 104,
    grow: 0,
    align: 'end',
    drop: 1,
    card: 'detail',
    cell: ({ lastSeenAt }) =>
      lastSeenAt === null ? (
        <span className="text-faint">Never</span>
      ) : (
        <RelativeTime at={lastSeenAt} inRow className="relative z-1 text-muted" />
      ),
  },
  {
    id: 'createdAt',
    header: 'Registered',
    sort: 'createdAt',
    min: 120,
    grow: 0,
    align: 'end',
    drop: 5,
    card: 'none',
    isOff: true,
    cell: ({ createdAt }) => <RelativeTime at={createdAt} inRow className="relative z-1 text-muted" />,
  },
];

const ids = deviceColumns.map(({ id }) => id);

/** The columns that this browser shows. */
const shownColumns = storedChoice<readonly string[]>(
  'penstock.devices.columns',
  (text) =>
    text === null ? deviceColumns.filter(({ isOff }) => isOff !== true).map(({ id }) => id) : text.split(' '),
  (shown) => ids.filter((id) => shown.includes(id)).join(' '),
);

export type ColumnChoice = {
  id: string;
  label: string;
  isShown: boolean;
  toggle: (isShown: boolean) => void;
}[];

export const useDeviceColumns = (): { columns: readonly Column<Device>[]; choice: ColumnChoice } => {
  const shown = useStoredChoice(shownColumns);
  const hasTelemetry = useHasKnownScope('telemetry:read');
  const offered = deviceColumns.filter(({ needsTelemetry }) => needsTelemetry !== true || hasTelemetry);
  return {
    columns: offered.filter(({ id, isName }) => isName === true || shown.includes(id)),
    choice: offered
      .filter(({ isName }) => isName !== true)
      .map(({ id, header }) => ({
        id,
        label: header,
        isShown: shown.includes(id),
        toggle: (isShown) =>
          shownColumns.set(isShown ? [...shown, id] : shown.filter((other) => other !== id)),
      })),
  };
};
