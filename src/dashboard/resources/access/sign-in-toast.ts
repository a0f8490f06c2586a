import { queryClient } from '../../api/query-client.ts';
import { sessionQueries } from '../../api/session-queries.ts';
import { showToast } from '../../ui/feedback/toast.ts';
import { describeScopes } from './describe-scopes.ts';

/** Shows what the new session can do. */
export const showSignInToast = async (): Promise<void> => {
  const { key, scopes, devices } = await queryClient.fetchQuery(sessionQueries.who());
  showToast({
    title: key === null ? 'Signed in' : `Signed in with the key ${key.name}`,
    detail: describeScopes(scopes, devices),
    key: 'sign-in',
  });
};
