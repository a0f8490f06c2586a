/** Shows the scopes of the session after a sign-in. They are in the account menu too, so a failure is not shown. */
export const announceSignIn = (): void => {
  void import('./sign-in-toast.ts').then(({ showSignInToast }) => showSignInToast()).catch(() => undefined);
};
