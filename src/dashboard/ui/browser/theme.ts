import { storedOption } from './stored-choice.ts';

/** The themes to choose from, in order. */
export const themes = [
  { value: 'system', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const;

export type Theme = (typeof themes)[number]['value'];

/** Also read by public/before-paint.js, which sets the theme before the first paint. */
export const themeChoice = storedOption(
  'penstock.theme',
  themes.map(({ value }) => value),
  'system',
);

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
