import type { DeviceState } from '#contract/device-filter.ts';
import { Badge, StateDot, type Tone } from '../../ui/feedback/state-dot.tsx';

export const deviceStateDisplay: Record<DeviceState, { word: string; tone: Tone }> = {
  online: { word: 'Online', tone: 'good' },
  late: { word: 'Late', tone: 'attention' },
  offline: { word: 'Offline', tone: 'bad' },
  'never-seen': { word: 'Never seen', tone: 'idle' },
};

/** The states in the order of their urgency. */
export const deviceStateOrder: readonly DeviceState[] = ['offline', 'late', 'online', 'never-seen'];

export const DeviceStateDot = ({ state }: { state: DeviceState }) => {
  const { word, tone } = deviceStateDisplay[state];
  return <StateDot tone={tone}>{word}</StateDot>;
};

export const DeviceStateBadge = ({ state }: { state: DeviceState }) => {
  const { word, tone } = deviceStateDisplay[state];
  return <Badge tone={tone}>{word}</Badge>;
};
