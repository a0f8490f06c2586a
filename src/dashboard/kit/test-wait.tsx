import { useState } from 'react';
import { Button } from '../ui/controls/button.tsx';
import { formatDuration } from '../ui/format/format-duration.ts';
import { nowMs, useClock } from '../ui/browser/clock.ts';
import { Spinner } from '../ui/controls/spinner.tsx';

type Props = {
  /** What is tried: “Trying the source”. */
  children: string;
  /** How long it takes at most, in seconds. */
  mostS: number;
  onCancel: () => void;
};

/** A test under way: what it tries, for how long, and how to stop waiting for it. */
export const TestWait = ({ children, mostS, onCancel }: Props) => {
  const [begunMs] = useState(nowMs);
  const lasted = useClock((now) => formatDuration(Math.max(0, now - begunMs)));
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-md border border-hairline px-3 py-2">
      <Spinner />
      <output className="min-w-48 flex-1">{children}</output>
      <span aria-hidden className="tabular text-sm text-muted">
        {lasted} of at most {mostS} s
      </span>
      <Button look="quiet" className="ml-auto" onClick={onCancel}>
        Stop
      </Button>
    </div>
  );
};
