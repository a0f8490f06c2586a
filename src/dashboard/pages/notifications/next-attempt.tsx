import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
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

type Outcome = 'none' | 'pending' | 'failed' | 'delivered' | 'paused';

/** The outcome of the retried deliveries. The state of a webhook is that of its last delivery. */
const outcomeOf = (
  { deliveries, at }: WebhookRetry,
  { state, lastError, lastDeliveredAt }: Webhook,
): Outcome => {
  if (deliveries === 0) return 'none';
  if (state !== 'active' && lastError !== null && lastError.at >= at) return 'failed';
  if (state !== 'retrying' && lastDeliveredAt !== null && lastDeliveredAt >= at) return 'delivered';
  return state === 'paused' ? 'paused' : 'pending';
};

type Result = { retry: WebhookRetry; outcome: Outcome; webhook: Webhook };

/** The outcome of a retry: the first one, because later deliveries have outcomes of their own. */
const useResult = (retry: WebhookRetry | undefined, webhook: Webhook): Result | undefined => {
  const [ended, setEnded] = useState<Result>();
  if (retry === undefined) return undefined;
  if (ended?.retry === retry) return ended;
  const result = { retry, outcome: outcomeOf(retry, webhook), webhook };
  if (result.outcome !== 'pending') setEnded(result);
  return result;
};

type Props = { webhook: Webhook; retry: ReturnType<typeof useRetryWebhook>; canRetry: boolean };

/** When the next pending delivery is sent, a button that sends all of them now, and the outcome. */
export const NextAttempt = ({ webhook, retry, canRetry }: Props) => {
  const { id, nextAttemptAt } = webhook;
  const result = useResult(retry.data, webhook);
  const isPending = result?.outcome === 'pending';
  useQuery({ ...webhookQueries.detail(id), enabled: isPending, refetchInterval: OUTCOME_MS });
  return (
    <span className="flex flex-col gap-2">
      <span className="flex flex-wrap items-center gap-x-3">
        {nextAttemptAt === null ? 'None' : <RelativeTime at={nextAttemptAt} />}
        {canRetry && nextAttemptAt !== null && (
          <Button className="-my-1.5" busy={retry.isPending || isPending} onClick={() => retry.mutate(id)}>
            Retry now
          </Button>
        )}
      </span>
      <output className="block empty:hidden">{result !== undefined && <RetryResult {...result} />}</output>
      {retry.isError && <FormNotice tone="bad">{describeFailedChange(retry.error)}</FormNotice>}
    </span>
  );
};

const RetryResult = ({ outcome, retry, webhook: { lastError, calls, digest } }: Result) => {
  switch (outcome) {
    case 'none':
      return <DeliveryResult tone="idle" title="No deliveries to retry." />;
    case 'failed':
      return (
        <DeliveryResult tone="bad" title="Failed again.">
          {lastError?.detail}
        </DeliveryResult>
      );
    case 'paused':
      return (
        <DeliveryResult tone="idle" title="Paused.">
          Pending deliveries are sent after you resume.
        </DeliveryResult>
      );
    case 'pending':
      return (
        <DeliveryResult
          tone="idle"
          title={`Retrying ${plural(retry.deliveries, 'delivery', 'deliveries')}…`}
        />
      );
    case 'delivered':
      return (
        <DeliveryResult tone="good" title="Delivered.">
          {calls.pending > 0 && !digest && `${plural(calls.pending, 'event')} pending.`}
        </DeliveryResult>
      );
  }
};
