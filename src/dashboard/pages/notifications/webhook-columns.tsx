import type { Webhook, WebhookState } from '#contract/webhooks.ts';
import { cx } from '../../ui/browser/cx.ts';
import { cellTextClass, type Column } from '../../ui/table/data-table-props.ts';
import { formatCount } from '../../ui/format/format-number.ts';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import { Badge, StateDot, type Tone } from '../../ui/feedback/state-dot.tsx';
import { eventsText } from './webhook-event-words.ts';

const stateDisplay: Record<WebhookState, { word: string; tone: Tone }> = {
  active: { word: 'Active', tone: 'good' },
  retrying: { word: 'Retrying', tone: 'attention' },
  paused: { word: 'Paused', tone: 'idle' },
};

const WebhookStateDot = ({ state }: Pick<Webhook, 'state'>) => (
  <StateDot tone={stateDisplay[state].tone}>{stateDisplay[state].word}</StateDot>
);

export const WebhookStateBadge = ({ state }: Pick<Webhook, 'state'>) => (
  <Badge tone={stateDisplay[state].tone}>{stateDisplay[state].word}</Badge>
);

const atMs = (time: string | null | undefined): number => (time == null ? 0 : Date.parse(time));

/** Whether the latest delivery failed. Errors before a successful delivery are past. */
export const hasCurrentError = ({ lastError, lastDeliveredAt }: Webhook): boolean =>
  lastError !== null && atMs(lastError.at) >= atMs(lastDeliveredAt);

const countColumn = (id: keyof Webhook['calls'], header: string, min: number): Column<Webhook> => ({
  id,
  header,
  min,
  grow: 0,
  drop: 3,
  align: 'end',
  card: 'detail',
  cell: ({ calls }) => (
    <>
      <span className={cx('tabular', calls[id] === 0 ? 'text-faint' : id === 'failed' && 'text-bad-text')}>
        {formatCount(calls[id])}
      </span>
      {/* On a card numbers need their labels. */}
      <span className="md:sr-only"> {header.toLowerCase()}</span>
    </>
  ),
});

export const webhookColumns: readonly Column<Webhook>[] = [
  {
    id: 'name',
    header: 'Name',
    sort: 'name',
    min: 150,
    grow: 2,
    isName: true,
    cell: ({ name }) => name,
  },
  {
    id: 'state',
    header: 'State',
    min: 88,
    grow: 0,
    card: 'aside',
    cell: ({ state }) => <WebhookStateDot state={state} />,
  },
  {
    id: 'url',
    header: 'Address',
    min: 160,
    grow: 2,
    drop: 2,
    card: 'detail',
    cell: ({ url }) => (
      <span data-hint={url} className="truncate font-mono text-sm text-muted">
        {url.replace(/^https?:\/\//, '')}
      </span>
    ),
  },
  {
    id: 'events',
    header: 'Events',
    min: 140,
    grow: 2,
    drop: 4,
    card: 'none',
    cell: (webhook) => (
      <span data-hint={eventsText(webhook)} className="truncate">
        {eventsText(webhook)}
      </span>
    ),
  },
  {
    id: 'digest',
    header: 'Sent',
    min: 104,
    grow: 0,
    drop: 5,
    card: 'none',
    cell: ({ digest }) => (digest ? 'In digests' : 'Each event'),
  },
  {
    id: 'last',
    header: 'Last result',
    min: 170,
    grow: 3,
    drop: 1,
    card: 'detail',
    cell: (webhook) => <LastResult webhook={webhook} />,
  },
  // A digest adds the number of its events.
  countColumn('delivered', 'Events delivered', 130),
  countColumn('pending', 'Pending', 76),
  countColumn('failed', 'Failed', 80),
];

/** The result of the latest delivery. */
const LastResult = ({ webhook }: { webhook: Webhook }) => {
  const { lastError, lastDeliveredAt } = webhook;
  if (lastError !== null && hasCurrentError(webhook))
    return (
      <span data-hint={lastError.detail} className={cx('text-bad-text', cellTextClass)}>
        {lastError.detail}
      </span>
    );
  if (lastDeliveredAt === null) return <span className="text-faint">No deliveries yet</span>;
  return (
    <span className="truncate text-muted">
      Delivered <RelativeTime at={lastDeliveredAt} inRow className="relative z-1" />
    </span>
  );
};
