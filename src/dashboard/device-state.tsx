import type { DeviceState } from '#contract/devices.ts';
import { Badge, StateDot, type Tone } from './ui/state-dot.tsx';

export const deviceStateLook: Record<DeviceState, { word: string; tone: Tone }> = {
  online: { word: 'Online', tone: 'good' },
  late: { word: 'Late', tone: 'attention' },
  offline: { word: 'Offline', tone: 'bad' },
  'never-seen': { word: 'Never seen', tone: 'idle' },
};

export const DeviceStateDot = ({ state }: { state: DeviceState }) => {
  const { word, tone } = deviceStateLook[state];
  return <StateDot tone={tone}>{word}</StateDot>;
};

export const DeviceStateBadge = ({ state }: { state: DeviceState }) => {
  const { word, tone } = deviceStateLook[state];
  return <Badge tone={tone}>{word}</Badge>;
};
