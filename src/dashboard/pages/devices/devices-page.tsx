import { useInfiniteQuery, useQuery, type InfiniteData } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { Link } from 'react-router-dom';
import { useDebounced } from '../../ui/browser/debounced.ts';
import { useIsNarrow } from '../../ui/browser/media-query.ts';
import { Optional } from '../../ui/browser/optional.tsx';
import { useQueryParams } from '../../ui/browser/query-params.ts';
import { deviceQueries, type DeviceFilters } from '../../resources/devices/device-queries.ts';
import { useHasScope } from '../../api/session-queries.ts';
import { Failure } from '../../kit/failure.tsx';
import { Button, buttonClass } from '../../ui/controls/button.tsx';
import { FoundCount } from '../../ui/table/found-count.tsx';
import { useOnceTrue } from '../../ui/browser/once-true.ts';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { withParams } from '../../ui/browser/with-params.ts';
import { useDeviceColumns } from './device-columns.tsx';
import {
  filterOf,
  filterParams,
  isFiltered,
  readFilters,
  readGroup,
  readSort,
  sortParam,
} from './device-filters.ts';
import { DevicesToolbar } from './devices-toolbar.tsx';
import { TransferMenu } from './transfer-menu.tsx';
import type { Device } from '#contract/devices.ts';
import type { Page } from '#contract/paging.ts';
import { useFollowDevices } from '../../api/live/use-live.ts';
import { paths } from '../../paths.ts';
import { DataTable } from '../../ui/table/data-table.tsx';
import { showToast } from '../../ui/feedback/toast.ts';
import { useSelection } from '../../ui/table/use-selection.ts';
import type { Column, Selection, Sort } from '../../ui/table/data-table-props.ts';
import { useSharedMenu } from '../../ui/overlays/shared-menu.tsx';
import { lazyDrawer, lazyPopup } from '../../ui/overlays/lazy-popup.tsx';
import { loadedItems } from '../../api/paged-list.ts';
import { loadWithRetry } from '../../api/live/use-live.ts';
import { useWasIdle } from '../../api/was-idle.ts';
import { pagingProps } from '../../ui/table/data-table-props.ts';

const DeviceDrawer = lazyDrawer(
  async () => (await import('../../resources/devices/device-drawer.tsx')).DeviceDrawer,
  ({ isNew, deviceId, onClose }) => ({ isOpen: isNew || deviceId !== null, onClose }),
);

const ImportDrawer = lazyDrawer(
  async () => (await import('./import/import-drawer.tsx')).ImportDrawer,
  ({ drawer }) => drawer,
);

const DeviceGroups = lazy(async () => ({ default: (await import('./device-groups.tsx')).DeviceGroups }));

const NoDevices = lazy(async () => ({ default: (await import('./no-devices.tsx')).NoDevices }));

const BulkChanges = lazy(() =>
  loadWithRetry(async () => ({ default: (await import('./bulk/bulk-changes.tsx')).BulkChanges })),
);

/** The pause in typing after which matches are counted. */
const COUNT_AFTER_MS = 400;

/** The part of the list that its header needs: whether there are rows, and how many once all are loaded. */
const summaryOf = (data: InfiniteData<Page<Device>>) => {
  const rows = loadedItems(data).length;
  return { hasRows: rows > 0, completeCount: data.pages.at(-1)?.nextCursor === null ? rows : undefined };
};

/** All devices: searched, filtered and sorted by the service, loaded on scroll. */
export const DevicesPage = () => {
  // Its memoised form is larger.
  'use no memo';
  const [params, setParams] = useQueryParams();
  const filters = readFilters(params);
  const group = readGroup(params);
  const list = useInfiniteQuery({ ...deviceQueries.list(filters), select: summaryOf });
  // After the rows, and once typing pauses: counting after each character delays the next search.
  const isTyping = useDebounced(filters.q, COUNT_AFTER_MS) !== filters.q;
  const count = useQuery({
    ...deviceQueries.total(filters),
    enabled: !list.isPlaceholderData && !isTyping,
  });
  const total = count.isPlaceholderData ? undefined : count.data;
  // Until the matches of new filters are counted, a complete list says how many there are.
  const found = total ?? (list.isPlaceholderData ? undefined : list.data?.completeCount);
  const canRead = useHasScope('devices:read');
  const canWrite = useHasScope('devices:write');
  const wasIdle = useWasIdle();
  const { columns, choice } = useDeviceColumns();
  const filter = filterOf(filters);
  const selection = useSelection({
    key: JSON.stringify(filter),
    total,
    onLost: () => showToast({ title: 'Selection cleared', detail: 'The filters changed.' }),
  });
  // Check boxes would crowd the cards of a phone: they show on demand.
  const isNarrow = useIsNarrow();
  const [isSelecting, setIsSelecting] = useState(!selection.isEmpty);
  const endSelection = () => {
    selection.clear();
    setIsSelecting(false);
  };
  const isNew = params.get('register') !== null;
  const editedId = params.get('edit');
  const wasDrawerOpen = useOnceTrue(isNew || editedId !== null);
  const isImporting = params.get('import') !== null;
  const wasImportOpen = useOnceTrue(isImporting);

  const change = (name: string, values: readonly string[]) =>
    // A list and its groups are sorted by different columns.
    setParams((old) => withParams(old, { [name]: values, ...(name === 'group' && { sort: [] }) }), {
      isTyped: name === 'q',
      preventScrollReset: name !== 'sort',
    });
  const register = () => change('register', ['new']);
  const importCsv = () => change('import', ['csv']);
  const empty = (
    <Suspense>
      <NoDevices
        filters={filters}
        onClear={() => setParams(() => new URLSearchParams(group === null ? '' : { group }))}
        {...(canWrite && { create: { onRegister: register, onImport: importCsv } })}
      />
    </Suspense>
  );

  return (
    <>
      <PageHeader
        title="Devices"
        aside={<FoundCount count={found} one="device" isFiltered={isFiltered(filters)} />}
        actions={
          <>
            {canWrite && isNarrow && group === null && (
              // Also without rows: the header must not move when they arrive.
              <Button
                aria-pressed={isSelecting}
                disabled={list.data?.hasRows !== true && !isSelecting}
                onClick={() => (isSelecting ? endSelection() : setIsSelecting(true))}
              >
                Select
              </Button>
            )}
            <Link to={paths.connect} className={buttonClass()}>
              Connect
            </Link>
            {canRead && <TransferMenu filters={filters} onImport={canWrite ? importCsv : undefined} />}
            {canWrite && (
              <Button variant="primary" icon={<Plus aria-hidden className="size-4" />} onClick={register}>
                <span className="max-md:sr-only">Register device</span>
              </Button>
            )}
          </>
        }
      />
      {canRead && (
        <DevicesToolbar
          params={params}
          filters={filters}
          group={group}
          onChange={change}
          onClear={() =>
            setParams((old) =>
              withParams(old, Object.fromEntries([...filterParams, 'group'].map((name) => [name, []]))),
            )
          }
          columnChoice={choice}
          isSearching={list.isPending || list.isPlaceholderData}
        />
      )}
      {canRead && group !== null ? (
        <Suspense>
          <DeviceGroups key={group} filters={filters} tagKey={group} empty={empty} />
        </Suspense>
      ) : (
        <DeviceList
          filters={filters}
          total={total}
          sort={readSort(params)}
          onSort={(sort) => change('sort', [sortParam(sort)])}
          columns={columns}
          selection={canWrite && (!isNarrow || isSelecting) ? selection : undefined}
          empty={empty}
        >
          {(rows) =>
            canWrite &&
            (wasIdle || isSelecting || !selection.isEmpty) && (
              <Optional>
                <BulkChanges
                  selection={selection}
                  isSelecting={isSelecting && isNarrow}
                  filter={filter}
                  rows={rows}
                  total={total}
                  onClose={endSelection}
                />
              </Optional>
            )
          }
        </DeviceList>
      )}
      {wasDrawerOpen && (
        <Suspense>
          <DeviceDrawer
            isNew={isNew}
            deviceId={editedId}
            onClose={() => setParams((old) => withParams(old, { edit: [], register: [] }), { replace: true })}
          />
        </Suspense>
      )}
      {wasImportOpen && (
        <Suspense>
          <ImportDrawer
            drawer={{
              isOpen: isImporting,
              onClose: () => setParams((old) => withParams(old, { import: [] }), { replace: true }),
            }}
          />
        </Suspense>
      )}
    </>
  );
};

const DeviceMenu = lazyPopup(async () => (await import('./device-menu.tsx')).DeviceMenu);

type DeviceListProps = {
  filters: DeviceFilters;
  total: number | undefined;
  columns: readonly Column<Device>[];
  sort: Sort;
  onSort: (sort: Sort) => void;
  selection: Selection | undefined;
  empty: ReactNode;
  /** Rendered after the list. */
  children: (rows: readonly Device[]) => ReactNode;
};

const rowId = ({ id }: Device) => id;
const rowName = ({ name }: Device) => name;
const rowLink = ({ id }: Device) => paths.device(id);
const menuName = ({ name }: Device) => `Actions for ${name}`;
const rowMark = ({ state, updatedAt }: Device) => `${state} ${updatedAt}`;

/** The rows of the list. Further pages render this part alone. Visible rows are followed live. */
const DeviceList = ({
  filters,
  total,
  columns,
  sort,
  onSort,
  selection,
  empty,
  children,
}: DeviceListProps) => {
  const list = useInfiniteQuery(deviceQueries.list(filters));
  const rows = loadedItems(list.data);
  const follow = useFollowDevices();
  const { trigger, menu } = useSharedMenu(menuName, DeviceMenu);
  return (
    <>
      {list.isError && list.data === undefined ? (
        <div className="rounded-md border border-hairline bg-surface">
          <Failure error={list.error} onRetry={() => void list.refetch()} />
        </div>
      ) : (
        <DataTable
          label="Devices"
          columns={columns}
          rows={rows}
          rowId={rowId}
          rowName={rowName}
          rowLink={rowLink}
          rowMark={rowMark}
          rowActions={trigger}
          selection={selection}
          sort={sort}
          onSort={onSort}
          total={total}
          {...pagingProps(list)}
          onVisible={(devices) => follow(devices.map(rowId))}
          empty={empty}
        />
      )}
      {menu}
      {children(rows)}
    </>
  );
};
