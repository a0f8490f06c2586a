import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useSearchParams } from 'react-router-dom';
import type { ApiKey } from '#contract/api-keys.ts';
import { apiKeyQueries } from '../../resources/access/api-key-queries.ts';
import { sessionQueries } from '../../api/session-queries.ts';
import { paths } from '../../paths.ts';
import { Failure } from '../../kit/failure.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { DataTable } from '../../ui/table/data-table.tsx';
import { plural } from '../../ui/format/format-number.ts';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { pagingProps } from '../../ui/table/paging-props.ts';
import { SearchInput } from '../../ui/controls/search-input.tsx';
import { Switch } from '../../ui/controls/switch.tsx';
import { withParams } from '../../ui/browser/with-params.ts';
import { apiKeyColumns } from './api-key-columns.tsx';
import { readFilters, readSort, showsRevoked, sortParam } from './api-key-filters.ts';
import { ApiKeyRowMenu } from './api-key-row-menu.tsx';
import { NoApiKeys } from './no-api-keys.tsx';
import { useKeyAct } from './use-key-act.tsx';

const NewApiKeyDrawer = lazy(async () => ({
  default: (await import('./new-api-key-drawer.tsx')).NewApiKeyDrawer,
}));
const ApiKeyDrawer = lazy(async () => ({ default: (await import('./api-key-drawer.tsx')).ApiKeyDrawer }));

/** Every key: what it may do, until when, when and from where it was last used. */
export const ApiKeysPage = () => {
  const [params, setParams] = useSearchParams();
  const filters = readFilters(params);
  const list = useInfiniteQuery(apiKeyQueries.list(filters));
  const { data: who } = useQuery(sessionQueries.who());
  const sessionKeyId = who?.key?.id ?? null;
  const { start, dialog } = useKeyAct(sessionKeyId);
  const rows = list.data?.pages.flatMap((page) => page.data) ?? [];
  const total = list.data?.pages[0]?.total;
  const isFailed = list.isError && list.data === undefined;

  const change = (changes: Record<string, string>, { replace = false } = {}) =>
    setParams(withParams(params, changes), { replace, preventScrollReset: true });
  const rowMenu = (key: ApiKey) => <ApiKeyRowMenu apiKey={key} onAct={(act) => start(act, key)} />;
  const isCreating = params.get('create') !== null;
  const [wasCreating, setWasCreating] = useState(isCreating);
  if (isCreating && !wasCreating) setWasCreating(true);
  const openKey = params.get('key');
  const [wasKeyOpen, setWasKeyOpen] = useState(openKey !== null);
  if (openKey !== null && !wasKeyOpen) setWasKeyOpen(true);

  return (
    <>
      <PageHeader
        title="API keys"
        aside={
          <output className="tabular text-muted">
            {total !== undefined && `${plural(total, 'key')}${filters.q === undefined ? '' : ' found'}`}
          </output>
        }
        actions={
          !isFailed && (
            <Button
              look="primary"
              icon={<Plus aria-hidden className="size-4" />}
              onClick={() => change({ create: 'new' })}
            >
              Create key
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
          <div className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-2">
            <SearchInput
              label="Search keys"
              placeholder="Name"
              value={params.get('q') ?? ''}
              onChange={(q) => change({ q }, { replace: true })}
              className="w-full md:w-72"
            />
            <Switch
              label="Show revoked"
              checked={showsRevoked(params)}
              onChange={(event) => change({ revoked: event.target.checked ? 'shown' : '' })}
            />
          </div>
          <DataTable
            label="API keys"
            columns={apiKeyColumns({
              sessionKeyId,
              replacedIds: new Set(rows.map(({ rotatedFrom }) => rotatedFrom)),
            })}
            rows={rows}
            rowId={(key) => key.id}
            rowName={(key) => key.name}
            rowLink={(key) => `${paths.apiKeys}?${withParams(params, { key: key.id })}`}
            rowMark={(key) => `${key.revokedAt} ${key.expiresAt} ${key.name}`}
            rowActions={rowMenu}
            sort={readSort(params)}
            onSort={(sort) => change({ sort: sortParam(sort) })}
            total={total}
            {...pagingProps(list)}
            empty={
              <NoApiKeys
                isSearched={filters.q !== undefined}
                onClear={() => change({ q: '' })}
                onCreate={() => change({ create: 'new' })}
              />
            }
          />
        </>
      )}
      <Suspense>
        {wasCreating && (
          <NewApiKeyDrawer
            isOpen={isCreating}
            onClose={() => change({ create: '' }, { replace: true })}
            onClosed={() => setWasCreating(false)}
          />
        )}
        {wasKeyOpen && (
          <ApiKeyDrawer
            keyId={openKey}
            sessionKeyId={sessionKeyId}
            onClose={() => change({ key: '' }, { replace: true })}
          />
        )}
      </Suspense>
      {dialog}
    </>
  );
};
