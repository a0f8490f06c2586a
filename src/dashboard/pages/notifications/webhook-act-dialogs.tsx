import { DeleteWebhookDialog } from './delete-webhook-dialog.tsx';
import { RotateWebhookDialog } from './rotate-webhook-dialog.tsx';
import type { AskedAct, WebhookActProps } from './webhook-act.ts';

const dialogs = { rotate: RotateWebhookDialog, delete: DeleteWebhookDialog };

export const WebhookActDialog = ({ act, ...props }: WebhookActProps & { act: AskedAct }) => {
  const Dialog = dialogs[act];
  return <Dialog {...props} />;
};
