import { useQuery } from '@tanstack/react-query';
import type { Destination } from '#contract/destinations.ts';
import { TELEMETRY } from '#contract/pipelines.ts';
import { destinationQueries } from './destination-queries.ts';
import { isSameDestination } from './is-same-destination.ts';

/** The destination that a pipeline names, the built-in store aside; undefined: it is not known, or not read yet. */
export const useDestinationNamed = (name: string | undefined): Destination | undefined => {
  const { data } = useQuery({
    ...destinationQueries.choices(),
    enabled: name !== undefined && !isSameDestination(name, TELEMETRY),
  });
  return data?.find((each) => name !== undefined && isSameDestination(each.name, name));
};
