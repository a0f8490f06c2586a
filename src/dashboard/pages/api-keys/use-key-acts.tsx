import { lazy, Suspense } from 'react';
import type { ApiKey } from '#contract/api-keys.ts';
import { useDialog } from '../../kit/confirm/use-dialog.ts';
import { useRevokeKey } from './use-revoke-key.tsx';

const RenameKeyDialog = lazy(async () => ({
  default: (await import('./rename-key-dialog.tsx')).RenameKeyDialog,
}));
const RotateKeyDialog = lazy(async () => ({
  default: (await import('./rotate-key-dialog.tsx')).RotateKeyDialog,
}));

/** What is done to a key, each in a dialog of its own. */
export type KeyAct = 'rename' | 'rotate' | 'revoke';

/** Renames, rotates or revokes a key. What ends the key of this session ends the session. */
export const useKeyActs = (sessionKeyId: string | null) => {
  const { subject, open, state } = useDialog<{ act: 'rename' | 'rotate'; apiKey: ApiKey }>();
  const revocation = useRevokeKey(sessionKeyId);
  return {
    start: (act: KeyAct, apiKey: ApiKey) =>
      act === 'revoke' ? revocation.ask(apiKey) : open({ act, apiKey }),
    dialog: (
      <>
        {subject !== null && (
          <Suspense>
            {subject.act === 'rename' ? (
              <RenameKeyDialog apiKey={subject.apiKey} state={state} />
            ) : (
              <RotateKeyDialog
                apiKey={subject.apiKey}
                isThisSession={subject.apiKey.id === sessionKeyId}
                state={state}
              />
            )}
          </Suspense>
        )}
        {revocation.dialog}
      </>
    ),
  };
};
