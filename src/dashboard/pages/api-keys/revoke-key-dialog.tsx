import { useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { describeError } from '../../api/api-error.ts';
import { apiKeyQueries, useRevokeApiKey } from '../../resources/access/api-key-queries.ts';
import { eventQueries } from '../../resources/events/event-queries.ts';
import { nowMs } from '../../ui/browser/clock.ts';
import { ConfirmDialog } from '../../ui/overlays/confirm-dialog.tsx';
import { formatCount, plural } from '../../ui/format/format-number.ts';
import { KeyValueList } from '../../ui/layout/key-value-list.tsx';
import { showToast } from '../../ui/feedback/toast.ts';
import { LastUse } from './api-key-columns.tsx';
import type { KeyActProps } from './key-act.ts';

const RECENT_MS = 86_400_000;

/** How many sessions ended with the key, as the event tells; null where it cannot be read. */
const endedSessions = async (client: QueryClient, keyId: string): Promise<number | null> => {
  const page = await client
    .fetchQuery({ ...eventQueries.latest(10, keyId), staleTime: 0 })
    .catch(() => ({ data: [] }));
  const count = page.data.find(({ type }) => type === 'api-key.revoked')?.data['endedSessions'];
  return typeof count === 'number' ? count : null;
};

/** Revokes a key after showing what hangs on it. It cannot be undone, so a key in use asks for its name. */
export const RevokeKeyDialog = ({ apiKey, isThisSession, isOpen, onClose, onClosed }: KeyActProps) => {
  const client = useQueryClient();
  // The numbers are those of now, not of when the list was read.
  const { data: key = apiKey } = useQuery({ ...apiKeyQueries.detail(apiKey.id), staleTime: 0 });
  const revoke = useRevokeApiKey();
  // As it was asked: a field for the name must not come while one reads.
  const [isInUse] = useState(
    () =>
      isThisSession || (apiKey.lastUsedAt !== null && nowMs() - Date.parse(apiKey.lastUsedAt) < RECENT_MS),
  );

  const confirm = () =>
    revoke.mutate(apiKey.id, {
      onSuccess: () => {
        onClose();
        if (isThisSession) return;
        void endedSessions(client, apiKey.id).then((count) =>
          showToast({
            title: `Revoked ${apiKey.name}`,
            ...(count !== null && count > 0 && { detail: `${plural(count, 'session')} ended with it.` }),
          }),
        );
      },
    });

  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      onClosed={onClosed}
      title={`Revoke ${apiKey.name}?`}
      confirmLabel="Revoke"
      onConfirm={confirm}
      isBusy={revoke.isPending}
      error={revoke.isError ? describeError(revoke.error).detail : undefined}
      {...(isInUse && { typeName: apiKey.name })}
    >
      <div className="flex flex-col gap-3">
        <p>
          It is refused from the next request on; its sessions, streams and MQTT connections end. It cannot be
          undone.
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
              { name: 'Last used', value: <LastUse apiKey={key} /> },
              {
                name: 'Requests in the last hour',
                value: <span className="tabular">{formatCount(key.usedLastHour)}</span>,
              },
            ]}
          />
        </div>
      </div>
    </ConfirmDialog>
  );
};
