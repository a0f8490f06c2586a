import { describeError, hasCode } from '../api/api-error.ts';
import { retryLiveNow } from '../api/live/use-live.ts';
import { EmptyState } from '../ui/feedback/empty-state.tsx';
import { ErrorState } from '../ui/feedback/error-state.tsx';
import { LinkButton } from '../ui/controls/link.tsx';
import { paths } from '../paths.ts';

type Props = { error: unknown; onRetry?: () => void };

/** What a page, or a part of it, shows instead of data that could not be read. */
export const Failure = ({ error, onRetry }: Props) => {
  if (hasCode(error, 'insufficient-scope')) {
    return (
      <EmptyState title="You may not see this">
        {error.detail} Sign in with a key that holds that scope, or ask whoever manages the keys.
      </EmptyState>
    );
  }
  if (hasCode(error, 'not-found')) {
    return (
      <EmptyState
        title="Nothing is here"
        action={<LinkButton to={paths.overview}>Go to the overview</LinkButton>}
      >
        It was deleted, its address is wrong, or this session may not see it.
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
