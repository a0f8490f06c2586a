import type { Page } from '@playwright/test';

/** Opens a step of the pipeline form. */
export const openStep = (page: Page, name: 'Format' | 'Destination' | 'Review'): Promise<void> =>
  page.getByRole('navigation', { name: 'Steps' }).getByRole('button', { name }).click();
