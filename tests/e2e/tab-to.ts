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

/** Presses the down arrow from the top of the open list until the option is highlighted. */
export const arrowTo = async (option: Locator): Promise<void> => {
  const page = option.page();
  const highlighted = page.locator('[role="option"][data-highlighted]');
  await expect(option).toBeVisible();
  await page.keyboard.press('Home');
  await expect(page.getByRole('option').first()).toHaveAttribute('data-highlighted');
  for (let presses = 0; presses < MAX_PRESSES; presses += 1) {
    const text = await highlighted.innerText();
    if (text === (await option.innerText())) return;
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => highlighted.innerText()).not.toBe(text);
  }
  throw new Error(`The down arrow does not reach ${String(option)} within ${MAX_PRESSES} presses.`);
};
