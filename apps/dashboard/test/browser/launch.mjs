import { chromium } from 'playwright-core';

/** The browser of the machine. */
export function launch() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    // Chromium refuses to run its sandbox as root.
    args: process.getuid() === 0 ? ['--no-sandbox'] : [],
  });
}
