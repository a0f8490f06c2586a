import { useLocation, useNavigation, useSearchParams, type NavigateOptions } from 'react-router-dom';

type ChangeParams = (change: (old: URLSearchParams) => URLSearchParams, options?: NavigateOptions) => void;

/**
 * The query of the URL, or of the navigation that is under way: a filter shows as soon as it is clicked, and a second
 * click builds on the first.
 */
export const useQueryParams = (): [URLSearchParams, ChangeParams] => {
  const [params, setParams] = useSearchParams();
  const { pathname } = useLocation();
  const { location: next } = useNavigation();
  const latest = next?.pathname === pathname ? new URLSearchParams(next.search) : params;
  return [latest, (change, options) => setParams(change(latest), options)];
};
