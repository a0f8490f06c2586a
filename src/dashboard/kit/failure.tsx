import { describeError, hasCode } from '../api/api-error.ts';
import { retryLiveNow } from '../api/live/use-live.ts';
import { EmptyState } from '../ui/feedback/empty-state.tsx';
import { ErrorState } from '../ui/feedback/error-state.tsx';
import { LinkButton } from '../ui/controls/link.tsx';
import { paths } from '../paths.ts';

type Props = { error: unknown; onRetry?: () => void };

/** Shown instead of data that failed to load. */
export const Failure = ({ error, onRetry }: Props) => {
  // Memoised, it would make every page larger.
  'use no memo';
  if (hasCode(error, 'insufficient-scope')) {
    const missing = error.fields.filter(({ code }) => code === 'missing-scope').map(({ detail }) => detail);
    return (
      <EmptyState title="You do not have access">
        {missing.length === 1 ? `Your key lacks ${missing[0]}.` : error.detail} Ask an administrator.
      </EmptyState>
    );
  }
  if (hasCode(error, 'not-found')) {
    return (
      <EmptyState title="Not found" action={<LinkButton to={paths.overview}>Go to Overview</LinkButton>}>
        The item was deleted, the address is wrong, or your key has no access to this item.
      </EmptyState>
    );
  }
  const retry =
    onRetry === undefined
      ? undefined
      : () => {
          if (hasCode(error, 'offline')) retryLiveNow();
          onRetry();
        };
  return <ErrorState {...describeError(error)} onRetry={retry} />;
};
