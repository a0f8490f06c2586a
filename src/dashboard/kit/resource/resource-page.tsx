import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { ellipsisIcon } from '../../ui/controls/ellipsis-icon.tsx';
import type { ReactNode } from 'react';
import { Button } from '../../ui/controls/button.tsx';
import { SearchInput } from '../../ui/controls/search-input.tsx';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { FoundCount } from '../../ui/table/found-count.tsx';
import { Menu } from '../../ui/overlays/menu.tsx';
import type { MenuItem } from '../../ui/overlays/menu-popup.tsx';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { DataTable } from '../../ui/table/data-table.tsx';
import { type DataTableProps, pagingProps } from '../../ui/table/data-table-props.ts';
import { Failure } from '../failure.tsx';
import type { ResourceAddress } from './use-resource-address.ts';

export type ResourceWords = {
  /** The page: “API keys”. */
  title: string;
  /** The name of one listed resource: “key”. */
  one: string;
  /** The button that creates one: “Create key”. */
  create: string;
  /** What a search leaves out, shown if it finds nothing. */
  notSearched?: string;
};

type Props<T> = {
  words: ResourceWords;
  address: ResourceAddress;
  list: UseInfiniteQueryResult<{ pages: readonly { total?: number | undefined }[] }>;
  /** The rows and how they are drawn. */
  table: Pick<DataTableProps<T>, 'columns' | 'rows' | 'rowMark' | 'rowActions' | 'empty'>;
  canCreate?: boolean;
  /** Beside the search. */
  filters?: ReactNode;
  /** Below the list: drawers and dialogs. */
  children?: ReactNode;
};

/** The page of a resource: a table of its items with count and search; an item opens in a drawer. */
export const ResourcePage = <T extends { id: string; name: string }>(props: Props<T>) => {
  const { words, address, list, table, canCreate = true, filters, children } = props;
  const { params, change } = address;
  const isSearched = address.filters.q !== undefined;
  const total = list.data?.pages[0]?.total;
  const isFailed = list.isError && list.data === undefined;
  return (
    <>
      <PageHeader
        title={words.title}
        aside={<FoundCount count={total} one={words.one} isFiltered={isSearched} />}
        actions={
          !isFailed &&
          canCreate && (
            <Button
              variant="primary"
              icon={<Plus aria-hidden className="size-4" />}
              onClick={() => address.create()}
            >
              {words.create}
            </Button>
          )
        }
      />
      {isFailed ? (
        <div className="rounded-md border border-hairline bg-surface">
          <Failure error={list.error} onRetry={() => void list.refetch()} />
        </div>
      ) : (
        <>
          {/* Also for an empty list: the list must not move when it has loaded. */}
          <div className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-2">
            <SearchInput
              label={`Search ${words.one}s`}
              placeholder="Name"
              value={params.get('q') ?? ''}
              onChange={(q) => change({ q }, { isTyped: true })}
              isSearching={list.isPending || list.isPlaceholderData}
              className="w-full md:w-72"
            />
            {filters}
          </div>
          <DataTable
            {...table}
            label={words.title}
            rowId={({ id }) => id}
            rowName={({ name }) => name}
            rowLink={({ id }) => address.linkOf(id)}
            sort={address.sort}
            onSort={address.onSort}
            total={total}
            {...pagingProps(list)}
            empty={
              isSearched ? (
                <EmptyState
                  title={`No matching ${words.one}s`}
                  action={<Button onClick={() => change({ q: '' })}>Clear search</Button>}
                >
                  {words.notSearched}
                </EmptyState>
              ) : (
                table.empty
              )
            }
          />
        </>
      )}
      {children}
    </>
  );
};

/** The menu of a row. */
export const RowMenu = ({ name, items }: { name: string; items: readonly MenuItem[] }) => (
  <Menu label={`Actions for ${name}`} appearance="icon" icon={ellipsisIcon} items={items} />
);

type NoItemsProps = {
  title: string;
  /** The button that creates the first item. */
  create: string;
  /** Left out: this session lacks `scope`. */
  onCreate: (() => void) | undefined;
  /** The scope that is needed to create an item. */
  scope: string;
  /** What the resource is for. */
  children: ReactNode;
};

/** Replaces the list while the resource has no items. */
export const NoItems = ({ title, create, onCreate, scope, children }: NoItemsProps) => (
  <EmptyState
    title={title}
    {...(onCreate !== undefined && {
      action: (
        <Button variant="primary" onClick={onCreate}>
          {create}
        </Button>
      ),
    })}
  >
    {children}
    {onCreate === undefined && ` You need ${scope} to add one.`}
  </EmptyState>
);
