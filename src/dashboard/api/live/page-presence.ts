import { session } from '../session.ts';

const CLOSE_HIDDEN_AFTER_MS = 10_000;

type Handlers = {
  /** The page is visible and has a session with this token. Called again if it becomes visible again. */
  onPresent: (token: string) => void;
  /** The page is hidden for a while, goes away, or its session ended or changed. */
  onAbsent: (why: 'hidden' | 'gone') => void;
  /** The browser is online again. */
  onOnline: () => void;
};

/** Follows whether someone can see this page, signed in. The returned function stops it. */
export const followPagePresence = ({ onPresent, onAbsent, onOnline }: Handlers): (() => void) => {
  let token: string | undefined;
  let hiding: ReturnType<typeof setTimeout> | undefined;

  const onVisibility = () => {
    clearTimeout(hiding);
    if (document.hidden) hiding = setTimeout(() => onAbsent('hidden'), CLOSE_HIDDEN_AFTER_MS);
    else if (token !== undefined) onPresent(token);
  };
  const onPageHide = () => onAbsent('gone');
  const onSession = () => {
    const current = session.get();
    const next = current.status === 'active' ? current.stored.token : undefined;
    if (next === token) return;
    if (token !== undefined) onAbsent('gone');
    token = next;
    if (token === undefined) return;
    onPresent(token);
    // A tab that was opened in the background.
    if (document.hidden) onVisibility();
  };

  document.addEventListener('visibilitychange', onVisibility);
  window.addEventListener('online', onOnline);
  window.addEventListener('pagehide', onPageHide);
  // The browser's Back restores a hidden page.
  window.addEventListener('pageshow', onVisibility);
  const unsubscribe = session.subscribe(onSession);
  onSession();
  return () => {
    clearTimeout(hiding);
    unsubscribe();
    document.removeEventListener('visibilitychange', onVisibility);
    window.removeEventListener('online', onOnline);
    window.removeEventListener('pagehide', onPageHide);
    window.removeEventListener('pageshow', onVisibility);
  };
};
