import { chromium, type Browser } from '@playwright/test';

/** Starts Chromium without a window. CHROMIUM sets its path (default: that of the Debian package). */
export const launchChromium = (args: readonly string[] = []): Promise<Browser> =>
  chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', ...args],
  });
