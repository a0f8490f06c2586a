import { eventGroups, kindOf } from '../../resources/events/event-kinds.ts';

/** What most operators want to be told of: offered at the start. */
export const usualEvents = ['device.offline', 'pipeline.state-changed', 'api-key.expiring'] as const;

/** The kinds of events that can be chosen, by what they are about. */
export const eventChoices = eventGroups.map(({ group, kinds }) => ({
  group,
  kinds: kinds.map(({ type, kind }) => ({ type, label: kind })),
}));

/** “Devices: went offline, came online; API keys: about to expire”. */
export const eventsText = (types: readonly string[]): string =>
  [...Map.groupBy(types.map(kindOf), ({ group }) => group)]
    .map(([group, kinds]) => `${group}: ${kinds.map(({ kind }) => kind.toLowerCase()).join(', ')}`)
    .join('; ');
