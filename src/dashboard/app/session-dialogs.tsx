import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { useSession } from '../api/session.ts';
import { sessionQueries } from '../api/session-queries.ts';

const SignInAgain = lazy(async () => ({ default: (await import('./sign-in-again.tsx')).SignInAgain }));
const WhoIsThis = lazy(async () => ({ default: (await import('./who-is-this.tsx')).WhoIsThis }));

const PUT_OFF = 'penstock.who-put-off';

/** What the session asks of the operator: to sign in again where it ended, and to say who this is the first time. */
export const SessionDialogs = () => {
  const current = useSession();
  const { data: who } = useQuery({ ...sessionQueries.who(), enabled: current.status === 'active' });
  // Put off is put off for this session, also over a reload.
  const [putOff, setPutOff] = useState(() => sessionStorage.getItem(PUT_OFF));
  const [wasAsked, setWasAsked] = useState(false);
  const asksWho =
    current.status === 'active' && who?.kind === 'session' && who.label === null && putOff !== who.id;
  if (asksWho && !wasAsked) setWasAsked(true);
  return (
    <Suspense>
      {current.status === 'ended' && <SignInAgain code={current.code} />}
      {wasAsked && who !== undefined && (
        <WhoIsThis
          isOpen={asksWho}
          who={who}
          onClose={() => {
            sessionStorage.setItem(PUT_OFF, who.id);
            setPutOff(who.id);
          }}
        />
      )}
    </Suspense>
  );
};
