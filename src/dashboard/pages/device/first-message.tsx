import { useQuery } from '@tanstack/react-query';
import { CircleCheck } from 'lucide-react';
import type { Device } from '#contract/devices.ts';
import { useMay } from '../../api/session-queries.ts';
import { telemetryQueries } from '../../resources/telemetry/telemetry-queries.ts';
import { Dot } from '../../ui/feedback/state-dot.tsx';

type Props = { device: Device; hasLanded: boolean };

/** Whether a message has come since one looks here. It turns green by itself. */
export const FirstMessage = ({ device, hasLanded }: Props) => (
  <output
    className={`flex items-start gap-2.5 rounded-md px-3 py-2.5 ${hasLanded ? 'bg-good-soft' : 'bg-idle-soft'}`}
  >
    {hasLanded ? (
      <>
        <CircleCheck aria-hidden className="mt-0.5 size-4 shrink-0 text-good-text" />
        <span className="min-w-0">
          <span className="block font-medium text-good-text">A message has landed</span>
          <LandedValues deviceId={device.id} />
        </span>
      </>
    ) : (
      <>
        <Dot tone="idle" className="mt-1.5 animate-pulse" />
        <span>
          <span className="block font-medium">
            {device.lastSeenAt === null ? 'Waiting for its first message' : 'Waiting for its next message'}
          </span>
          <span className="text-sm text-muted">This turns green as soon as one is stored.</span>
        </span>
      </>
    )}
  </output>
);

const SHOWN = 3;

/** What the device says now, so that one sees that it is what was sent. */
const LandedValues = ({ deviceId }: { deviceId: string }) => {
  const { data } = useQuery({
    ...telemetryQueries.latest(deviceId),
    staleTime: 0,
    enabled: useMay('telemetry:read'),
  });
  const newest = (data?.data ?? []).toSorted((a, b) => b.ts - a.ts).slice(0, SHOWN);
  return (
    <span className="tabular text-sm break-words">
      {newest.map(({ metric, value, unit }) => `${metric} ${value}${unit ? ` ${unit}` : ''}`).join(', ')}
    </span>
  );
};
