import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useSearchParams } from 'react-router-dom';
import type { Pipeline } from '#contract/pipelines.ts';
import { pipelineQueries } from '../../api/pipeline-queries.ts';
import { useMay } from '../../api/session-queries.ts';
import { paths } from '../../paths.ts';
import { Failure } from '../../shell/failure.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { plural } from '../../ui/format-number.ts';
import { LinkButton } from '../../ui/link.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { pagingProps } from '../../ui/paging-props.ts';
import { withParams } from '../../ui/with-params.ts';
import { NoPipelines } from './no-pipelines.tsx';
import { PauseButton } from './pause-button.tsx';
import { pipelineColumns } from './pipeline-columns.tsx';
import { isFiltered, readFilters, readSort, sortParam } from './pipeline-filters.ts';
import { PipelinesToolbar } from './pipelines-toolbar.tsx';
import { useRefreshed, useThroughput } from './throughput.ts';

const rowActions = (pipeline: Pipeline) => <PauseButton pipeline={pipeline} />;

/** All pipelines: whether they work, and what became of every value that they took in. */
export const PipelinesPage = () => {
  const [params, setParams] = useSearchParams();
  const filters = readFilters(params);
  const list = useInfiniteQuery(pipelineQueries.list(filters));
  const { data: types } = useQuery(pipelineQueries.types());
  const rows = list.data?.pages.flatMap((page) => page.data) ?? [];
  const total = list.data?.pages[0]?.total;
  const mayWrite = useMay('pipelines:write');
  useThroughput(rows, list.dataUpdatedAt);
  useRefreshed(list.refetch);

  const change = (name: string, values: readonly string[]) =>
    setParams((old) => withParams(old, { [name]: values }), {
      replace: name === 'q',
      preventScrollReset: name !== 'sort',
    });
  const clearChips = () => setParams((old) => withParams(old, { type: [], destination: [] }));

  return (
    <>
      <PageHeader
        title="Pipelines"
        aside={
          <output className="tabular text-muted">
            {total !== undefined && `${plural(total, 'pipeline')}${isFiltered(filters) ? ' found' : ''}`}
          </output>
        }
        actions={
          mayWrite && (
            <LinkButton look="primary" to={paths.newPipeline} icon={<Plus aria-hidden className="size-4" />}>
              New pipeline
            </LinkButton>
          )
        }
      />
      <PipelinesToolbar
        params={params}
        filters={filters}
        types={types?.data ?? []}
        onChange={change}
        onClear={clearChips}
      />
      {list.isError && list.data === undefined ? (
        <div className="rounded-md border border-hairline bg-surface">
          <Failure error={list.error} onRetry={() => void list.refetch()} />
        </div>
      ) : (
        <DataTable
          label="Pipelines"
          columns={pipelineColumns(types?.data ?? [])}
          rows={rows}
          rowId={(pipeline) => pipeline.id}
          rowName={(pipeline) => pipeline.name}
          rowLink={(pipeline) => paths.pipeline(pipeline.id)}
          rowMark={(pipeline) => pipeline.state}
          rowActions={rowActions}
          sort={readSort(params)}
          onSort={(sort) => change('sort', [sortParam(sort)])}
          total={total}
          {...pagingProps(list)}
          empty={
            <NoPipelines isFiltered={isFiltered(filters)} onClear={() => setParams({})} mayWrite={mayWrite} />
          }
        />
      )}
    </>
  );
};
