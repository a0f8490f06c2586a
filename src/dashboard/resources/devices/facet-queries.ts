import { queryOptions } from '@tanstack/react-query';
import { devicesApi, FACET_DEVICES } from '#contract/devices.ts';
import type { QueryOf } from '#contract/endpoint.ts';
import { call } from '../../api/client.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { formatCount } from '../../ui/format/format-number.ts';

export type FacetQuery = QueryOf<typeof devicesApi.facets>;

/** For counts that are not complete. */
export const incompleteCounts = `Counts cover ${formatCount(FACET_DEVICES)} of the matching devices.`;

/** Counts are not part of the stream. The service stores those without filters other than the state. */
const STORED_COUNTS_MS = 5_000;
/** Other counts read all matching devices. */
const FILTERED_COUNTS_MS = 30_000;

const isStored = ({ q, type, tag, silentFor, withoutTag }: FacetQuery): boolean =>
  [q, type, tag, silentFor, withoutTag].every((filter) => filter === undefined);

/** The number of devices for each value of a property. */
export const facetQuery = (query: FacetQuery) =>
  queryOptions({
    queryKey: [...queryKeys.devices, 'facets', query] as const,
    queryFn: ({ signal }) => call(devicesApi.facets, { query, signal }),
    // Values of another property must not be offered as values of this one.
    placeholderData: (earlier, earlierQuery) =>
      earlierQuery?.queryKey[2]?.by === query.by ? earlier : undefined,
    refetchInterval: isStored(query) ? STORED_COUNTS_MS : FILTERED_COUNTS_MS,
    staleTime: 2_000,
  });
