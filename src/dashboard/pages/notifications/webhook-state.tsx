import type { Webhook, WebhookState } from '#contract/webhooks.ts';
import { Badge, StateDot, type Tone } from '../../ui/feedback/state-dot.tsx';

const looks: Record<WebhookState, { word: string; tone: Tone }> = {
  active: { word: 'Active', tone: 'good' },
  failing: { word: 'Failing', tone: 'attention' },
  paused: { word: 'Paused', tone: 'idle' },
};

export const WebhookStateDot = ({ state }: Pick<Webhook, 'state'>) => (
  <StateDot tone={looks[state].tone}>{looks[state].word}</StateDot>
);

export const WebhookStateBadge = ({ state }: Pick<Webhook, 'state'>) => (
  <Badge tone={looks[state].tone}>{looks[state].word}</Badge>
);

const atMs = (time: string | null | undefined): number => (time == null ? 0 : Date.parse(time));

/** Whether its latest call failed. What failed before a call that got through is past. */
export const hasCurrentError = ({ lastError, lastDeliveredAt }: Webhook): boolean =>
  lastError !== null && atMs(lastError.at) >= atMs(lastDeliveredAt);
