import { storedOption } from './stored-choice.ts';

/** Read by public/before-paint.js too, which sets the theme before anything is painted. */
export const themeChoice = storedOption('penstock.theme', ['system', 'light', 'dark']);

const systemIsDark = window.matchMedia('(prefers-color-scheme: dark)');

const apply = () => {
  const choice = themeChoice.get();
  const isDark = choice === 'dark' || (choice === 'system' && systemIsDark.matches);
  document.documentElement.dataset['theme'] = isDark ? 'dark' : 'light';
};

/** Keeps the page in the chosen theme while it is open. */
export const applyTheme = () => {
  apply();
  themeChoice.subscribe(apply);
  systemIsDark.addEventListener('change', apply);
};
