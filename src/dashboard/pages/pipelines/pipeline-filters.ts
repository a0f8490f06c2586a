import { pipelineListQuery, pipelineSorts, pipelineStates } from '#contract/pipelines.ts';
import type { PipelineFilters } from '../../api/pipeline-queries.ts';
import type { Sort } from '../../ui/data-table-props.ts';

const DEFAULT_SORT: Sort = { by: 'name', isDescending: false };

const filterSchema = pipelineListQuery.pick({ q: true, type: true });

/** Reads the filters that the address holds; what is not one is left out, so that an old link still shows something. */
export const readFilters = (params: URLSearchParams): PipelineFilters => {
  const { q = '', type = [] } =
    filterSchema.safeParse({ q: params.get('q')?.trim() ?? '', type: params.getAll('type') }).data ?? {};
  const state = pipelineStates.filter((state) => params.getAll('state').includes(state));
  const { by, isDescending } = readSort(params);
  return {
    ...(q !== '' && { q }),
    ...(state.length > 0 && { state }),
    ...(type.length > 0 && { type }),
    sort: `${isDescending ? '-' : ''}${by as (typeof pipelineSorts)[number]}`,
  };
};

export const readSort = (params: URLSearchParams): Sort => {
  const text = params.get('sort') ?? '';
  const by = pipelineSorts.find((sort) => sort === text.replace(/^-/, ''));
  return by === undefined ? DEFAULT_SORT : { by, isDescending: text.startsWith('-') };
};

export const isFiltered = ({ q, state, type }: PipelineFilters): boolean =>
  [q, state, type].some((filter) => filter !== undefined);

export const sortParam = ({ by, isDescending }: Sort): string => {
  const text = `${isDescending ? '-' : ''}${by}`;
  return text === DEFAULT_SORT.by ? '' : text;
};
