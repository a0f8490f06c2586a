import { Ellipsis, KeyRound, Pause, Pencil, Play, Send, Trash2 } from 'lucide-react';
import type { Webhook } from '#contract/webhooks.ts';
import { Menu } from '../../ui/overlays/menu.tsx';
import type { WebhookAct } from './webhook-act.ts';

/** What can be done with a webhook from its row. */
export const WebhookMenu = ({ webhook, onAct }: { webhook: Webhook; onAct: (act: WebhookAct) => void }) => (
  <Menu
    label={`Actions for ${webhook.name}`}
    isIconOnly
    icon={<Ellipsis />}
    items={[
      { label: 'Send a test call', icon: <Send aria-hidden />, onSelect: () => onAct('test') },
      { label: 'Edit…', icon: <Pencil aria-hidden />, onSelect: () => onAct('edit') },
      webhook.enabled
        ? { label: 'Pause', icon: <Pause aria-hidden />, onSelect: () => onAct('pause') }
        : { label: 'Resume', icon: <Play aria-hidden />, onSelect: () => onAct('pause') },
      { label: 'New secret…', icon: <KeyRound aria-hidden />, onSelect: () => onAct('rotate') },
      'separator',
      { label: 'Delete…', icon: <Trash2 aria-hidden />, isDanger: true, onSelect: () => onAct('delete') },
    ]}
  />
);
