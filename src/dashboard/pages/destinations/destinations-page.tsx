import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useSearchParams } from 'react-router-dom';
import type { Destination } from '#contract/destinations.ts';
import { destinationQueries } from '../../resources/destinations/destination-queries.ts';
import { useMay } from '../../api/session-queries.ts';
import { builtInFirst } from '../../resources/destinations/destination-state.tsx';
import { paths } from '../../paths.ts';
import { Failure } from '../../kit/failure.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { DataTable } from '../../ui/table/data-table.tsx';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { plural } from '../../ui/format/format-number.ts';
import { useOnceTrue } from '../../ui/browser/once-true.ts';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { pagingProps } from '../../ui/table/paging-props.ts';
import { SearchInput } from '../../ui/controls/search-input.tsx';
import { withParams } from '../../ui/browser/with-params.ts';
import type { DestinationAct } from './destination-act.ts';
import { destinationColumns } from './destination-columns.tsx';
import { readFilters, readSort, sortParam } from './destination-filters.ts';
import { DestinationMenu } from './destination-menu.tsx';
import { OnlyBuiltIn } from './only-built-in.tsx';
import { useDestinationTest } from './use-destination-test.ts';

const DestinationFormDrawer = lazy(async () => ({
  default: (await import('../../resources/destinations/destination-form-drawer.tsx')).DestinationFormDrawer,
}));
const DestinationDrawer = lazy(async () => ({
  default: (await import('./destination-drawer.tsx')).DestinationDrawer,
}));
const DeleteDestinationDialog = lazy(async () => ({
  default: (await import('./delete-destination-dialog.tsx')).DeleteDestinationDialog,
}));

/** Where values of pipelines go, and whether they get there. */
export const DestinationsPage = () => {
  const [params, setParams] = useSearchParams();
  const filters = readFilters(params);
  const list = useInfiniteQuery(destinationQueries.list(filters));
  const { data: types = [] } = useQuery(destinationQueries.types());
  const rows = builtInFirst(list.data?.pages.flatMap((page) => page.data) ?? []);
  const total = list.data?.pages[0]?.total;
  const isFailed = list.isError && list.data === undefined;
  const isSearched = filters.q !== undefined;
  const mayWrite = useMay('pipelines:write');
  const test = useDestinationTest();
  const [deletion, setDeletion] = useState<{ destination: Destination; isOpen: boolean } | null>(null);

  const change = (changes: Record<string, string>, { replace = false } = {}) =>
    setParams((old) => withParams(old, changes), { replace, preventScrollReset: true });
  const create = () => change({ create: 'new' });
  const act = (name: DestinationAct, destination: Destination) => {
    if (name === 'test') {
      test.start(destination.id);
      change({ destination: destination.id });
    } else if (name === 'edit') {
      // What came of a test is not of what it will be.
      test.stop();
      change({ edit: destination.id });
    } else setDeletion({ destination, isOpen: true });
  };
  const rowMenu = (destination: Destination) => (
    <DestinationMenu destination={destination} onAct={(name) => act(name, destination)} />
  );

  const editedId = params.get('edit');
  const isFormOpen = mayWrite && (params.get('create') !== null || editedId !== null);
  const [hasForm, setHasForm] = useState(isFormOpen);
  if (isFormOpen && !hasForm) setHasForm(true);
  const openId = params.get('destination');
  const wasOpen = useOnceTrue(openId !== null);
  // One at a time: the form and the question take the place of what they are about, and give it back.
  const shownId = isFormOpen || deletion?.isOpen === true ? null : openId;

  return (
    <>
      <PageHeader
        title="Destinations"
        aside={
          <output className="tabular text-muted">
            {total !== undefined && `${plural(total, 'destination')}${isSearched ? ' found' : ''}`}
          </output>
        }
        actions={
          !isFailed &&
          mayWrite && (
            <Button look="primary" icon={<Plus aria-hidden className="size-4" />} onClick={create}>
              Add destination
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
          {((total ?? 2) > 1 || isSearched) && (
            <SearchInput
              label="Search destinations"
              placeholder="Name"
              value={params.get('q') ?? ''}
              onChange={(q) => change({ q }, { replace: true })}
              className="mb-3 w-full md:w-72"
            />
          )}
          <DataTable
            label="Destinations"
            columns={destinationColumns(types, rows)}
            rows={rows}
            rowId={({ id }) => id}
            rowName={({ name }) => name}
            rowLink={({ id }) => `${paths.destinations}?${withParams(params, { destination: id })}`}
            rowMark={({ state, name, url }) => `${state} ${name} ${url}`}
            rowActions={mayWrite ? rowMenu : undefined}
            sort={readSort(params)}
            onSort={(sort) => change({ sort: sortParam(sort) })}
            total={total}
            {...pagingProps(list)}
            empty={
              <EmptyState
                title="No destination is called that"
                action={<Button onClick={() => change({ q: '' })}>Clear the search</Button>}
              />
            }
          />
          {!isSearched && total === 1 && <OnlyBuiltIn {...(mayWrite && { onCreate: create })} />}
          {!mayWrite && total !== undefined && total > 1 && (
            <p className="mt-3 text-sm text-muted">
              To add or change destinations takes the scope pipelines:write, which this session does not hold.
            </p>
          )}
        </>
      )}
      <Suspense>
        {hasForm && (
          <DestinationFormDrawer
            isOpen={isFormOpen}
            destinationId={editedId}
            // To test a new one comes next.
            onClose={(created) =>
              change(
                { create: '', edit: '', ...(created !== null && { destination: created.id }) },
                { replace: true },
              )
            }
            onClosed={() => setHasForm(false)}
          />
        )}
        {wasOpen && (
          <DestinationDrawer
            destinationId={shownId}
            types={types}
            test={test}
            onAct={act}
            onClose={() => change({ destination: '' }, { replace: true })}
          />
        )}
        {deletion !== null && (
          <DeleteDestinationDialog
            {...deletion}
            onClose={() => setDeletion((current) => current && { ...current, isOpen: false })}
            onClosed={() => setDeletion(null)}
            onDeleted={() => change({ destination: '' }, { replace: true })}
          />
        )}
      </Suspense>
    </>
  );
};
