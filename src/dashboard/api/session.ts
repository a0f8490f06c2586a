import { useSyncExternalStore } from 'react';
import type { Scope } from '#contract/scope.ts';
import { deleteAllDrafts } from '../ui/browser/draft.ts';
import { queryClient } from './query-client.ts';
import { createListeners } from '../ui/browser/listeners.ts';

/** The path of BASE_URL, from a meta tag of the page; '' at the root of the origin. */
export const basePath: string =
  document.querySelector('meta[name="base-path"]')?.getAttribute('content') ?? '';

const KEY = 'penstock.session';

/** A session token and the service that issued it. The token is sent to that origin only. */
export type StoredSession = {
  token: string;
  baseUrl: string;
  expiresAt: string;
  /** The scopes of the token. Requests that need another scope are not sent. Missing: unknown. */
  scopes?: readonly Scope[];
  /** The sign-in replaced an ended session, whose page stays open. */
  isAgain?: boolean;
};

export type Session =
  | { status: 'signed-out' }
  | { status: 'active'; stored: StoredSession }
  /** The service rejected the token. The page stays open under a dialog that asks to sign in again. */
  | { status: 'ended'; baseUrl: string; code: string };

const isStored = (value: unknown): value is StoredSession =>
  typeof value === 'object' &&
  value !== null &&
  (['token', 'baseUrl', 'expiresAt'] as const).every(
    (key) => key in value && typeof (value as Record<string, unknown>)[key] === 'string',
  );

const readStored = (): StoredSession | null => {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(KEY) ?? 'null');
    return isStored(value) ? value : null;
  } catch {
    return null;
  }
};

const fromStorage = (): Session => {
  const stored = readStored();
  return stored === null ? { status: 'signed-out' } : { status: 'active', stored };
};

const tokenOf = (of: Session) => (of.status === 'active' ? of.stored.token : null);

let current: Session = fromStorage();
/** The last token used in this tab: its cached data was read with it. */
let lastToken = tokenOf(current);
const { subscribe, notify } = createListeners();

const setSession = (next: Session) => {
  current = next;
  lastToken = tokenOf(next) ?? lastToken;
  notify();
};

const store = (value: StoredSession | null) => {
  try {
    if (value === null) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, JSON.stringify(value));
  } catch {
    // Storage is blocked or full: the session lasts as long as this tab.
  }
};

// Follows a sign-in or sign-out in another tab. (null: all storage was cleared.)
window.addEventListener('storage', (event) => {
  if (event.key !== KEY && event.key !== null) return;
  const next = fromStorage();
  const canFollow = next.status === 'active' || current.status !== 'ended';
  if (!canFollow) return;
  const before = lastToken;
  setSession(next);
  if (before === null || lastToken === before || next.status !== 'active') return;
  if (next.stored.isAgain === true) {
    void queryClient.invalidateQueries();
    return;
  }
  // Another session: drops the data and the drafts of the previous one.
  deleteAllDrafts();
  queryClient.removeQueries({ type: 'inactive' });
  void queryClient.resetQueries();
});

const isBelow = (base: URL, url: URL): boolean =>
  base.origin === url.origin && url.pathname.startsWith(`${base.pathname.replace(/\/$/, '')}/`);

export const session = {
  get: () => current,
  /** The base URL of the API: the origin and base path of this page, unless the session was opened elsewhere. */
  baseUrl: (): string => {
    if (current.status === 'active') return current.stored.baseUrl;
    return current.status === 'ended' ? current.baseUrl : `${window.location.origin}${basePath}`;
  },
  /** The token for a URL, or null if the service at that URL did not issue it. */
  tokenFor: (url: URL): string | null =>
    current.status === 'active' && isBelow(new URL(current.stored.baseUrl), url)
      ? current.stored.token
      : null,
  /** The scopes of the token, or null if unknown. */
  scopes: (): readonly Scope[] | null =>
    current.status === 'active' ? (current.stored.scopes ?? null) : null,
  /** Keeps the scopes that the service reported for `token`. Retries failed queries, which may have lacked a scope. */
  recordScopes: (token: string, scopes: readonly Scope[]) => {
    if (current.status !== 'active' || current.stored.token !== token) return;
    if (String(current.stored.scopes) === String(scopes)) return;
    const stored = { ...current.stored, scopes };
    if (readStored()?.token === token) store(stored);
    setSession({ status: 'active', stored });
    void queryClient.invalidateQueries({ predicate: ({ state }) => state.status === 'error' });
  },
  start: (stored: StoredSession) => {
    store(stored);
    setSession({ status: 'active', stored });
  },
  /** Ends the session because the service rejected `token`. Ignored if another token is in use. */
  end: (token: string, code: string) => {
    if (current.status !== 'active' || current.stored.token !== token) return;
    if (readStored()?.token === token) store(null);
    setSession({ status: 'ended', baseUrl: current.stored.baseUrl, code });
  },
  signOut: () => {
    store(null);
    setSession({ status: 'signed-out' });
  },
  subscribe,
};

export const useSession = (): Session => useSyncExternalStore(session.subscribe, session.get);
