import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Plus, Pause, Play } from 'lucide-react';
import { lazy, Suspense, useMemo } from 'react';
import { Optional } from '../../ui/browser/optional.tsx';
import { useQueryParams } from '../../ui/browser/query-params.ts';
import type { Pipeline } from '#contract/pipelines.ts';
import { pipelineQueries } from '../../resources/pipelines/pipeline-queries.ts';
import { useHasScope } from '../../api/session-queries.ts';
import { paths } from '../../paths.ts';
import { Failure } from '../../kit/failure.tsx';
import { DataTable } from '../../ui/table/data-table.tsx';
import { FoundCount } from '../../ui/table/found-count.tsx';
import { LinkButton } from '../../ui/controls/link.tsx';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { pagingProps } from '../../ui/table/data-table-props.ts';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';
import { Tabs } from '../../ui/controls/tabs.tsx';
import { useSteadyOrder } from '../../ui/browser/steady-order.ts';
import { withParams } from '../../ui/browser/with-params.ts';
import { pipelineColumns } from './pipeline-columns.tsx';
import { isFiltered, readFilters, readSort, sortParam } from './pipeline-filters.ts';
import { PipelinesToolbar } from './pipelines-toolbar.tsx';
import { useRefreshed, useThroughput } from '../../resources/pipelines/throughput.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { usePause } from '../../resources/pipelines/use-pause.ts';
import { loadedItems } from '../../api/paged-list.ts';

const UnroutedPanel = lazy(async () => ({ default: (await import('./unrouted-panel.tsx')).UnroutedPanel }));

const UnroutedCount = lazy(async () => ({ default: (await import('./unrouted-count.tsx')).UnroutedCount }));

const NoPipelines = lazy(async () => ({ default: (await import('./no-pipelines.tsx')).NoPipelines }));

const UNROUTED = 'unrouted';

const rowActions = (pipeline: Pipeline) => <PauseButton key={pipeline.id} pipeline={pipeline} />;

/** All pipelines: their states and their ledgers. */
export const PipelinesPage = () => {
  // Its memoised form is larger, and it renders with each change of its list anyway.
  'use no memo';
  const [params, setParams] = useQueryParams();
  const filters = readFilters(params);
  const list = useInfiniteQuery(pipelineQueries.list(filters));
  const { data: types } = useQuery(pipelineQueries.types());
  const found = useMemo(() => loadedItems(list.data), [list.data]);
  const rows = useSteadyOrder(found, {
    idOf: ({ id }) => id,
    list: list.isPlaceholderData ? '' : String(params),
  });
  const total = list.data?.pages[0]?.total;
  const canRead = useHasScope('pipelines:read');
  const canWrite = useHasScope('pipelines:write');
  useThroughput(rows, list.dataUpdatedAt);
  useRefreshed(list.refetch);

  const change = (name: string, values: readonly string[]) =>
    setParams((old) => withParams(old, { [name]: values }), {
      isTyped: name === 'q',
      preventScrollReset: name !== 'sort',
    });
  const clearChips = () => setParams((old) => withParams(old, { state: [], type: [], destination: [] }));

  const failure = list.isError && list.data === undefined && (
    <div className="rounded-md border border-hairline bg-surface">
      <Failure error={list.error} onRetry={() => void list.refetch()} />
    </div>
  );
  const pipelines = (
    <>
      <PipelinesToolbar
        params={params}
        filters={filters}
        types={types?.data ?? []}
        onChange={change}
        onClear={clearChips}
        isSearching={list.isPending || list.isPlaceholderData}
      />
      {failure || (
        <DataTable
          label="Pipelines"
          columns={pipelineColumns(types?.data ?? [])}
          rows={rows}
          rowId={(pipeline) => pipeline.id}
          rowName={(pipeline) => pipeline.name}
          rowLink={(pipeline) => paths.pipeline(pipeline.id)}
          rowMark={({ state, updatedAt }) => `${state} ${updatedAt}`}
          rowActions={rowActions}
          sort={readSort(params)}
          onSort={(sort) => change('sort', [sortParam(sort)])}
          total={total}
          {...pagingProps(list)}
          empty={
            <Suspense>
              <NoPipelines
                isFiltered={isFiltered(filters)}
                onClear={() => setParams(() => new URLSearchParams())}
                canWrite={canWrite}
              />
            </Suspense>
          }
        />
      )}
    </>
  );

  return (
    <>
      <PageHeader
        title="Pipelines"
        aside={<FoundCount count={total} one="pipeline" isFiltered={isFiltered(filters)} />}
        actions={
          canWrite && (
            <LinkButton
              variant="primary"
              to={paths.newPipeline}
              icon={<Plus aria-hidden className="size-4" />}
            >
              New pipeline
            </LinkButton>
          )
        }
      />
      {canRead ? (
        <Tabs
          label="Views"
          value={params.get('view') === UNROUTED ? UNROUTED : 'pipelines'}
          // The filters of one view do not apply to the other.
          onChange={(view) => setParams(() => new URLSearchParams(view === UNROUTED ? { view } : {}))}
          tabs={[
            { value: 'pipelines', label: 'Pipelines', content: pipelines },
            {
              value: UNROUTED,
              label: (
                <>
                  Unrouted messages{' '}
                  <Optional>
                    <UnroutedCount />
                  </Optional>
                </>
              ),
              content: (
                <Suspense fallback={<Skeleton className="h-24" />}>
                  <UnroutedPanel />
                </Suspense>
              ),
            },
          ]}
        />
      ) : (
        failure
      )}
    </>
  );
};

/** Pauses or resumes from the row. A draft does not run, so there is nothing to pause. */
const PauseButton = ({ pipeline }: { pipeline: Pipeline }) => {
  const canWrite = useHasScope('pipelines:write');
  const { setEnabled, isPending } = usePause();
  if (!canWrite || pipeline.state === 'draft') return null;
  const { enabled, name } = pipeline;
  return (
    <IconButton
      label={enabled ? `Pause ${name}` : `Resume ${name}`}
      icon={enabled ? <Pause aria-hidden /> : <Play aria-hidden />}
      aria-disabled={isPending || undefined}
      onClick={() => {
        if (!isPending) void setEnabled(pipeline, !enabled);
      }}
    />
  );
};
