import { lazy, Suspense } from 'react';
import { useSession } from '../api/session.ts';

const SignInAgain = lazy(async () => ({ default: (await import('./sign-in-again.tsx')).SignInAgain }));

/** Asks to sign in again where the session ended. */
export const SessionDialogs = () => {
  const current = useSession();
  return <Suspense>{current.status === 'ended' && <SignInAgain code={current.code} />}</Suspense>;
};
