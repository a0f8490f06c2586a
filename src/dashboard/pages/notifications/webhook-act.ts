import type { Webhook } from '#contract/webhooks.ts';

/** What is done with a webhook. */
export type WebhookAct = 'test' | 'edit' | 'pause' | 'rotate' | 'delete';

/** What is asked about in a dialog of its own first. */
export type AskedAct = Extract<WebhookAct, 'rotate' | 'delete'>;

export type WebhookActProps = {
  webhook: Webhook;
  isOpen: boolean;
  onClose: () => void;
  onClosed: () => void;
  onDeleted: () => void;
};
