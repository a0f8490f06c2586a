import { paths, withQuery } from '../../paths.ts';
import { Link } from '../../ui/controls/link.tsx';
import { useQuery } from '@tanstack/react-query';
import type { Destination } from '#contract/destinations.ts';
import { TELEMETRY } from '#contract/pipelines.ts';
import { destinationQueries } from './destination-queries.ts';
import { isSameDestination } from './destination-state.tsx';

const choicesFor = (name: string | undefined) => ({
  ...destinationQueries.choices(),
  enabled: name !== undefined && !isSameDestination(name, TELEMETRY),
});

/** The external destination with a name; undefined if it is unknown or not loaded yet. */
export const useDestinationNamed = (name: string | undefined): Destination | undefined => {
  const { data } = useQuery(choicesFor(name));
  return data?.find((each) => name !== undefined && isSameDestination(each.name, name));
};

/** Whether the destination with a name is unknown because the first request for it has no response yet. */
export const useIsDestinationLoading = (name: string | undefined): boolean => {
  const { isLoading, failureCount } = useQuery(choicesFor(name));
  return isLoading && failureCount === 0;
};

/** The name of a destination, as a link if the destination is external. */
export const DestinationLink = ({ name }: { name: string }) => {
  const destination = useDestinationNamed(name);
  return destination === undefined ? (
    <span className="break-words">{name}</span>
  ) : (
    <Link to={withQuery(paths.destinations, { destination: destination.id })} className="break-words">
      {destination.name}
    </Link>
  );
};
