import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { webhookQueries } from '../../resources/webhooks/webhook-queries.ts';
import { Failure } from '../../kit/failure.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { Drawer } from '../../ui/overlays/dialog.tsx';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';
import { useWebhookSecret } from './use-webhook-secret.tsx';
import { WebhookForm } from './webhook-form.tsx';

const FORM = 'webhook-form';

type Props = {
  isOpen: boolean;
  /** The webhook to edit; null: a new one. */
  webhookId: string | null;
  /** `createdId`: the webhook that was added here. */
  onClose: (createdId: string | null) => void;
  /** It is gone and can be dropped, and with it the secret that it held. */
  onClosed: () => void;
};

/** Creates a webhook, or edits one. In the place of the form of a new one comes its secret. */
export const WebhookFormDrawer = ({ isOpen, webhookId, onClose, onClosed }: Props) => {
  // What was open stays in the drawer while it slides away.
  const [shownId, setShownId] = useState(webhookId);
  if (isOpen && shownId !== webhookId) setShownId(webhookId);
  const [isBusy, setIsBusy] = useState(false);
  const firstField = useRef<HTMLInputElement>(null);
  const webhook = useQuery({
    ...webhookQueries.detail(shownId ?? ''),
    enabled: isOpen && shownId !== null,
  });
  const [createdId, setCreatedId] = useState<string | null>(null);
  const secret = useWebhookSecret(() => onClose(createdId));
  const isReady = shownId === null || webhook.data !== undefined;
  const title =
    secret.made !== null
      ? `${secret.made.name} is created`
      : shownId === null
        ? 'Add webhook'
        : 'Edit webhook';
  return (
    <Drawer
      isOpen={isOpen}
      onClose={secret.requestClose}
      onClosed={onClosed}
      title={title}
      initialFocus={firstField}
      footer={
        secret.made !== null ? (
          secret.footer
        ) : (
          <>
            <Button onClick={() => onClose(null)}>Cancel</Button>
            <Button type="submit" form={FORM} look="primary" busy={isBusy} disabled={!isReady}>
              {shownId === null ? 'Add webhook' : 'Save'}
            </Button>
          </>
        )
      }
    >
      {secret.made !== null ? (
        secret.body
      ) : isReady ? (
        <WebhookForm
          key={shownId ?? 'new'}
          id={FORM}
          webhook={shownId === null ? undefined : webhook.data}
          failure={shownId === null ? null : webhook.error}
          firstField={firstField}
          onBusy={setIsBusy}
          onCreated={(made) => {
            setCreatedId(made.id);
            secret.hold(made);
          }}
          onSaved={() => onClose(null)}
        />
      ) : webhook.isError ? (
        <Failure error={webhook.error} onRetry={() => void webhook.refetch()} />
      ) : (
        <div className="flex flex-col gap-6">
          {[1, 2, 3].map((field) => (
            <Skeleton key={field} className="h-8" />
          ))}
        </div>
      )}
    </Drawer>
  );
};
