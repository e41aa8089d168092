// The playground of the built site in a real Chromium: by keyboard alone, shared by its address, in both themes, on a telephone.
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, Page } from 'playwright-core';
import { launchChromium } from '../browser/launch-chromium.ts';
import { repository } from '../rig/start-process.ts';

const built = join(repository, 'docs/.vitepress/dist');
const kinds: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
};
const waitMilliseconds = 10_000;

/** Of `PORTCULLIS_TEST_PICTURES` the folder that gets a picture of each theme and width. */
const pictures = process.env.PORTCULLIS_TEST_PICTURES;

export async function checkPlayground(): Promise<{ passed: number; faults: string[] }> {
  const server = serveSite();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/playground`;
  const browser = await launchChromium();
  try {
    const looks = [
      ['light', 1280],
      ['dark', 360],
    ] as const;
    const faults: string[] = [];
    let passed = 0;
    for (const [theme, width] of looks) {
      const found = await look(browser, address, theme, width);
      faults.push(...found.map((fault) => `The playground, ${theme}, ${width} px: ${fault}`));
      if (found.length === 0) passed += 1;
    }
    return { passed, faults };
  } finally {
    await browser.close();
    server.close();
  }
}

async function look(browser: Browser, address: string, theme: 'light' | 'dark', width: number) {
  const faults: string[] = [];
  await using context = await browser.newContext({ colorScheme: theme, viewport: { width, height: 900 } });
  const page = await context.newPage();
  page.setDefaultTimeout(waitMilliseconds);
  page.on('pageerror', ({ message }) => faults.push(message));
  page.on('request', (request) => {
    if (!request.url().startsWith(new URL(address).origin)) faults.push(`it fetches ${request.url()}`);
  });
  try {
    await page.goto(address);
    await isToldThat(page, 'Its rule GET /api/v1/orders/:id comes nearest');
    await page.locator('#playground-rules').focus();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('p, clerk, /api/v1/orders/:id, DELETE');
    await isToldThat(page, 'because of its rule DELETE /api/v1/orders/:id');
    await tabTo(page, 'playground-role');
    await tabTo(page, 'playground-method');
    await page.keyboard.press('p'); // The next option that begins so is POST.
    await isToldThat(page, 'may not call POST');
    await tabTo(page, 'playground-path');
    await page.keyboard.press('Control+A');
    await page.keyboard.type('/api/v1/orders/9/..');
    await isToldThat(page, 'No rule can allow the path');
    await page.waitForFunction("location.hash.includes('orders%2F9%2F..')");

    const shared = await context.newPage();
    await shared.goto(page.url());
    await isToldThat(shared, 'No rule can allow the path');
    await shared.close();

    const wide = Number(await page.evaluate('document.documentElement.scrollWidth'));
    if (wide > width) faults.push(`it is ${wide} px wide`);
    const { violations } = await new AxeBuilder({ page }).include('.playground').analyze();
    faults.push(
      ...violations.map(({ id, nodes }) => `axe: ${id}: ${nodes.map(({ html }) => html).join(' ')}`),
    );
    if (pictures !== undefined)
      await page.screenshot({ path: join(pictures, `playground-${theme}-${width}.png`), fullPage: true });
  } catch (error) {
    faults.push(error instanceof Error ? error.message : String(error));
  }
  return faults;
}

async function isToldThat(page: Page, sentence: string): Promise<void> {
  await page.locator('.verdict', { hasText: sentence }).waitFor();
}

/** With the tabulator, from wherever it is, in a few steps. */
async function tabTo(page: Page, id: string): Promise<void> {
  for (let step = 0; step < 3; step++) {
    await page.keyboard.press('Tab');
    if ((await page.evaluate('document.activeElement.id')) === id) return;
  }
  throw new Error(`The tabulator does not lead to ${id}.`);
}

/** As a host of static files does, with clean addresses. */
function serveSite(): Server {
  return createServer((request, response) => {
    const path = normalize(decodeURI(new URL(request.url ?? '/', 'http://site').pathname));
    const file = extname(path) === '' ? `${path.replace(/\/$/, '/index')}.html` : path;
    try {
      const content = readFileSync(join(built, file));
      response.writeHead(200, { 'content-type': kinds[extname(file)] ?? 'application/octet-stream' });
      response.end(content);
    } catch {
      response.writeHead(404).end();
    }
  });
}
