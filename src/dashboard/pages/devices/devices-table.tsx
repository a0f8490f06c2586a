import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { lazy, type ReactNode } from 'react';
import type { Device } from '#contract/devices.ts';
import type { Page } from '#contract/paging.ts';
import { useFollowDevices } from '../../api/live/use-live.ts';
import { paths } from '../../paths.ts';
import { DataTable } from '../../ui/table/data-table.tsx';
import type { Column, Sort } from '../../ui/table/data-table-props.ts';
import { useSharedMenu } from '../../ui/overlays/shared-menu.tsx';

const DeviceMenu = lazy(async () => ({ default: (await import('./device-menu.tsx')).DeviceMenu }));

type Props = {
  list: UseInfiniteQueryResult<InfiniteData<Page<Device>>>;
  rows: readonly Device[];
  columns: readonly Column<Device>[];
  sort: Sort;
  onSort: (sort: Sort) => void;
  empty: ReactNode;
};

const rowId = ({ id }: Device) => id;
const rowName = ({ name }: Device) => name;
const rowLink = ({ id }: Device) => paths.device(id);
const menuName = ({ name }: Device) => `Actions for ${name}`;
const rowMark = ({ state }: Device) => state;

/** The rows of the list; those in sight are followed live. */
export const DevicesTable = ({ list, rows, columns, sort, onSort, empty }: Props) => {
  const follow = useFollowDevices();
  const { trigger, menu } = useSharedMenu(menuName, DeviceMenu);
  const { fetchNextPage } = list;
  return (
    <>
      <DataTable
        label="Devices"
        columns={columns}
        rows={rows}
        rowId={rowId}
        rowName={rowName}
        rowLink={rowLink}
        rowMark={rowMark}
        rowActions={trigger}
        sort={sort}
        onSort={onSort}
        total={list.data?.pages[0]?.total}
        isLoading={list.isPending}
        isStale={list.isPlaceholderData}
        hasMore={list.hasNextPage}
        isLoadingMore={list.isFetchingNextPage}
        loadMoreFailed={list.isFetchNextPageError}
        onLoadMore={() => void fetchNextPage()}
        onVisible={(devices) => follow(devices.map(rowId))}
        empty={empty}
      />
      {menu}
    </>
  );
};
