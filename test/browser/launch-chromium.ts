// The machine's own Chromium: nothing is fetched, and where it is missing the suite says what to install.
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const executablePath = process.env.PORTCULLIS_TEST_CHROMIUM ?? '/usr/bin/chromium';
const flags = [
  '--no-sandbox',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

export function launchChromium(): Promise<Browser> {
  if (!existsSync(executablePath))
    throw new Error(
      `There is no ${executablePath}. Run \`apt-get install chromium\`, or set PORTCULLIS_TEST_CHROMIUM to the path of a Chromium.`,
    );
  return chromium.launch({ executablePath, headless: true, args: flags, timeout: 120_000 });
}
