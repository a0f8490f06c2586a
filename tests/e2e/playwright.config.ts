import { defineConfig } from '@playwright/test';

/** Journeys in a real Chromium, each over a service and a data directory of its own. */
export default defineConfig({
  testDir: '.',
  testMatch: '*.spec.ts',
  outputDir: '../../test-results',
  // A journey through a dozen pages, each checked by axe, on a busy machine.
  timeout: 120_000,
  expect: { timeout: 10_000 },
  // A journey waits more than it works.
  workers: 3,
  forbidOnly: true,
  use: {
    browserName: 'chromium',
    viewport: { width: 1440, height: 900 },
    screenshot: 'only-on-failure',
    launchOptions: {
      ...(process.env['CHROMIUM'] === undefined ? {} : { executablePath: process.env['CHROMIUM'] }),
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
});
