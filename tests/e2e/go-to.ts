import { expect, type Page } from '@playwright/test';

/** Addresses with the same value show the same page, possibly of another resource. */
const pageOf = (url: string): string => new URL(url).pathname.replaceAll(/\/\w*\d\w*/g, '/:id');

/** Opens an address as a link of the dashboard does, where another page is open. A load takes seven times as long. */
export const goTo = async (page: Page, url: string): Promise<void> => {
  const isOpen = await page.evaluate(() => document.querySelector('main h1') !== null);
  // Its heading would not tell when the next address is shown.
  if (!isOpen || pageOf(page.url()) === pageOf(url)) {
    await page.goto(url);
    return;
  }
  await page.evaluate((address) => {
    document.querySelector('main h1')?.setAttribute('data-left', '');
    const { idx = 0 } = (history.state ?? {}) as { idx?: number };
    history.pushState({ idx: idx + 1, key: String(idx + 1) }, '', address);
    dispatchEvent(new PopStateEvent('popstate', { state: history.state as unknown }));
  }, url);
  await expect(page.locator('[data-left]')).toHaveCount(0);
};
