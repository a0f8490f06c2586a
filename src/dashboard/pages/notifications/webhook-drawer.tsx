import type { Webhook } from '#contract/webhooks.ts';
import { useMay } from '../../api/session-queries.ts';
import { webhookQueries, type useTestWebhook } from '../../resources/webhooks/webhook-queries.ts';
import { kindOf } from '../../resources/events/event-kinds.ts';
import { paths, withQuery } from '../../paths.ts';
import { Button } from '../../ui/controls/button.tsx';
import { CopyButton } from '../../ui/controls/copy-button.tsx';
import { formatCount } from '../../ui/format/format-number.ts';
import { KeyValueList } from '../../ui/layout/key-value-list.tsx';
import { Link } from '../../ui/controls/link.tsx';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import { TestCall } from './test-call.tsx';
import type { WebhookAct } from './use-webhook-acts.tsx';
import { ResourceDrawer } from '../../kit/resource/resource-drawer.tsx';
import { hasCurrentError, WebhookStateBadge } from './webhook-state.tsx';

type Props = {
  webhookId: string | null;
  test: ReturnType<typeof useTestWebhook>;
  onAct: (act: WebhookAct, webhook: Webhook) => void;
  onClose: () => void;
};

/** What is known of one webhook, a test call, and what can be done with it. */
export const WebhookDrawer = ({ webhookId, test, onAct, onClose }: Props) => {
  const mayWrite = useMay('devices:write');
  return (
    <ResourceDrawer
      id={webhookId}
      kind="Webhook"
      query={webhookQueries.detail}
      onClose={onClose}
      renderActions={(webhook) => (mayWrite ? <Acts webhook={webhook} onAct={onAct} /> : null)}
    >
      {(webhook) => (
        <div className="flex flex-col gap-6">
          <WebhookFacts webhook={webhook} />
          {mayWrite && <TestCall webhookId={webhook.id} test={test} />}
          <EventList events={webhook.events} />
          {mayWrite && <SigningSecret onRotate={() => onAct('rotate', webhook)} />}
          <p>
            <Link to={withQuery(paths.activity, { subject: webhook.id })}>Activity of this webhook</Link>
          </p>
        </div>
      )}
    </ResourceDrawer>
  );
};

const Acts = ({ webhook, onAct }: { webhook: Webhook; onAct: Props['onAct'] }) => (
  <>
    <Button look="quiet" className="mr-auto text-bad-text!" onClick={() => onAct('delete', webhook)}>
      Delete…
    </Button>
    <Button onClick={() => onAct('pause', webhook)}>{webhook.enabled ? 'Pause' : 'Resume'}</Button>
    <Button onClick={() => onAct('edit', webhook)}>Edit…</Button>
  </>
);

/** Why it is in the state that it is in, where that is not plain. */
const stateNotes = {
  active: null,
  failing: 'The last delivery failed. Penstock tries each delivery up to 10 times within 3 days.',
  paused: 'Events that occur while paused are not sent. Queued events are sent after you resume.',
} as const;

const WebhookFacts = ({ webhook }: { webhook: Webhook }) => {
  const { state, url, calls, lastDeliveredAt, lastError, createdAt } = webhook;
  const note = stateNotes[state];
  return (
    <KeyValueList
      items={[
        {
          name: 'State',
          value: (
            <>
              <WebhookStateBadge state={state} />
              {note !== null && <span className="mt-1 block text-muted">{note}</span>}
            </>
          ),
        },
        {
          name: 'Address',
          value: (
            <span className="flex items-start gap-1">
              <span className="min-w-0 flex-1 font-mono text-sm break-all">{url}</span>
              <CopyButton text={url} label="Copy address" className="-my-1.5" />
            </span>
          ),
        },
        ...(['delivered', 'pending', 'failed'] as const).map((count) => ({
          name: { delivered: 'Delivered', pending: 'Pending', failed: 'Failed' }[count],
          value: <span className="tabular">{formatCount(calls[count])}</span>,
        })),
        {
          name: 'Last delivered',
          value:
            lastDeliveredAt === null ? (
              <span className="text-faint">Not yet</span>
            ) : (
              <RelativeTime at={lastDeliveredAt} />
            ),
        },
        {
          name: 'Last error',
          value:
            lastError === null ? (
              <span className="text-faint">None</span>
            ) : (
              <>
                <span className={hasCurrentError(webhook) ? 'text-bad-text' : 'text-muted'}>
                  {lastError.detail}
                </span>{' '}
                <RelativeTime at={lastError.at} className="text-muted" />
              </>
            ),
        },
        { name: 'Added', value: <RelativeTime at={createdAt} /> },
      ]}
    />
  );
};

const SigningSecret = ({ onRotate }: { onRotate: () => void }) => (
  <section aria-label="Signing secret" className="flex flex-col items-start gap-3">
    <div>
      <h3 className="mb-1 font-medium">Signing secret</h3>
      <p className="text-muted">Receivers use this secret to verify requests. It was shown once.</p>
    </div>
    <Button onClick={onRotate}>Rotate secret…</Button>
  </section>
);

const EventList = ({ events }: { events: readonly string[] }) => (
  <section aria-label="Events">
    <h3 className="mb-1 font-medium">Events</h3>
    <ul className="divide-y divide-hairline">
      {[...Map.groupBy(events.map(kindOf), ({ group }) => group)].map(([group, kinds]) => (
        <li key={group} className="grid grid-cols-[minmax(7rem,2fr)_3fr] gap-3 py-2">
          <span className="text-muted">{group}</span>
          <span>{kinds.map(({ kind }) => kind).join(', ')}</span>
        </li>
      ))}
    </ul>
  </section>
);
