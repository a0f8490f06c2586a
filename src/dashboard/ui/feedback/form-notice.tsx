import type { ReactNode } from 'react';
import { cx } from '../browser/cx.ts';
import type { Tone } from './state-dot.tsx';

const toneClasses: Record<Tone, string> = {
  good: 'bg-good-soft',
  attention: 'bg-attention-soft',
  bad: 'bg-bad-soft text-bad-text',
  idle: 'bg-idle-soft',
};

/** A notice about a whole form, above its fields; announced, without an interruption if nothing is wrong. */
export const FormNotice = ({
  tone,
  children,
  action,
}: {
  tone: Tone;
  children: ReactNode;
  action?: ReactNode;
}) => (
  <div
    role={tone === 'idle' ? 'status' : 'alert'}
    className={cx('flex flex-wrap items-center gap-x-4 gap-y-2 rounded-md px-3 py-2.5', toneClasses[tone])}
  >
    <p className="min-w-40 flex-1">{children}</p>
    {action !== undefined && <div className="flex flex-wrap gap-2">{action}</div>}
  </div>
);
