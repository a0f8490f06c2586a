import { useSyncExternalStore } from 'react';

/**
 * A choice of this browser, kept in localStorage and followed by all its tabs.
 * `read` turns what is stored (null: nothing) into a choice; it must answer the same for the same text.
 */
export const storedChoice = <T>(
  key: string,
  read: (text: string | null) => T,
  write: (choice: T) => string,
) => {
  const listeners = new Set<() => void>();
  const load = () => {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  };
  let text = load();
  let choice = read(text);
  const follow = (next: string | null) => {
    if (next === text) return;
    text = next;
    choice = read(next);
    for (const listener of listeners) listener();
  };
  window.addEventListener('storage', (event) => {
    if (event.key === key || event.key === null) follow(load());
  });
  const get = () => choice;
  const set = (next: T) => {
    const nextText = write(next);
    try {
      localStorage.setItem(key, nextText);
    } catch {
      // Storage is blocked: the choice lasts as long as this tab.
    }
    follow(nextText);
  };
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return { get, set, subscribe };
};

/** The choice as it is now; renders again when it changes, in whatever tab. */
export const useStoredChoice = <T>({
  subscribe,
  get,
}: {
  subscribe: (listener: () => void) => () => void;
  get: () => T;
}): T => useSyncExternalStore(subscribe, get);

/** A stored choice among a few words; the first is taken where nothing else is stored. */
export const storedOption = <const W extends readonly [string, ...string[]]>(key: string, words: W) =>
  storedChoice<W[number]>(
    key,
    (text) => words.find((word) => word === text) ?? words[0],
    (word) => word,
  );
