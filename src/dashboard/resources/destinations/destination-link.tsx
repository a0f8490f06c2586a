import { paths, withQuery } from '../../paths.ts';
import { Link } from '../../ui/controls/link.tsx';
import { useDestinationNamed } from './use-destination-named.ts';

/** The name of a destination, leading to it where there is one elsewhere. */
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
