import { Search } from 'lucide-react';
import { NavLink } from 'react-router-dom';
import { useReachablePages } from './navigation.ts';
import { cx } from '../ui/browser/cx.ts';
import { Kbd, modKey } from '../ui/controls/kbd.tsx';
import { AccountMenu } from './account-menu.tsx';
import { ConnectionLight } from './connection-light.tsx';
import { Logo } from '../ui/layout/logo.tsx';

type Props = { isRail: boolean; onPalette: () => void; onShortcuts: () => void };

/** The navigation at the side; only icons on narrower screens. */
export const SideNavigation = ({ isRail, onPalette, onShortcuts }: Props) => (
  <header
    className={cx(
      'sticky top-0 flex h-dvh shrink-0 flex-col gap-1 border-r border-hairline py-3',
      isRail ? 'w-14 items-center px-1.5' : 'w-54 px-3',
    )}
  >
    <div className={cx('mb-3 flex h-8 items-center gap-2.5', isRail ? '' : 'px-1.5')}>
      <Logo className="size-6" />
      {!isRail && <span className="text-lg font-semibold tracking-tight">Penstock</span>}
    </div>
    <button
      type="button"
      onClick={onPalette}
      aria-label={isRail ? 'Find' : undefined}
      aria-keyshortcuts="Control+K Meta+K"
      data-hint={isRail ? `Find (${modKey} K)` : undefined}
      className={cx(
        'mb-2 flex h-(--control-height) items-center gap-2.5 rounded-md text-muted hover:text-ink',
        isRail
          ? 'w-(--control-height) justify-center hover:bg-hover'
          : 'border border-control bg-surface px-2 hover:border-muted',
      )}
    >
      <Search aria-hidden className="size-4 shrink-0" />
      {!isRail && (
        <>
          <span className="flex-1 text-left">Find…</span>
          <span aria-hidden className="flex gap-0.5">
            <Kbd>{modKey}</Kbd>
            <Kbd>K</Kbd>
          </span>
        </>
      )}
    </button>
    <Pages isRail={isRail} />
    <div className={cx('mt-auto flex flex-col gap-0.5', isRail && 'items-center')}>
      <ConnectionLight isIconOnly={isRail} />
      <AccountMenu isCompact={isRail} onShortcuts={onShortcuts} side={isRail ? 'right' : 'top'} />
    </div>
  </header>
);

const Pages = ({ isRail }: { isRail: boolean }) => {
  const pages = useReachablePages();
  return (
    <nav aria-label="Pages" className="flex flex-col gap-0.5">
      {pages.map(({ label, to, icon: Icon }) => (
        <NavLink
          key={to}
          to={to}
          end={to === '/'}
          aria-label={isRail ? label : undefined}
          data-hint={isRail ? label : undefined}
          className={({ isActive }) =>
            cx(
              'relative flex h-(--control-height) items-center gap-2.5 rounded-md',
              isRail ? 'w-(--control-height) justify-center' : 'px-2',
              isActive
                ? 'bg-hover font-semibold text-ink before:absolute before:inset-y-1.5 before:-left-1.5 before:w-0.5 before:rounded-full before:bg-accent forced-colors:before:bg-[Highlight] [&_svg]:text-accent'
                : 'text-muted hover:bg-hover hover:text-ink',
            )
          }
        >
          <Icon aria-hidden className="size-4 shrink-0" />
          {!isRail && label}
        </NavLink>
      ))}
    </nav>
  );
};
