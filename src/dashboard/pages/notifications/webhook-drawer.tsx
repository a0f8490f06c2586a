import type { Webhook, WebhookTest } from '#contract/webhooks.ts';
import { useHasScope } from '../../api/session-queries.ts';
import {
  useRetryWebhook,
  webhookQueries,
  type useTestWebhook,
} from '../../resources/webhooks/webhook-queries.ts';
import { Button } from '../../ui/controls/button.tsx';
import { formatCount } from '../../ui/format/format-number.ts';
import { KeyValueList } from '../../ui/layout/key-value-list.tsx';
import type { WebhookAction } from './use-webhook-actions.tsx';
import {
  ActivityLink,
  DrawerActions,
  DrawerSection,
  facts,
  ResourceDrawer,
} from '../../kit/resource/resource-drawer.tsx';
import { hasCurrentError, WebhookStateBadge } from './webhook-columns.tsx';
import { DeliveryResult } from './delivery-result.tsx';
import { NextAttempt } from './next-attempt.tsx';
import { chosenByGroup } from './webhook-event-words.ts';
import { Send } from 'lucide-react';
import { describeFailedChange } from '../../api/describe-failed-change.ts';
import { FormNotice } from '../../ui/feedback/form-notice.tsx';

type Props = {
  webhookId: string | null;
  test: ReturnType<typeof useTestWebhook>;
  onAction: (action: WebhookAction, webhook: Webhook) => void;
  onClose: () => void;
};

/** The details, a test delivery and the actions of one webhook. */
export const WebhookDrawer = ({ webhookId, test, onAction, onClose }: Props) => {
  const canWrite = useHasScope('devices:write');
  return (
    <ResourceDrawer
      id={webhookId}
      kind="Webhook"
      query={webhookQueries.detail}
      onClose={onClose}
      renderActions={(webhook) =>
        canWrite ? (
          <DrawerActions
            actions={[
              { label: 'Delete…', isDanger: true, onSelect: () => onAction('delete', webhook) },
              { label: webhook.enabled ? 'Pause' : 'Resume', onSelect: () => onAction('pause', webhook) },
              { label: 'Edit…', onSelect: () => onAction('edit', webhook) },
            ]}
          />
        ) : null
      }
    >
      {(webhook) => (
        <div className="flex flex-col gap-6">
          <WebhookFacts key={webhook.id} webhook={webhook} canRetry={canWrite} />
          {canWrite && <TestDelivery webhookId={webhook.id} test={test} />}
          <EventList webhook={webhook} />
          {canWrite && (
            <DrawerSection
              title="Signing secret"
              help="Receivers use this secret to verify requests. You cannot see it again."
            >
              <Button onClick={() => onAction('rotate', webhook)}>Rotate secret…</Button>
            </DrawerSection>
          )}
          <ActivityLink id={webhook.id} kind="webhook" />
        </div>
      )}
    </ResourceDrawer>
  );
};

/** What a state means, if its badge is not enough. */
const stateNotes = {
  active: null,
  retrying: 'The last delivery failed. Penstock retries for up to 3 days, at most 10 attempts.',
  paused: 'Events that occur while paused are not sent. Pending events are sent after you resume.',
} as const;

const WebhookFacts = ({ webhook, canRetry }: { webhook: Webhook; canRetry: boolean }) => {
  const { state, url, digest, calls, nextAttemptAt, lastDeliveredAt, lastError, createdAt } = webhook;
  const retry = useRetryWebhook();
  return (
    <KeyValueList
      items={[
        facts.state(<WebhookStateBadge state={state} />, stateNotes[state]),
        facts.address(url),
        {
          name: 'Deliveries',
          value: digest ? 'In digests, at most one a minute' : 'One for each event',
        },
        ...(['delivered', 'pending', 'failed'] as const).map((count) => ({
          name: { delivered: 'Events delivered', pending: 'Events pending', failed: 'Events failed' }[count],
          value: <span className="tabular">{formatCount(calls[count])}</span>,
        })),
        ...(nextAttemptAt === null && retry.data === undefined
          ? []
          : [
              {
                name: 'Next attempt',
                value: <NextAttempt webhook={webhook} retry={retry} canRetry={canRetry} />,
              },
            ]),
        facts.lastDelivered(lastDeliveredAt),
        facts.lastError(lastError, hasCurrentError(webhook) ? 'text-bad-text' : 'text-muted'),
        facts.created(createdAt),
      ]}
    />
  );
};

const EventList = ({ webhook }: { webhook: Webhook }) => (
  <DrawerSection title="Events">
    <ul className="divide-y divide-hairline">
      {chosenByGroup(webhook).map(([group, labels]) => (
        <li key={group} className="grid grid-cols-[minmax(7rem,2fr)_3fr] gap-3 py-2">
          <span className="break-words text-muted">{group}</span>
          <span>{labels.join(', ')}</span>
        </li>
      ))}
    </ul>
  </DrawerSection>
);

type TestDeliveryProps = { webhookId: string; test: ReturnType<typeof useTestWebhook> };

/** Sends one test delivery and shows its result. */
const TestDelivery = ({ webhookId, test }: TestDeliveryProps) => {
  const isThis = test.variables === webhookId;
  return (
    <DrawerSection
      title="Test"
      help={
        <>
          Sends one signed <code className="font-mono text-sm">webhook.test</code> event, even while the
          webhook is paused. Test deliveries are not counted. If the test succeeds, pending deliveries are
          retried, unless the webhook is paused.
        </>
      }
    >
      <Button
        icon={<Send aria-hidden className="size-4" />}
        busy={isThis && test.isPending}
        onClick={() => test.mutate(webhookId)}
      >
        Send test event
      </Button>
      {isThis && test.isError && <FormNotice tone="bad">{describeFailedChange(test.error)}</FormNotice>}
      <output className="block w-full empty:hidden">
        {isThis && test.isSuccess && <TestResult result={test.data} />}
      </output>
    </DrawerSection>
  );
};

const TestResult = ({ result: { ok, status, detail, ms } }: { result: WebhookTest }) => (
  <DeliveryResult
    tone={ok ? 'good' : 'bad'}
    title={ok ? 'Delivered.' : 'Not delivered.'}
    aside={`${status === null ? '' : `${status} · `}${formatCount(ms)} ms`}
  >
    {detail}
  </DeliveryResult>
);
