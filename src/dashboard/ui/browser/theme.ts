import { storedOption } from './stored-choice.ts';

/** Also read by public/before-paint.js, which sets the theme before the first paint. */
export const themeChoice = storedOption('penstock.theme', ['system', 'light', 'dark']);

const systemIsDark = window.matchMedia('(prefers-color-scheme: dark)');

const apply = () => {
  const choice = themeChoice.get();
  const isDark = choice === 'dark' || (choice === 'system' && systemIsDark.matches);
  document.documentElement.dataset['theme'] = isDark ? 'dark' : 'light';
};

/** Applies the chosen theme, now and when it changes. */
export const applyTheme = () => {
  apply();
  themeChoice.subscribe(apply);
  systemIsDark.addEventListener('change', apply);
};
