import type { Destination, DestinationState } from '#contract/destinations.ts';
import { TELEMETRY } from '#contract/pipelines.ts';
import { Badge, StateDot, type Tone } from '../../ui/feedback/state-dot.tsx';
import { foldCase } from '#contract/fold-case.ts';

/** Whether this is the built-in store. */
export const isBuiltIn = ({ type }: Pick<Destination, 'type'>): boolean => type === TELEMETRY;

const stateDisplay: Record<DestinationState, { word: string; tone: Tone }> = {
  healthy: { word: 'Healthy', tone: 'good' },
  retrying: { word: 'Retrying', tone: 'attention' },
  blocked: { word: 'Blocked', tone: 'bad' },
};

/** The state in words. Whether a destination works is unknown until its first delivery. */
export const describeDestinationState = (destination: Destination): { word: string; tone: Tone } => {
  const { state, lastDeliveredAt } = destination;
  if (state === 'healthy' && lastDeliveredAt === null && !isBuiltIn(destination))
    return { word: 'Not used yet', tone: 'idle' };
  return stateDisplay[state];
};

export const DestinationStateDot = ({ destination }: { destination: Destination }) => {
  const { word, tone } = describeDestinationState(destination);
  return <StateDot tone={tone}>{word}</StateDot>;
};

export const DestinationStateBadge = ({ destination }: { destination: Destination }) => {
  const { word, tone } = describeDestinationState(destination);
  return <Badge tone={tone}>{word}</Badge>;
};

/** Puts the built-in store first. */
export const builtInFirst = (destinations: readonly Destination[]): Destination[] => [
  ...destinations.filter(isBuiltIn),
  ...destinations.filter((each) => !isBuiltIn(each)),
];

/** Why the destination does not accept samples; null if it is healthy. */
export const destinationReason = ({ state, lastError }: Destination): string | null =>
  state === 'healthy' ? null : (lastError?.detail ?? null);

/** Names of destinations are compared without case. */
export const isSameDestination = (a: string, b: string): boolean => foldCase(a) === foldCase(b);
