import { paths } from '../../paths.ts';

/** The sections of the settings, in order. To add one: a line here and its route. */
export const settingsSections: readonly { label: string; to: string }[] = [
  { label: 'API keys', to: paths.apiKeys },
];
