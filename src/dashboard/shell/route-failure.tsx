import { useRouteError } from 'react-router-dom';
import { EmptyState } from '../ui/empty-state.tsx';
import { LinkButton } from '../ui/link.tsx';
import { paths } from '../paths.ts';
import { Failure } from './failure.tsx';

/** The files of this page are gone: the service was updated while the tab was open. */
const isMissingChunk = (error: unknown) =>
  error instanceof TypeError &&
  /dynamically imported module|module script|importing a module/i.test(error.message);

/** What a route shows when its page could not be loaded or drawn. */
export const RouteFailure = ({ isWhole = false }: { isWhole?: boolean }) => {
  const error = useRouteError();
  const shown = isMissingChunk(error)
    ? new Error(
        'The service may have been updated since this tab was opened. Try again loads the new version.',
      )
    : error;
  const body = (
    <div className="rounded-md border border-hairline bg-surface">
      <title>Error · Penstock</title>
      <Failure error={shown} onRetry={() => window.location.reload()} />
    </div>
  );
  return isWhole ? <main className="mx-auto max-w-200 p-6">{body}</main> : body;
};

export const NotFoundPage = () => (
  <div className="rounded-md border border-hairline bg-surface">
    <title>Not found · Penstock</title>
    <EmptyState
      title="There is no such page"
      action={<LinkButton to={paths.overview}>Go to the overview</LinkButton>}
    >
      The address may be mistyped, or from a version that is no longer installed.
    </EmptyState>
  </div>
);
