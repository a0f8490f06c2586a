import type { ReactNode } from 'react';
import { cx } from '../browser/cx.ts';

/** The four tones of states. Never colour alone: a dot always has its word. */
export type Tone = 'good' | 'attention' | 'bad' | 'idle';

/** The classes of each tone: a filled area, text, and a pale background. */
export const toneFill: Record<Tone, string> = {
  good: 'bg-good',
  attention: 'bg-attention',
  bad: 'bg-bad',
  idle: 'bg-idle',
};
const rings: Record<Tone, string> = {
  good: '',
  attention: '',
  bad: '',
  // Hollow, so that idle differs from the others in shape as well.
  idle: 'bg-transparent! border-[1.5px] border-idle',
};
export const toneText: Record<Tone, string> = {
  good: 'text-good-text',
  attention: 'text-attention-text',
  bad: 'text-bad-text',
  idle: 'text-idle-text',
};
export const toneSoft: Record<Tone, string> = {
  good: 'bg-good-soft',
  attention: 'bg-attention-soft',
  bad: 'bg-bad-soft',
  idle: 'bg-idle-soft',
};

export const Dot = ({ tone, className }: { tone: Tone; className?: string }) => (
  <span
    aria-hidden
    className={cx(
      'keeps-colour inline-block size-2 shrink-0 rounded-full',
      toneFill[tone],
      rings[tone],
      className,
    )}
  />
);

/** A state: dot and word. */
export const StateDot = ({
  tone,
  children,
  className,
}: {
  tone: Tone;
  children: ReactNode;
  className?: string;
}) => (
  <span className={cx('inline-flex items-center gap-2 whitespace-nowrap', toneText[tone], className)}>
    <Dot tone={tone} />
    {children}
  </span>
);

/** A line of a result, with its tone. */
export const DotLine = ({ tone, children }: { tone: Tone; children: string }) => (
  <span className="flex items-baseline gap-2">
    <Dot tone={tone} />
    <span className="font-medium">{children}</span>
  </span>
);

/** A state on its own, as in the header of a page. */
export const Badge = ({ tone, children }: { tone: Tone; children: ReactNode }) => (
  <span
    className={cx(
      'inline-flex h-6 items-center gap-1.5 rounded-full px-2.5 text-sm font-medium whitespace-nowrap',
      toneSoft[tone],
      toneText[tone],
    )}
  >
    <Dot tone={tone} />
    {children}
  </span>
);
