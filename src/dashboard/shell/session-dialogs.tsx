import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { useSession } from '../api/session.ts';
import { sessionQueries } from '../api/session-queries.ts';

const SignInAgain = lazy(async () => ({ default: (await import('./sign-in-again.tsx')).SignInAgain }));
const WhoIsThis = lazy(async () => ({ default: (await import('./who-is-this.tsx')).WhoIsThis }));

/** What the session asks of the operator: to sign in again where it ended, and to say who this is the first time. */
export const SessionDialogs = () => {
  const current = useSession();
  const { data: who } = useQuery({ ...sessionQueries.who(), enabled: current.status === 'active' });
  const [isPutOff, setIsPutOff] = useState(false);
  const [wasAsked, setWasAsked] = useState(false);
  const asksWho = current.status === 'active' && who?.kind === 'session' && who.label === null && !isPutOff;
  if (asksWho && !wasAsked) setWasAsked(true);
  return (
    <Suspense>
      {current.status === 'ended' && <SignInAgain code={current.code} />}
      {wasAsked && who !== undefined && (
        <WhoIsThis isOpen={asksWho} who={who} onClose={() => setIsPutOff(true)} />
      )}
    </Suspense>
  );
};
