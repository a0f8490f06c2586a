import { lazy, Suspense, useState } from 'react';
import type { ApiKey } from '#contract/api-keys.ts';
import type { KeyAct } from './key-act.ts';

const KeyActDialog = lazy(async () => ({ default: (await import('./key-act-dialogs.tsx')).KeyActDialog }));

/** Renames, rotates or revokes a key in a dialog, which is dropped with what it held once it is gone. */
export const useKeyAct = (sessionKeyId: string | null) => {
  const [shown, setShown] = useState<{ act: KeyAct; apiKey: ApiKey; isOpen: boolean } | null>(null);
  return {
    start: (act: KeyAct, apiKey: ApiKey) => setShown({ act, apiKey, isOpen: true }),
    dialog: shown !== null && (
      <Suspense>
        <KeyActDialog
          {...shown}
          isThisSession={shown.apiKey.id === sessionKeyId}
          onClose={() => setShown((current) => current && { ...current, isOpen: false })}
          onClosed={() => setShown(null)}
        />
      </Suspense>
    ),
  };
};
