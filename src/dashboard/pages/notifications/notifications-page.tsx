import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { Ellipsis, KeyRound, Pause, Pencil, Play, Send, Trash2 } from 'lucide-react';
import { lazy, Suspense, useEffect, useRef } from 'react';
import type { Webhook } from '#contract/webhooks.ts';
import { useLiveEvents } from '../../api/live/use-live.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { useMay } from '../../api/session-queries.ts';
import { ResourcePage, type ResourceWords } from '../../kit/resource/resource-page.tsx';
import { useResourceAddress } from '../../kit/resource/use-resource-address.ts';
import { useTestWebhook, webhookQueries } from '../../resources/webhooks/webhook-queries.ts';
import { Button } from '../../ui/controls/button.tsx';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { Menu } from '../../ui/overlays/menu.tsx';
import { useWebhookActs, type WebhookAct } from './use-webhook-acts.tsx';
import { webhookAddress } from './webhook-address.ts';
import { webhookColumns } from './webhook-columns.tsx';

const WebhookFormDrawer = lazy(async () => ({
  default: (await import('./webhook-form-drawer.tsx')).WebhookFormDrawer,
}));
const WebhookDrawer = lazy(async () => ({ default: (await import('./webhook-drawer.tsx')).WebhookDrawer }));

const words: ResourceWords = { title: 'Notifications', one: 'webhook', create: 'Add webhook' };

/** The webhooks, their events and their deliveries. */
export const NotificationsPage = () => {
  const address = useResourceAddress(webhookAddress, 'webhook');
  const { form } = address;
  const list = useInfiniteQuery(webhookQueries.list(address.filters));
  const rows = list.data?.pages.flatMap((page) => page.data) ?? [];
  const mayWrite = useMay('devices:write');
  const test = useTestWebhook();
  const { rotate, pauseOrResume, askToDelete, dialogs } = useWebhookActs(address.close);
  useFreshWebhooks(rows);

  const act = (name: WebhookAct, webhook: Webhook) => {
    if (name === 'test') {
      test.mutate(webhook.id);
      address.open(webhook.id);
    } else if (name === 'edit') address.edit(webhook.id);
    else if (name === 'pause') pauseOrResume(webhook);
    else if (name === 'rotate') rotate(webhook);
    else askToDelete(webhook);
  };
  const rowMenu = (webhook: Webhook) => <RowMenu webhook={webhook} onAct={(name) => act(name, webhook)} />;

  return (
    <ResourcePage
      words={words}
      address={address}
      list={list}
      table={{
        columns: webhookColumns,
        rows,
        rowMark: ({ state, name, url }) => `${state} ${name} ${url}`,
        rowActions: mayWrite ? rowMenu : undefined,
        empty: <NoWebhooks {...(mayWrite && { onCreate: address.create })} />,
      }}
      mayCreate={mayWrite}
      toolbar={{ searchFrom: 1 }}
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
            // One drawer at a time: the form takes the place of what it is about, and gives it back.
            webhookId={form.isOpen ? null : address.openId}
            test={test}
            onAct={act}
            onClose={address.close}
          />
        )}
      </Suspense>
      {dialogs}
    </ResourcePage>
  );
};

/** What can be done with a webhook from its row. */
const RowMenu = ({ webhook, onAct }: { webhook: Webhook; onAct: (act: WebhookAct) => void }) => (
  <Menu
    label={`Actions for ${webhook.name}`}
    isIconOnly
    icon={<Ellipsis />}
    items={[
      { label: 'Send test event', icon: <Send aria-hidden />, onSelect: () => onAct('test') },
      { label: 'Edit…', icon: <Pencil aria-hidden />, onSelect: () => onAct('edit') },
      webhook.enabled
        ? { label: 'Pause', icon: <Pause aria-hidden />, onSelect: () => onAct('pause') }
        : { label: 'Resume', icon: <Play aria-hidden />, onSelect: () => onAct('pause') },
      { label: 'Rotate secret…', icon: <KeyRound aria-hidden />, onSelect: () => onAct('rotate') },
      'separator',
      { label: 'Delete…', icon: <Trash2 aria-hidden />, isDanger: true, onSelect: () => onAct('delete') },
    ]}
  />
);

/** `onCreate` is left out where this session may not. */
const NoWebhooks = ({ onCreate }: { onCreate?: () => void }) => (
  <EmptyState
    title="No webhooks yet"
    {...(onCreate !== undefined && {
      action: (
        <Button look="primary" onClick={onCreate}>
          Add webhook
        </Button>
      ),
    })}
  >
    A webhook notifies a chat channel, a pager or a ticket system when a device goes offline, a pipeline
    changes state or a key is about to expire.
    {onCreate === undefined && ' You need devices:write to add one.'}
  </EmptyState>
);

/** A call takes about this long to be made and answered. */
const CALLED_AFTER_MS = 1_500;

/**
 * Reads webhooks again after an event that one of them tells: its counts change by that. (Their own events, which
 * tell of changes and of states, are heeded wherever the stream is.)
 */
const useFreshWebhooks = (webhooks: readonly Webhook[]) => {
  const client = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  useLiveEvents(({ type }) => {
    if (timer.current !== undefined || !webhooks.some(({ events }) => events.includes(type))) return;
    timer.current = setTimeout(() => {
      timer.current = undefined;
      void client.invalidateQueries({ queryKey: queryKeys.webhooks });
    }, CALLED_AFTER_MS);
  });
};
