import { lazy, useEffect, useRef, useState, type RefObject, Suspense } from 'react';
import {
  Navigate,
  NavigationType,
  Outlet,
  ScrollRestoration,
  useLocation,
  useNavigation,
  useNavigationType,
  NavLink,
  Link,
} from 'react-router-dom';
import { useSession } from '../api/session.ts';
import { useLiveStream } from '../api/live/use-live.ts';
import { paths, withQuery } from '../paths.ts';
import { Optional } from '../ui/browser/optional.tsx';
import { collectTyped } from '../ui/browser/type-ahead.ts';
import { useIsNarrow, useMediaQuery } from '../ui/browser/media-query.ts';
import { useShortcuts } from './shortcuts.ts';
import { SideNavigation } from './side-navigation.tsx';
import { useQuery } from '@tanstack/react-query';
import { serviceQueries } from '../resources/service/service-queries.ts';
import { cx } from '../ui/browser/cx.ts';
import { useReachablePages } from './navigation.ts';
import { Search } from 'lucide-react';
import { IconButton } from '../ui/controls/button.tsx';
import { AccountMenu } from './account-menu.tsx';
import { ConnectionLight } from './connection-light.tsx';
import { Logo } from '../ui/layout/logo.tsx';
import { useHasRecordedChange } from '../api/recorded-change.ts';
import { sessionQueries } from '../api/session-queries.ts';
import { lazyPopup } from '../ui/overlays/lazy-popup.tsx';

const CommandPalette = lazyPopup(async () => (await import('./command-palette.tsx')).CommandPalette);
const ShortcutList = lazyPopup(async () => (await import('./shortcut-list.tsx')).ShortcutList);

/** Every reloaded page has the same key, so its address is the key. */
const scrollKeyOf = ({ key, pathname }: { key: string; pathname: string }): string =>
  key === 'default' ? pathname : key;

/** The frame of every page: navigation, connection light, palette and sign-in dialog. */
export const Shell = () => {
  // Its memoised form is larger, and it is part of every page.
  'use no memo';
  const current = useSession();
  const isNarrow = useIsNarrow();
  const isRail = useMediaQuery('(width < 64rem)');
  const location = useLocation();
  const [overlay, setOverlay] = useState<{ name: 'palette' | 'shortcuts'; isOpen: boolean } | null>(null);
  const close = () => setOverlay((shown) => shown && { ...shown, isOpen: false });
  const onPalette = () => {
    if (overlay?.name === 'palette' && overlay.isOpen) return;
    collectTyped(close);
    setOverlay({ name: 'palette', isOpen: true });
  };
  const onShortcuts = () => setOverlay({ name: 'shortcuts', isOpen: true });
  const main = useRef<HTMLElement>(null);
  useShortcuts({ onPalette, onHelp: onShortcuts });
  useLiveStream();
  useFocusOnNewPage(main, location.pathname);

  if (current.status === 'signed-out') {
    return <Navigate to={withQuery(paths.signIn, { to: location.pathname + location.search })} replace />;
  }
  return (
    <>
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:fixed! focus:top-2 focus:left-2 focus:z-50 focus:rounded-md focus:bg-ink focus:px-3 focus:py-2 focus:text-canvas"
      >
        Skip to content
      </a>
      <Progress />
      <div className={isNarrow ? '' : 'flex'}>
        {isNarrow ? (
          <TopBar onPalette={onPalette} onShortcuts={onShortcuts} />
        ) : (
          <SideNavigation isRail={isRail} onPalette={onPalette} onShortcuts={onShortcuts} />
        )}
        <main
          ref={main}
          id="main"
          tabIndex={-1}
          className="min-w-0 flex-1 p-4 outline-none max-md:pb-[calc(4.5rem+env(safe-area-inset-bottom))] lg:px-6 lg:py-5"
        >
          <StorageNotice />
          <Outlet />
          <SessionNamePrompt />
        </main>
        {isNarrow && <BottomBar />}
      </div>
      <ScrollRestoration getKey={scrollKeyOf} />
      <Suspense>
        {overlay?.name === 'palette' && <CommandPalette isOpen={overlay.isOpen} onClose={close} />}
        {overlay?.name === 'shortcuts' && <ShortcutList isOpen={overlay.isOpen} onClose={close} />}
      </Suspense>
      <SessionDialogs />
    </>
  );
};

const BACK_MS = 50;

/** The link of the row that leads to a path. */
const rowOf = (page: HTMLElement | null, pathname: string): HTMLAnchorElement | undefined =>
  [...(page?.querySelectorAll<HTMLAnchorElement>('a[data-row-link]') ?? [])].find((link) =>
    new URL(link.href).pathname.endsWith(pathname),
  );

/**
 * Focuses the heading of a new page, so that a screen reader reads it; after Back, the row of the page that was left. A
 * new filter does not move the focus.
 */
const useFocusOnNewPage = (main: RefObject<HTMLElement | null>, pathname: string) => {
  const shown = useRef(pathname);
  const isBack = useNavigationType() === NavigationType.Pop;
  useEffect(() => {
    if (shown.current === pathname) return undefined;
    const left = shown.current;
    shown.current = pathname;
    const heading = main.current?.querySelector<HTMLElement>('h1[tabindex]');
    (heading ?? main.current)?.focus({ preventScroll: true });
    if (!isBack) return undefined;
    // The rows are drawn after the scroll position is restored.
    const timer = setTimeout(() => rowOf(main.current, left)?.focus({ preventScroll: true }), BACK_MS);
    return () => clearTimeout(timer);
  }, [main, pathname, isBack]);
};

const PROGRESS_AFTER = 'delay-200';

/** A line at the top while the next page loads, shown after a delay. */
const Progress = () => {
  const { state } = useNavigation();
  return (
    <div
      aria-hidden
      className={`fixed inset-x-0 top-0 z-50 h-0.5 bg-accent transition-opacity ${
        state === 'idle' ? 'opacity-0' : `animate-pulse opacity-100 ${PROGRESS_AFTER}`
      }`}
    />
  );
};

const StorageNotices = lazy(async () => ({
  default: (await import('./storage-notices.tsx')).StorageNotices,
}));

/** Shown on every page while the disk or a file has a problem. Its code loads when there is one. */
const StorageNotice = () => {
  const { data } = useQuery(serviceQueries.storage());
  // A deletion that was started here can free enough space before it ends. Its dialog stays.
  const [isDeleting, setIsDeleting] = useState(false);
  if (data === undefined || (data.state === 'writable' && data.files.length === 0 && !isDeleting))
    return null;
  return (
    <Optional>
      <StorageNotices storage={data} onDeleting={setIsDeleting} />
    </Optional>
  );
};

/** The pages, at the bottom of a phone. */
const BottomBar = () => {
  const pages = useReachablePages();
  return (
    <nav
      aria-label="Pages"
      className="fixed inset-x-0 bottom-0 z-20 flex border-t border-hairline bg-surface pb-[env(safe-area-inset-bottom)]"
    >
      {pages.map(({ label, to, icon: Icon }) => (
        <NavLink
          key={to}
          to={to}
          end={to === '/'}
          className={({ isActive }) =>
            cx(
              'flex h-14 min-w-0 flex-1 flex-col items-center justify-center gap-1 text-xs tracking-tight -outline-offset-2! max-[380px]:text-[11px]',
              isActive ? 'font-semibold text-ink [&_svg]:text-accent' : 'text-muted',
            )
          }
        >
          <Icon aria-hidden className="size-5" />
          <span className="max-w-full truncate">{label}</span>
        </NavLink>
      ))}
    </nav>
  );
};

/** The header of a phone: logo, connection light, palette and account menu. */
const TopBar = ({ onPalette, onShortcuts }: { onPalette: () => void; onShortcuts: () => void }) => (
  <header className="flex h-13 items-center gap-1 border-b border-hairline bg-surface pr-2 pl-4">
    <Link to={paths.overview} className="mr-auto flex items-center gap-2.5 rounded-sm text-lg font-semibold">
      <Logo className="size-6" />
      Penstock
    </Link>
    <ConnectionLight isShort />
    <IconButton label="Find" icon={<Search />} onClick={onPalette} />
    <AccountMenu isCompact side="bottom" onShortcuts={onShortcuts} />
  </header>
);

const SignInAgain = lazy(async () => ({ default: (await import('./sign-in-again.tsx')).SignInAgain }));

/** Asks to sign in again after the session ended. */
const SessionDialogs = () => {
  const current = useSession();
  return <Suspense>{current.status === 'ended' && <SignInAgain code={current.code} />}</Suspense>;
};

const SessionNameNotice = lazy(async () => ({
  default: (await import('./session-name-form.tsx')).SessionNameNotice,
}));

const DISMISSED = 'penstock.session-name-dismissed';

/** After the first recorded change, asks once for the name of a session without one. */
const SessionNamePrompt = () => {
  const { data: who } = useQuery(sessionQueries.who());
  const hasChanged = useHasRecordedChange();
  // Not asked again in this session, also after a reload.
  const [dismissed, setDismissed] = useState(() => sessionStorage.getItem(DISMISSED));
  if (!hasChanged || who?.kind !== 'session' || who.label !== null || dismissed === who.id) return null;
  return (
    <Optional>
      <SessionNameNotice
        onDismiss={() => {
          sessionStorage.setItem(DISMISSED, who.id);
          setDismissed(who.id);
        }}
      />
    </Optional>
  );
};
