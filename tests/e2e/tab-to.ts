import { expect, type Locator } from '@playwright/test';

/** Users give up on a control that takes more presses. */
const MAX_PRESSES = 15;

/** Presses Tab until the control has the focus, as somebody without a mouse does. */
export const tabTo = async (control: Locator): Promise<void> => {
  const page = control.page();
  await expect(control).toBeVisible();
  for (let presses = 0; presses < MAX_PRESSES; presses += 1) {
    await page.keyboard.press('Tab');
    if (await control.evaluate((element) => element === document.activeElement)) return;
  }
  throw new Error(`Tab does not reach ${String(control)} within ${MAX_PRESSES} presses.`);
};
