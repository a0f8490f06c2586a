import { Suspense } from 'react';
import type { ApiKey } from '#contract/api-keys.ts';
import { useDialog } from '../../kit/confirm/use-dialog.ts';
import { useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useConfirm } from '../../kit/confirm/use-confirm.tsx';
import { apiKeyQueries, useRevokeApiKey } from '../../resources/access/api-key-queries.ts';
import { eventQueries } from '../../resources/events/event-queries.ts';
import { nowMs } from '../../ui/browser/clock.ts';
import { showToast } from '../../ui/feedback/toast.ts';
import { formatCount, plural } from '../../ui/format/format-number.ts';
import { KeyValueList } from '../../ui/layout/key-value-list.tsx';
import { KeyHint, LastUse } from './api-key-columns.tsx';
import { lazyDialog } from '../../ui/overlays/lazy-popup.tsx';

const RenameKeyDialog = lazyDialog(async () => (await import('./rename-key-dialog.tsx')).RenameKeyDialog);
const RotateKeyDialog = lazyDialog(async () => (await import('./key-secret.tsx')).RotateKeyDialog);

/** The actions on a key; each opens a dialog. */
export type KeyAction = 'rename' | 'rotate' | 'revoke';

/** Renames, rotates or revokes a key. Revoking the key of this session ends the session. */
export const useKeyActions = (sessionKeyId: string | null) => {
  const { subject, open, state } = useDialog<{ action: 'rename' | 'rotate'; apiKey: ApiKey }>();
  const revocation = useRevokeKey(sessionKeyId);
  return {
    start: (action: KeyAction, apiKey: ApiKey) =>
      action === 'revoke' ? revocation.ask(apiKey) : open({ action, apiKey }),
    dialog: (
      <>
        {subject !== null && (
          <Suspense>
            {subject.action === 'rename' ? (
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

const RECENT_MS = 86_400_000;

/** The number of sessions that ended with the key, from the event; null if it cannot be read. */
const endedSessions = async (client: QueryClient, keyId: string): Promise<number | null> => {
  const page = await client
    .fetchQuery({ ...eventQueries.latest(10, keyId), staleTime: 0 })
    .catch(() => ({ data: [] }));
  const count = page.data.find(({ type }) => type === 'api-key.revoked')?.data['endedSessions'];
  return typeof count === 'number' ? count : null;
};

/** Revokes a key after showing its use. It cannot be undone, so a key in use asks for its name. */
const useRevokeKey = (sessionKeyId: string | null) => {
  const client = useQueryClient();
  const { mutateAsync } = useRevokeApiKey();
  const { confirm, dialog } = useConfirm();
  const ask = (apiKey: ApiKey) => {
    const { id, name, lastUsedAt } = apiKey;
    const isThisSession = id === sessionKeyId;
    // Decided when the dialog opens, so that the name field does not appear later.
    const isInUse = isThisSession || (lastUsedAt !== null && nowMs() - Date.parse(lastUsedAt) < RECENT_MS);
    confirm({
      title: `Revoke ${name}?`,
      confirmLabel: 'Revoke',
      ...(isInUse && { typeName: name }),
      body: <Consequences listed={apiKey} isThisSession={isThisSession} />,
      run: () => mutateAsync(id),
      onDone: () => {
        if (isThisSession) return;
        void endedSessions(client, id).then((count) =>
          showToast({
            title: `Revoked ${name}`,
            ...(count !== null && count > 0 && { detail: `Ended ${plural(count, 'session')}.` }),
          }),
        );
      },
    });
  };
  return { ask, dialog };
};

const Consequences = ({ listed, isThisSession }: { listed: ApiKey; isThisSession: boolean }) => {
  // Reads the current figures, since the list may be older.
  const { data: key = listed } = useQuery({ ...apiKeyQueries.detail(listed.id), staleTime: 0 });
  return (
    <div className="flex flex-col gap-3">
      <p>
        Penstock rejects requests with this key from now on. Its sessions, streams and MQTT connections end
        immediately. This cannot be undone.
        {isThisSession && (
          <strong className="font-medium text-bad-text">
            {' '}
            You are signed in with this key: you will be signed out.
          </strong>
        )}
      </p>
      <div className="border-y border-hairline text-ink">
        <KeyValueList
          items={[
            { name: 'Secret', value: <KeyHint apiKey={key} /> },
            { name: 'Last used', value: <LastUse apiKey={key} /> },
            {
              name: 'Requests in the last hour',
              value: <span className="tabular">{formatCount(key.usedLastHour)}</span>,
            },
          ]}
        />
      </div>
    </div>
  );
};
