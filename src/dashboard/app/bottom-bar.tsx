import { NavLink } from 'react-router-dom';
import { cx } from '../ui/browser/cx.ts';
import { MAX_IN_BAR, useMayReach } from './navigation.ts';

/** The first pages, within reach of a thumb; the others are in the account menu above. */
export const BottomBar = () => {
  const pages = useMayReach();
  return (
    <nav
      aria-label="Pages"
      className="fixed inset-x-0 bottom-0 z-20 flex border-t border-hairline bg-surface pb-[env(safe-area-inset-bottom)]"
    >
      {pages.slice(0, MAX_IN_BAR).map(({ label, to, icon: Icon }) => (
        <NavLink
          key={to}
          to={to}
          end={to === '/'}
          className={({ isActive }) =>
            cx(
              'flex h-14 min-w-0 flex-1 flex-col items-center justify-center gap-1 text-xs -outline-offset-2!',
              isActive ? 'font-semibold text-ink [&_svg]:text-accent' : 'text-muted',
            )
          }
        >
          <Icon aria-hidden className="size-5" />
          <span className="max-w-full truncate px-1">{label}</span>
        </NavLink>
      ))}
    </nav>
  );
};
