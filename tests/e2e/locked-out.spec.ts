import { exec } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from '@playwright/test';
import { expect, test } from './journey.ts';
import { linkIn, type RunningService } from './running-service.ts';
import { callAs } from './service-api.ts';

const ROOT = join(import.meta.dirname, '../..');
const run = promisify(exec);

test.use({ hasOwnContext: true, stopsService: true });

/** The command that the README gives to an operator who lost the sign-in link. */
const command = (): string => {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  return /Lost the link\? `([^`]+)`/.exec(readme)?.[1] ?? '';
};

const newLink = async ({ dataDir }: RunningService): Promise<string> => {
  const { stdout } = await run(command(), { cwd: ROOT, env: { ...process.env, DATA_DIR: dataDir } });
  return linkIn(stdout);
};

const lockOut = async (page: Page, service: RunningService): Promise<void> => {
  await callAs(page, 'DELETE', '/v1/session');
  await page.evaluate(() => localStorage.clear());
  await page.goto(`${service.url}/devices`);
  await expect(page).toHaveURL(/\/signin/);
  await expect(page.getByText(command())).toBeVisible();
};

const checkRestored = async (page: Page, link: string): Promise<void> => {
  await page.goto(link);
  await expect(page.getByRole('heading', { name: 'Overview', level: 1 })).toBeVisible();
};

test('a locked-out operator signs in again with the command of the README', async ({ page, service }) => {
  await test.step('while the service runs', async () => {
    await lockOut(page, service);
    const link = await newLink(service);
    expect(link).toContain(`${service.url}/#signin=pen_signin_`);
    await checkRestored(page, link);
  });
  await test.step('while it is stopped', async () => {
    await lockOut(page, service);
    // The page cannot load anything else in between.
    await page.goto('about:blank');
    let link = '';
    await service.restart(async () => {
      link = await newLink(service);
    });
    await checkRestored(page, link);
  });
});
