import { useQuery } from '@tanstack/react-query';
import { lazy, useState } from 'react';
import { useHasRecordedChange } from '../api/recorded-change.ts';
import { sessionQueries } from '../api/session-queries.ts';
import { Optional } from '../ui/browser/optional.tsx';

const SessionNameNotice = lazy(async () => ({
  default: (await import('./session-name-form.tsx')).SessionNameNotice,
}));

const DISMISSED = 'penstock.session-name-dismissed';

/** After the first recorded change, asks once for the name of a session without one. */
export const SessionNamePrompt = () => {
  const { data: who } = useQuery(sessionQueries.who());
  const hasChanged = useHasRecordedChange();
  // Not asked again in this session, also after a reload.
  const [dismissed, setDismissed] = useState(() => sessionStorage.getItem(DISMISSED));
  if (!hasChanged || who?.kind !== 'session' || who.label !== null || dismissed === who.id) return null;
  return (
    <Optional>
      <SessionNameNotice
        onDismiss={() => {
          sessionStorage.setItem(DISMISSED, who.id);
          setDismissed(who.id);
        }}
      />
    </Optional>
  );
};
