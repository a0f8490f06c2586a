import { CloudOff } from 'lucide-react';
import { useDataAge, useLiveStatus } from '../../api/live/live-status.ts';

/** Beside the title, so that nothing moves: from a distance, figures of an hour ago look like those of now. */
export const OfflineNotice = () => {
  const { state } = useLiveStatus();
  const age = useDataAge();
  if (state !== 'offline') return null;
  return (
    <p className="tabular flex items-center gap-2 text-[clamp(1rem,1.4vw,2rem)] leading-none font-semibold text-bad-text">
      <CloudOff aria-hidden className="size-[1em]" />
      Cannot reach the service{age !== '' && ` · data is ${age} old`}
    </p>
  );
};
