import type { DeviceFacet } from '#contract/devices.ts';
import { cx } from '../../ui/browser/cx.ts';
import { toneFill } from '../../ui/feedback/state-dot.tsx';
import { deviceStateDisplay, deviceStateOrder } from './device-state.tsx';

type Props = { counts: Pick<DeviceFacet, 'byState'> | undefined };

/** The states as shares of one bar. Hidden from screen readers: the figures beside it say the same. */
export const StateShares = ({ counts }: Props) => (
  <div aria-hidden className="flex h-1.5 w-full gap-0.5 overflow-hidden rounded-full bg-hover">
    {deviceStateOrder.map((state) => {
      const count = counts?.byState[state] ?? 0;
      return (
        count > 0 && (
          <div
            key={state}
            className={cx('keeps-colour min-w-1', toneFill[deviceStateDisplay[state].tone])}
            style={{ flexGrow: count }}
          />
        )
      );
    })}
  </div>
);
