import { defineConfig } from '@playwright/test';
import { isFullRun } from '../service/sized.ts';

/** Only in `npm run test:full`: journeys for unusual conditions, and through pages that page tests cover. */
const inFullRun = [
  'base-path',
  'connect',
  'cut-text',
  'destinations',
  'forced-colours',
  'hostile',
  'many-devices',
  'notifications',
  'telemetry-phone',
  'ten-tabs',
  'two-dashboards',
];

/** Journeys in a real Chromium. Each worker has its own service and data directory. */
export default defineConfig({
  testDir: '.',
  testMatch: '*.spec.ts',
  testIgnore: isFullRun ? [] : inFullRun.map((name) => `${name}.spec.ts`),
  outputDir: '../../test-results',
  // Enough for a journey through a dozen pages with an axe check each, on a busy machine.
  timeout: 120_000,
  // A page, its service and its database share one core with other tests.
  expect: { timeout: 20_000 },
  // Two, because Vitest runs at the same time.
  workers: 2,
  forbidOnly: true,
  use: {
    browserName: 'chromium',
    viewport: { width: 1440, height: 900 },
    screenshot: 'only-on-failure',
    // Before the time of the test is over, so that the error names the step.
    actionTimeout: 40_000,
    navigationTimeout: 40_000,
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
