import type { DestinationState } from '#contract/destinations.ts';
import type { NewEvent, Party } from '../../events/event-store.ts';
import type { DestinationRow } from './destination-store.ts';

type Subject = Pick<DestinationRow, 'id' | 'name'>;
type By = { actor: Party | null; at: number };

const destinationParty = ({ id, name }: Subject): Party => ({ type: 'destination', id, name });

export const destinationEvent = (
  type: 'destination.created' | 'destination.updated' | 'destination.deleted',
  destination: Subject,
  { data = {}, ...by }: By & { data?: Record<string, unknown> },
): NewEvent => ({ type, subject: destinationParty(destination), data, ...by });

/** `reason`: why the last delivery failed. */
export const destinationStateChanged = (
  destination: Subject,
  { from, to, reason, ...by }: By & { from: DestinationState; to: DestinationState; reason: string | null },
): NewEvent => ({
  type: 'destination.state-changed',
  subject: destinationParty(destination),
  data: { from, to, reason },
  ...by,
});
