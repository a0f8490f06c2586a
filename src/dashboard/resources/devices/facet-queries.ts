import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { devicesApi } from '#contract/devices.ts';
import type { QueryOf } from '#contract/endpoint.ts';
import { call } from '../../api/client.ts';
import { queryKeys } from '../../api/query-keys.ts';

export type FacetQuery = QueryOf<typeof devicesApi.facets>;

/** Counts are not part of the stream. */
const COUNTS_MS = 5_000;

/** The number of devices for each value of a property. */
export const facetQuery = (query: FacetQuery) =>
  queryOptions({
    queryKey: [...queryKeys.devices, 'facets', query],
    queryFn: ({ signal }) => call(devicesApi.facets, { query, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: COUNTS_MS,
    staleTime: 2_000,
  });
