import type { WebhookFilters } from '../../../api/webhook-queries.ts';
import type { Sort } from '../../../ui/data-table-props.ts';

const sorts = ['name', 'createdAt'] as const;

export const readSort = (params: URLSearchParams): Sort => {
  const text = params.get('sort') ?? '';
  const by = sorts.find((sort) => sort === text.replace(/^-/, ''));
  return by === undefined ? { by: 'name', isDescending: false } : { by, isDescending: text.startsWith('-') };
};

export const sortParam = ({ by, isDescending }: Sort): string => {
  const text = `${isDescending ? '-' : ''}${by}`;
  return text === 'name' ? '' : text;
};

/** Reads what the address asks for; what is not understood is left out. */
export const readFilters = (params: URLSearchParams): WebhookFilters => {
  const q = params.get('q')?.trim().slice(0, 200) ?? '';
  const { by, isDescending } = readSort(params);
  return { ...(q !== '' && { q }), sort: `${isDescending ? '-' : ''}${by as (typeof sorts)[number]}` };
};
