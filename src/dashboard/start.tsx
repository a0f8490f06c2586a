import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { basePath } from './api/session.ts';
import { describeError, hasCode } from './api/api-error.ts';
import { signIn, takeSignInToken } from './api/sign-in.ts';
import { App } from './app/app.tsx';
import { paths } from './paths.ts';
import { showScopes } from './resources/access/show-scopes.ts';
import { createAppRouter } from './routes.tsx';
import { applyTheme } from './ui/browser/theme.ts';

/** Exchanges the token of a sign-in link for a session. Returns what went wrong, if anything. A link works once. */
const signInByLink = async (token: string): Promise<string | null> => {
  try {
    await signIn(token, false);
    void showScopes();
    window.history.replaceState(null, '', basePath + paths.overview);
    return null;
  } catch (error) {
    window.history.replaceState(null, '', basePath + paths.signIn);
    return hasCode(error, 'token-expired', 'token-invalid', 'token-revoked')
      ? 'This sign-in link was already used or is older than 10 minutes. To create another, run “penstock signin” on the machine that runs Penstock.'
      : describeError(error).detail;
  }
};

export const start = async () => {
  applyTheme();
  const element = document.getElementById('root');
  if (element === null) throw new Error('index.html has no #root.');
  // Before the router reads the address: the token must not stay in it.
  const token = takeSignInToken();
  const signInProblem = token === null ? null : await signInByLink(token);
  createRoot(element).render(
    <StrictMode>
      <App router={createAppRouter({ signInProblem })} />
    </StrictMode>,
  );
};
