import { useRef, type ReactNode } from 'react';
import { useKeptFocus } from '../browser/kept-focus.ts';

type Props = { title: string; children?: ReactNode; action?: ReactNode };

/** Says what belongs here, and offers the next step. */
export const EmptyState = ({ title, children, action }: Props) => {
  // Its memoised form is larger, and it is part of every page.
  'use no memo';
  const region = useRef<HTMLDivElement>(null);
  useKeptFocus(region, title);
  return (
    <div ref={region} className="flex flex-col items-start gap-1 px-4 py-6">
      <h2 className="font-semibold">{title}</h2>
      {children !== undefined && <div className="w-full max-w-[64ch] min-w-0 text-muted">{children}</div>}
      {action !== undefined && <div className="mt-3 flex flex-wrap gap-2 empty:hidden">{action}</div>}
    </div>
  );
};
