import { useQuery } from '@tanstack/react-query';
import { lazy, useState } from 'react';
import { useHasRecordedChange } from '../api/recorded-change.ts';
import { sessionQueries } from '../api/session-queries.ts';
import { Optional } from '../ui/browser/optional.tsx';

const NameSessionNotice = lazy(async () => ({
  default: (await import('./name-session-notice.tsx')).NameSessionNotice,
}));

const DISMISSED = 'penstock.session-name-dismissed';

/** After the first recorded change, asks once for the name of a session without one. */
export const SessionName = () => {
  const { data: who } = useQuery(sessionQueries.who());
  const hasChanged = useHasRecordedChange();
  // Not asked again in this session, also after a reload.
  const [dismissed, setDismissed] = useState(() => sessionStorage.getItem(DISMISSED));
  if (!hasChanged || who?.kind !== 'session' || who.label !== null || dismissed === who.id) return null;
  return (
    <Optional>
      <NameSessionNotice
        onDismiss={() => {
          sessionStorage.setItem(DISMISSED, who.id);
          setDismissed(who.id);
        }}
      />
    </Optional>
  );
};
