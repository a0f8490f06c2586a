import { ChevronLeft } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link as RouterLink } from 'react-router-dom';
import { cx } from '../browser/cx.ts';

type Props = {
  title: string;
  /** Beside the title: a state, a count. */
  aside?: ReactNode;
  /** One line below the title. */
  children?: ReactNode;
  actions?: ReactNode;
  back?: { to: string; label: string };
};

/** The head of a page; also names the tab. */
export const PageHeader = ({ title, aside, children, actions, back }: Props) => (
  <header className="mb-4 flex flex-wrap items-start gap-x-4 gap-y-3">
    <title>{`${title} · Penstock`}</title>
    {/* On a phone, actions leave too little room for a line below the title. */}
    <div className={cx('min-w-0 flex-1 basis-32', children !== undefined && 'max-md:basis-full')}>
      {back !== undefined && (
        <RouterLink
          to={back.to}
          className="mb-1 -ml-1 inline-flex min-h-6 items-center gap-0.5 rounded-sm pr-1 text-sm text-muted hover:text-ink"
        >
          <ChevronLeft aria-hidden className="size-4" />
          {back.label}
        </RouterLink>
      )}
      <div className="flex min-h-(--control-height) flex-wrap items-center gap-x-3 gap-y-1">
        <h1 tabIndex={-1} className="min-w-0 text-xl font-semibold tracking-tight break-words outline-none">
          {title}
        </h1>
        {aside}
      </div>
      {children !== undefined && <div className="mt-0.5 text-muted">{children}</div>}
    </div>
    {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
  </header>
);

/** In place of the actions of an item until it is loaded: on a phone as large as its buttons, which are on a separate line. */
export const ActionsSkeleton = () => <span className="h-(--control-height) w-73 md:hidden" />;
