import type { Destination, DestinationState } from '#contract/destinations.ts';
import { TELEMETRY } from '#contract/pipelines.ts';
import { Badge, StateDot, type Tone } from '../../ui/feedback/state-dot.tsx';
import { foldCase } from '#contract/fold-case.ts';

export const destinationStateDisplay: Record<DestinationState, { word: string; tone: Tone }> = {
  healthy: { word: 'Healthy', tone: 'good' },
  retrying: { word: 'Retrying', tone: 'attention' },
  blocked: { word: 'Blocked', tone: 'bad' },
};

export const DestinationStateDot = ({ state }: Pick<Destination, 'state'>) => {
  const { word, tone } = destinationStateDisplay[state];
  return <StateDot tone={tone}>{word}</StateDot>;
};

export const DestinationStateBadge = ({ state }: Pick<Destination, 'state'>) => {
  const { word, tone } = destinationStateDisplay[state];
  return <Badge tone={tone}>{word}</Badge>;
};

/** Whether this is the built-in store. */
export const isBuiltIn = ({ type }: Pick<Destination, 'type'>): boolean => type === TELEMETRY;

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
