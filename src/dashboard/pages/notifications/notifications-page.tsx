import { useInfiniteQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useSearchParams } from 'react-router-dom';
import type { Webhook } from '#contract/webhooks.ts';
import { useMay } from '../../api/session-queries.ts';
import { useTestWebhook, webhookQueries } from '../../resources/webhooks/webhook-queries.ts';
import { paths } from '../../paths.ts';
import { Failure } from '../../kit/failure.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { DataTable } from '../../ui/table/data-table.tsx';
import { plural } from '../../ui/format/format-number.ts';
import { useOnceTrue } from '../../ui/browser/once-true.ts';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { pagingProps } from '../../ui/table/paging-props.ts';
import { SearchInput } from '../../ui/controls/search-input.tsx';
import { withParams } from '../../ui/browser/with-params.ts';
import { NoWebhooks } from './no-webhooks.tsx';
import { useFreshWebhooks } from './use-fresh-webhooks.ts';
import { useWebhookActs } from './use-webhook-acts.tsx';
import type { WebhookAct } from './webhook-act.ts';
import { webhookColumns } from './webhook-columns.tsx';
import { readFilters, readSort, sortParam } from './webhook-filters.ts';
import { WebhookMenu } from './webhook-menu.tsx';

const WebhookFormDrawer = lazy(async () => ({
  default: (await import('./webhook-form-drawer.tsx')).WebhookFormDrawer,
}));
const WebhookDrawer = lazy(async () => ({ default: (await import('./webhook-drawer.tsx')).WebhookDrawer }));

/** Who is told of what, over which address, and whether it got there. */
export const NotificationsPage = () => {
  const [params, setParams] = useSearchParams();
  const filters = readFilters(params);
  const list = useInfiniteQuery(webhookQueries.list(filters));
  const rows = list.data?.pages.flatMap((page) => page.data) ?? [];
  const total = list.data?.pages[0]?.total;
  const isFailed = list.isError && list.data === undefined;
  const mayWrite = useMay('devices:write');
  const test = useTestWebhook();

  const change = (changes: Record<string, string>, { replace = false } = {}) =>
    setParams((old) => withParams(old, changes), { replace, preventScrollReset: true });
  const { ask, pauseOrResume, dialog } = useWebhookActs(() => change({ webhook: '' }, { replace: true }));
  useFreshWebhooks(rows);
  const create = () => change({ create: 'new' });
  const act = (name: WebhookAct, webhook: Webhook) => {
    if (name === 'test') {
      test.mutate(webhook.id);
      change({ webhook: webhook.id });
    } else if (name === 'edit') change({ edit: webhook.id });
    else if (name === 'pause') pauseOrResume(webhook);
    else ask(name, webhook);
  };

  const rowMenu = (webhook: Webhook) => (
    <WebhookMenu webhook={webhook} onAct={(name) => act(name, webhook)} />
  );

  const editedId = params.get('edit');
  const isFormOpen = params.get('create') !== null || editedId !== null;
  const [hasForm, setHasForm] = useState(isFormOpen);
  if (isFormOpen && !hasForm) setHasForm(true);
  const openId = params.get('webhook');
  const wasOpen = useOnceTrue(openId !== null);
  // One drawer at a time: the form takes the place of what it is about, and gives it back.
  const shownId = isFormOpen ? null : openId;

  return (
    <>
      <PageHeader
        title="Notifications"
        aside={
          <output className="tabular text-muted">
            {total !== undefined && `${plural(total, 'webhook')}${filters.q === undefined ? '' : ' found'}`}
          </output>
        }
        actions={
          !isFailed &&
          mayWrite && (
            <Button look="primary" icon={<Plus aria-hidden className="size-4" />} onClick={create}>
              Add webhook
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
          {(total !== 0 || filters.q !== undefined) && (
            <SearchInput
              label="Search webhooks"
              placeholder="Name"
              value={params.get('q') ?? ''}
              onChange={(q) => change({ q }, { replace: true })}
              className="mb-3 w-full md:w-72"
            />
          )}
          <DataTable
            label="Webhooks"
            columns={webhookColumns}
            rows={rows}
            rowId={(webhook) => webhook.id}
            rowName={(webhook) => webhook.name}
            rowLink={(webhook) => `${paths.notifications}?${withParams(params, { webhook: webhook.id })}`}
            rowMark={({ state, name, url }) => `${state} ${name} ${url}`}
            rowActions={mayWrite ? rowMenu : undefined}
            sort={readSort(params)}
            onSort={(sort) => change({ sort: sortParam(sort) })}
            total={total}
            {...pagingProps(list)}
            empty={
              <NoWebhooks
                isSearched={filters.q !== undefined}
                onClear={() => change({ q: '' })}
                {...(mayWrite && { onCreate: create })}
              />
            }
          />
        </>
      )}
      <Suspense>
        {hasForm && (
          <WebhookFormDrawer
            isOpen={isFormOpen}
            webhookId={editedId}
            // To test a new one comes next.
            onClose={(createdId) =>
              change(
                { create: '', edit: '', ...(createdId !== null && { webhook: createdId }) },
                { replace: true },
              )
            }
            onClosed={() => setHasForm(false)}
          />
        )}
        {wasOpen && (
          <WebhookDrawer
            webhookId={shownId}
            test={test}
            onAct={act}
            onClose={() => change({ webhook: '' }, { replace: true })}
          />
        )}
      </Suspense>
      {dialog}
    </>
  );
};
