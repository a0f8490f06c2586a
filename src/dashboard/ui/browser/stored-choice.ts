import { useSyncExternalStore } from 'react';
import { createListeners } from './listeners.ts';

/**
 * A setting of this browser, stored in localStorage and shared by all its tabs. `read` parses the stored text (null:
 * none); it must be deterministic.
 */
export const storedChoice = <T>(
  key: string,
  read: (text: string | null) => T,
  write: (choice: T) => string,
) => {
  const { subscribe, notify } = createListeners();
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
    notify();
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
  return { get, set, subscribe };
};

/** The current value; renders when any tab changes it. */
export const useStoredChoice = <T>({
  subscribe,
  get,
}: {
  subscribe: (listener: () => void) => () => void;
  get: () => T;
}): T => useSyncExternalStore(subscribe, get);

/** A stored setting with a few options. */
export const storedOption = <W extends string>(key: string, options: readonly W[], initial: NoInfer<W>) =>
  storedChoice<W>(
    key,
    (text) => options.find((option) => option === text) ?? initial,
    (option) => option,
  );
