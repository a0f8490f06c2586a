import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { KeyRound, Pause, Pencil, Play, Send, Trash2 } from 'lucide-react';
import { Suspense, useEffect, useRef } from 'react';
import type { Webhook } from '#contract/webhooks.ts';
import { useLiveEvents } from '../../api/live/use-live.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { useHasScope } from '../../api/session-queries.ts';
import { NoItems, ResourcePage, RowMenu, type ResourceWords } from '../../kit/resource/resource-page.tsx';
import { useResourceAddress } from '../../kit/resource/use-resource-address.ts';
import { useTestWebhook, webhookQueries } from '../../resources/webhooks/webhook-queries.ts';
import { useWebhookActions, type WebhookAction } from './use-webhook-actions.tsx';
import { webhookAddress } from './webhook-address.ts';
import { webhookColumns } from './webhook-columns.tsx';
import { choosesEvent } from './webhook-event-words.ts';
import { lazyDrawer, lazyPopup } from '../../ui/overlays/lazy-popup.tsx';
import { loadedItems } from '../../api/paged-list.ts';

const WebhookFormDrawer = lazyPopup(
  async () => (await import('./webhook-form-drawer.tsx')).WebhookFormDrawer,
);
const WebhookDrawer = lazyDrawer(
  async () => (await import('./webhook-drawer.tsx')).WebhookDrawer,
  ({ webhookId, onClose }) => ({ isOpen: webhookId !== null, onClose }),
);

const words: ResourceWords = { title: 'Notifications', one: 'webhook', create: 'Add webhook' };

/** The webhooks, their events and their deliveries. */
export const NotificationsPage = () => {
  const address = useResourceAddress(webhookAddress, 'webhook');
  const { form } = address;
  const list = useInfiniteQuery(webhookQueries.list(address.filters));
  const rows = loadedItems(list.data);
  const canWrite = useHasScope('devices:write');
  const test = useTestWebhook();
  const { rotate, pauseOrResume, askToDelete, dialogs } = useWebhookActions(address.close);
  useFreshWebhooks(rows);

  const runAction = (action: WebhookAction, webhook: Webhook) => {
    if (action === 'test') {
      test.mutate(webhook.id);
      address.open(webhook.id);
    } else if (action === 'edit') address.edit(webhook.id);
    else if (action === 'pause') pauseOrResume(webhook);
    else if (action === 'rotate') rotate(webhook);
    else askToDelete(webhook);
  };
  const rowMenu = (webhook: Webhook) => (
    <WebhookMenu key={webhook.id} webhook={webhook} onAction={(action) => runAction(action, webhook)} />
  );

  return (
    <ResourcePage
      words={words}
      address={address}
      list={list}
      table={{
        columns: webhookColumns,
        rows,
        rowMark: ({ state, name, url }) => `${state} ${name} ${url}`,
        rowActions: canWrite ? rowMenu : undefined,
        empty: (
          <NoItems
            title="No webhooks yet"
            create={words.create}
            onCreate={canWrite ? address.create : undefined}
            scope="devices:write"
          >
            A webhook sends signed JSON to a URL when a device goes offline, a pipeline fails or a key is
            about to expire. To notify a chat, paging or ticket service, forward it through a program such as
            n8n or Node-RED.
          </NoItems>
        ),
      }}
      canCreate={canWrite}
    >
      <Suspense>
        {form.isMounted && (
          <WebhookFormDrawer
            isOpen={form.isOpen}
            webhookId={form.editedId}
            onClose={form.close}
            onClosed={form.onClosed}
          />
        )}
        {address.hasDrawer && (
          <WebhookDrawer
            // One drawer at a time: the form hides the details while it is open.
            webhookId={form.isOpen ? null : address.openId}
            test={test}
            onAction={runAction}
            onClose={address.close}
          />
        )}
      </Suspense>
      {dialogs}
    </ResourcePage>
  );
};

/** The actions on a webhook in its row. */
const WebhookMenu = ({
  webhook,
  onAction,
}: {
  webhook: Webhook;
  onAction: (action: WebhookAction) => void;
}) => (
  <RowMenu
    name={webhook.name}
    items={[
      { label: 'Send test event', icon: <Send aria-hidden />, onSelect: () => onAction('test') },
      { label: 'Edit…', icon: <Pencil aria-hidden />, onSelect: () => onAction('edit') },
      webhook.enabled
        ? { label: 'Pause', icon: <Pause aria-hidden />, onSelect: () => onAction('pause') }
        : { label: 'Resume', icon: <Play aria-hidden />, onSelect: () => onAction('pause') },
      { label: 'Rotate secret…', icon: <KeyRound aria-hidden />, onSelect: () => onAction('rotate') },
      'separator',
      { label: 'Delete…', icon: <Trash2 aria-hidden />, isDanger: true, onSelect: () => onAction('delete') },
    ]}
  />
);

/** A delivery takes about this long. */
const DELIVERED_AFTER_MS = 1_500;

/**
 * Refetches webhooks after an event that one of them delivers, since its counts change. (The events of webhooks
 * themselves make the list stale everywhere.)
 */
const useFreshWebhooks = (webhooks: readonly Webhook[]) => {
  const client = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  useLiveEvents((event) => {
    if (timer.current !== undefined || !webhooks.some((webhook) => choosesEvent(webhook, event))) return;
    timer.current = setTimeout(() => {
      timer.current = undefined;
      void client.invalidateQueries({ queryKey: queryKeys.webhooks });
    }, DELIVERED_AFTER_MS);
  });
};
