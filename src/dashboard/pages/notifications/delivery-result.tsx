import type { ReactNode } from 'react';
import { cx } from '../../ui/browser/cx.ts';
import { Dot } from '../../ui/feedback/state-dot.tsx';

type ResultTone = 'good' | 'bad' | 'idle';

const toneClasses: Record<ResultTone, { box: string; title: string }> = {
  good: { box: 'bg-good-soft', title: 'text-good-text' },
  bad: { box: 'bg-bad-soft', title: 'text-bad-text' },
  idle: { box: 'bg-idle-soft', title: '' },
};

type Props = { tone: ResultTone; title: string; children?: ReactNode; aside?: ReactNode };

/** The outcome of deliveries: “Delivered.”, then details. */
export const DeliveryResult = ({ tone, title, children, aside }: Props) => (
  <span className={cx('flex items-baseline gap-2.5 rounded-md px-3 py-2.5', toneClasses[tone].box)}>
    <Dot tone={tone} className={cx(tone === 'idle' && 'animate-pulse')} />
    <span className="min-w-0 flex-1 break-words">
      <strong className={cx('font-medium', toneClasses[tone].title)}>{title}</strong> {children}
    </span>
    {aside !== undefined && <span className="tabular shrink-0 text-sm text-muted">{aside}</span>}
  </span>
);
