/** Shows the scopes of the new session. They are in the account menu too, so a failure is not shown. */
export const showScopes = (): Promise<void> =>
  import('./sign-in-toast.ts').then(({ showSignInToast }) => showSignInToast()).catch(() => undefined);
