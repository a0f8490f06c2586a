import { AxeBuilder } from '@axe-core/playwright';
import { expect, test as base, type Browser, type Page } from '@playwright/test';
import { isFullRun } from '../service/sized.ts';
import { openSession, type SignedIn } from './open-session.ts';
import { startRunningService, type RunningService } from './running-service.ts';

type Journey = {
  /** True in files whose tests end or rename their session, need code that is not cached, or other options of the browser. */
  hasOwnContext: boolean;
  /** True where a test stops the service, which answers 503 until it is gone. */
  stopsService: boolean;
  /** A page signed in as Ada, on a picture of the service. Errors and warnings in its console fail the test. */
  page: Page;
  /**
   * Checks the page with axe against WCAG 2.2 AA, in both themes; in `npm test`, in the dark one at the first check of a test
   * only. `role`: only the elements with this role.
   */
  expectAccessible: (page: Page, role?: string) => Promise<void>;
};

/** Rejections and outages that a journey causes appear in the console as failed loads. */
const isExpected = (text: string): boolean =>
  /status of 4\d\d|ERR_CONNECTION_REFUSED|ERR_INTERNET_DISCONNECTED/.test(text);

const VIEWPORT = { width: 1_440, height: 900 };

/** The rules whose result depends on the theme. The others run once. */
const ofColours = ['color-contrast', 'link-in-text-block'];

/** Text that fades in would fail the contrast check. */
const endOfTransitions = (page: Page): Promise<unknown> =>
  page.evaluate(() =>
    Promise.allSettled(
      document
        .getAnimations()
        .filter(({ effect }) => effect?.getComputedTiming().iterations !== Infinity)
        .map(({ finished }) => finished),
    ),
  );

/** The events that tests listen to. */
const PAGE_EVENTS = [
  'console',
  'dialog',
  'pageerror',
  'request',
  'requestfailed',
  'requestfinished',
  'response',
];

const replaceStorage = (items: { name: string; value: string }[]): void => {
  sessionStorage.clear();
  localStorage.clear();
  for (const { name, value } of items) localStorage.setItem(name, value);
};

const openTab = async (browser: Browser): Promise<Page> => (await browser.newContext()).newPage();

/** Makes a tab of earlier tests like a new one, except that the browser has compiled the code of the pages. */
const reset = async (tab: Page): Promise<void> => {
  const context = tab.context();
  const others = context.pages().filter((each) => each !== tab);
  await Promise.all(others.map((each) => each.close()));
  for (const source of [tab, context]) for (const event of PAGE_EVENTS) source.removeAllListeners(event);
  await tab.unrouteAll();
  await context.clearPermissions();
  await tab.setViewportSize(VIEWPORT);
  // Over nothing that shows a tooltip or a cursor.
  await tab.mouse.move(0, 0);
  await tab.emulateMedia({ colorScheme: 'light', reducedMotion: 'no-preference' });
};

type Shared = { service: RunningService; sharedSession: SignedIn; sharedTab: () => Promise<Page> };

/** A journey through the service of its worker. Tests share one session and one tab, unless they declare their own. */
export const test = base.extend<Journey, Shared>({
  service: [
    // oxlint-disable-next-line no-empty-pattern
    async ({}, provide) => {
      const service = await startRunningService({ SEED: 'none' });
      await provide(service);
      await service.remove();
    },
    { scope: 'worker' },
  ],
  sharedSession: [
    async ({ service }, provide) => provide(await openSession(service.signinLink, 'Ada')),
    { scope: 'worker' },
  ],
  sharedTab: [
    async ({ browser }, provide) => {
      let tab: Promise<Page> | undefined;
      // Opened by the first test that needs it: a test with other options would open one with these.
      await provide(() => (tab ??= openTab(browser)));
      await (await tab)?.context().close();
    },
    { scope: 'worker' },
  ],
  hasOwnContext: [false, { option: true }],
  stopsService: [false, { option: true }],
  page: async ({ browser, hasOwnContext, stopsService, service, sharedSession, sharedTab }, provide) => {
    const page = await (hasOwnContext ? openTab(browser) : sharedTab());
    if (!hasOwnContext) await reset(page);
    const session = hasOwnContext ? await openSession(await service.newSigninLink(), 'Ada') : sharedSession;
    // Has the storage of the dashboard, and does not load it: most journeys open another page first.
    await page.goto(`${service.url}/mark.svg`);
    await page.evaluate(replaceStorage, session.origins[0]?.localStorage ?? []);
    // From here on: the page of the test before may have complained until it was left.
    const complaints: string[] = [];
    page.on('console', (message) => {
      const isOfStop = stopsService && /status of 503|net::ERR_CONNECTION_RESET/.test(message.text());
      if (['error', 'warning'].includes(message.type()) && !isExpected(message.text()) && !isOfStop)
        complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    await provide(page);
    if (hasOwnContext) await page.context().close();
    expect(complaints).toEqual([]);
  },
  // oxlint-disable-next-line no-empty-pattern
  expectAccessible: async ({}, provide) => {
    let checks = 0;
    await provide(async (page, role) => {
      const colorSchemes: ('light' | 'dark')[] = ['light'];
      if (isFullRun || checks === 0) colorSchemes.push('dark');
      checks += 1;
      // A page that is still loading has no heading.
      await expect(page.locator('h1').first()).toBeAttached();
      for (const colorScheme of colorSchemes) {
        // A toast that fades out while axe runs would fail the contrast check.
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        await endOfTransitions(page);
        // A page that was checked before has axe: to compile it again takes as long as a check.
        const hasAxe = await page.evaluate(() => 'axe' in window);
        // Runs in the page itself: otherwise axe opens another page to merge the results of frames.
        const axe = new AxeBuilder({ page, ...(hasAxe && { axeSource: 'void axe' }) })
          .setLegacyMode()
          .options({ resultTypes: ['violations'] });
        if (role !== undefined) axe.include(`[role=${role}]`);
        if (colorScheme === 'dark') axe.withRules(ofColours);
        const { violations } = await axe.analyze();
        expect(
          violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`),
        ).toEqual([]);
      }
      await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'no-preference' });
    });
  },
});

export { expect } from '@playwright/test';
