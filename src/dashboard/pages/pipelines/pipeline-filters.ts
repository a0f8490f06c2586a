import { pipelineListQuery, pipelineSorts } from '#contract/pipelines.ts';
import { pipelineStates } from '#contract/pipeline-state.ts';
import { type PipelineFilters, pipelineQueries } from '../../resources/pipelines/pipeline-queries.ts';
import { sortInAddress } from '../../kit/resource/list-address.ts';
import type { LoaderFunctionArgs } from 'react-router-dom';
import { queryClient } from '../../api/query-client.ts';

const order = sortInAddress(pipelineSorts, 'name');
export const { readSort, sortParam } = order;

const filterSchema = pipelineListQuery.pick({ q: true, type: true, destination: true });

/** Reads the filters in the URL. Unknown values are ignored, so that an old link still works. */
export const readFilters = (params: URLSearchParams): PipelineFilters => {
  const {
    q = '',
    type = [],
    destination = '',
  } = filterSchema.safeParse({
    q: params.get('q')?.trim() ?? '',
    type: params.getAll('type'),
    destination: params.get('destination')?.trim() ?? '',
  }).data ?? {};
  const state = pipelineStates.filter((state) => params.getAll('state').includes(state));
  return {
    ...(q !== '' && { q }),
    ...(state.length > 0 && { state }),
    ...(type.length > 0 && { type }),
    ...(destination !== '' && { destination }),
    sort: order.sortOf(params),
  };
};

export const isFiltered = ({ q, state, type, destination }: PipelineFilters): boolean =>
  [q, state, type, destination].some((filter) => filter !== undefined);

export const pipelinesLoader = ({ request }: LoaderFunctionArgs) => {
  const { searchParams } = new URL(request.url);
  void queryClient.prefetchInfiniteQuery(pipelineQueries.list(readFilters(searchParams)));
  void queryClient.prefetchQuery(pipelineQueries.types());
  return null;
};
