// The machine's own Chromium: nothing is fetched, and where it is missing the suite says what to install.
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** The same engine; the first without invisible windows, tabs and a tool bar, at three quarters of the work. */
const usualPaths = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];
const executablePath = process.env.PORTCULLIS_TEST_CHROMIUM ?? usualPaths.find((path) => existsSync(path));
const flags = [
  '--no-sandbox',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

export function launchChromium(): Promise<Browser> {
  if (executablePath === undefined || !existsSync(executablePath))
    throw new Error(
      `There is no ${executablePath ?? usualPaths.join(' and no ')}. Run \`apt-get install chromium-headless-shell\`, or set PORTCULLIS_TEST_CHROMIUM to the path of a Chromium.`,
    );
  return chromium.launch({ executablePath, headless: true, args: flags, timeout: 120_000 });
}
