import type { ReactNode } from 'react';
import { cx } from '../browser/cx.ts';

type Props = {
  title: string;
  aside?: ReactNode;
  /** On a phone the parts of `aside` wrap. */
  asideWraps?: boolean;
  children: ReactNode;
  className?: string;
  /** The content reaches the edges: lists and tables. */
  flush?: boolean;
};

/** A region of a page with a heading. Panels stand side by side, never one inside another. */
export const Panel = ({ title, aside, children, className, flush = false, asideWraps = false }: Props) => (
  <section
    aria-label={title}
    className={cx('flex min-w-0 flex-col rounded-md border border-hairline bg-surface', className)}
  >
    <div className="flex min-h-11 flex-wrap items-center gap-x-3 gap-y-1 px-4 pt-2">
      <h2 className="font-semibold">{title}</h2>
      {aside !== undefined && (
        <div
          className={cx(
            'ml-auto flex items-center gap-2 text-sm text-muted',
            asideWraps && 'max-md:contents',
          )}
        >
          {aside}
        </div>
      )}
    </div>
    <div className={cx('min-w-0 flex-1', flush ? 'pb-1' : 'px-4 pt-1 pb-4')}>{children}</div>
  </section>
);
