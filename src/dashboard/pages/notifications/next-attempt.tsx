import { useQuery } from '@tanstack/react-query';
import type { Webhook, WebhookRetry } from '#contract/webhooks.ts';
import { describeFailedChange } from '../../api/describe-failed-change.ts';
import { webhookQueries, type useRetryWebhook } from '../../resources/webhooks/webhook-queries.ts';
import { Button } from '../../ui/controls/button.tsx';
import { FormNotice } from '../../ui/feedback/form-notice.tsx';
import { plural } from '../../ui/format/format-number.ts';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import { DeliveryResult } from './delivery-result.tsx';

/** How often the outcome of a retry is read until it is known. */
const OUTCOME_MS = 1_000;

type Outcome = 'none' | 'pending' | 'failed' | 'delivered';

/** What became of the retried deliveries. The state of a webhook is that of its last delivery. */
const outcomeOf = (
  { deliveries, at }: WebhookRetry,
  { state, lastError, lastDeliveredAt }: Webhook,
): Outcome => {
  if (deliveries === 0) return 'none';
  if (state !== 'active' && lastError !== null && lastError.at >= at) return 'failed';
  return state === 'active' && lastDeliveredAt !== null && lastDeliveredAt >= at ? 'delivered' : 'pending';
};

type Props = { webhook: Webhook; retry: ReturnType<typeof useRetryWebhook>; canRetry: boolean };

/** When the next pending delivery is sent, a button that sends all of them now, and the outcome. */
export const NextAttempt = ({ webhook, retry, canRetry }: Props) => {
  const { id, nextAttemptAt } = webhook;
  const outcome = retry.data && outcomeOf(retry.data, webhook);
  const isPending = retry.isPending || outcome === 'pending';
  useQuery({ ...webhookQueries.detail(id), enabled: outcome === 'pending', refetchInterval: OUTCOME_MS });
  return (
    <span className="flex flex-col gap-2">
      <span className="flex flex-wrap items-center gap-x-3">
        {nextAttemptAt === null ? 'None' : <RelativeTime at={nextAttemptAt} />}
        {canRetry && nextAttemptAt !== null && (
          <Button className="-my-1.5" busy={isPending} onClick={() => retry.mutate(id)}>
            Retry now
          </Button>
        )}
      </span>
      <output className="block empty:hidden">
        {outcome !== undefined && retry.data !== undefined && (
          <RetryResult outcome={outcome} deliveries={retry.data.deliveries} webhook={webhook} />
        )}
      </output>
      {retry.isError && <FormNotice tone="bad">{describeFailedChange(retry.error)}</FormNotice>}
    </span>
  );
};

type ResultProps = { outcome: Outcome; deliveries: number; webhook: Webhook };

const RetryResult = ({ outcome, deliveries, webhook: { lastError, calls, digest } }: ResultProps) => {
  if (outcome === 'none') return <DeliveryResult tone="idle" title="No deliveries to retry." />;
  if (outcome === 'failed')
    return (
      <DeliveryResult tone="bad" title="Failed again.">
        {lastError?.detail}
      </DeliveryResult>
    );
  if (outcome === 'pending')
    return <DeliveryResult tone="idle" title={`Retrying ${plural(deliveries, 'delivery', 'deliveries')}…`} />;
  return (
    <DeliveryResult tone="good" title="Delivered.">
      {calls.pending > 0 && !digest && `${plural(calls.pending, 'event')} pending.`}
    </DeliveryResult>
  );
};
