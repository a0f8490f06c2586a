import { deliveryTypeOf, pipelineOutcomes, type WebhookEventType } from '#contract/webhook-events.ts';
import type { Event } from '#contract/events.ts';
import type { Webhook } from '#contract/webhooks.ts';
import { eventGroups, eventKindOf } from '../../resources/events/event-words.ts';

type Choice = { type: WebhookEventType; label: string };

const outcomeLabels: Record<(typeof pipelineOutcomes)[number], string> = {
  'pipeline.degraded': 'Degraded',
  'pipeline.failed': 'Failed',
  'pipeline.recovered': 'Recovered',
};
const outcomes: readonly Choice[] = pipelineOutcomes.map((type) => ({ type, label: outcomeLabels[type] }));

/** What a webhook can choose, by group: the types of events, and the outcomes of pipelines before all their changes. */
export const webhookGroups: readonly { group: string; choices: readonly Choice[] }[] = eventGroups.map(
  ({ group, kinds }) => ({
    group,
    choices: kinds.flatMap(({ type, label }): readonly Choice[] =>
      type === 'pipeline.state-changed'
        ? [...outcomes, { type, label: 'Any change of state' }]
        : [{ type, label }],
    ),
  }),
);

/** All choices in the order of the form. */
export const webhookTypes = webhookGroups.flatMap(({ choices }) => choices.map(({ type }) => type));

const words = new Map<string, { group: string; label: string }>(
  webhookGroups.flatMap(({ group, choices }) => choices.map(({ type, label }) => [type, { group, label }])),
);

/** The words of a choice. One that only a newer service has is described by its name. */
export const choiceWordsOf = (type: string): { group: string; label: string } =>
  words.get(type) ?? eventKindOf(type);

/** The labels of the chosen events by group. A tag limits the devices. */
export const chosenByGroup = ({ events, tag }: Pick<Webhook, 'events' | 'tag'>): [string, string[]][] =>
  [...Map.groupBy(events.map(choiceWordsOf), ({ group }) => group)].map(([group, choices]) => [
    group === 'Devices' && tag !== null ? `Devices with ${tag}` : group,
    choices.map(({ label }) => label),
  ]);

/** “Devices with site:north: went offline, came online; API keys: about to expire”. */
export const eventsText = (webhook: Pick<Webhook, 'events' | 'tag'>): string =>
  chosenByGroup(webhook)
    .map(([group, labels]) => `${group}: ${labels.map((label) => label.toLowerCase()).join(', ')}`)
    .join('; ');

/** Whether a webhook chooses an event, whatever its device. */
export const choosesEvent = ({ events }: Pick<Webhook, 'events'>, event: Event): boolean =>
  deliveryTypeOf(new Set(events), event) !== undefined;
