// The sign-in pages of examples/vue and examples/react in a real Chromium, as their development server serves them, on the
// real service in prod: with a captcha.
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { createServer, type ViteDevServer } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchChromium } from '../browser/launch-chromium.ts';
import { codesOf } from '../rig/authenticator.ts';
import { captchaAnswer, solveCaptcha } from '../rig/captcha.ts';
import type { Database } from '../rig/create-database.ts';
import { password } from '../rig/seed.ts';
import { commandLine, repository } from '../rig/start-process.ts';
import { type Server, startServer } from '../rig/start-server.ts';
import { createWorld } from './world.ts';

let database: Database;
let server: Server;
let browser: Browser;
beforeAll(async () => {
  database = await createWorld();
  await database.query(`update roles set factor = 2 where role_key in ('seller', 'clerk')`);
  [server, browser] = await Promise.all([
    startServer({ databaseUrl: database.url, script: commandLine, arguments: ['serve'] }),
    launchChromium(),
  ]);
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
  await database?.drop();
});

describe.each([
  ['vue', 'sven'],
  ['react', 'carl'],
])('%s', (name, username) => {
  let site: ViteDevServer;
  let page: Page;
  let next = '';

  beforeAll(async () => {
    process.env.PORTCULLIS_URL = `http://127.0.0.1:${server.port}`;
    site = await createServer({
      root: join(repository, 'examples', name),
      logLevel: 'error',
      server: { host: '127.0.0.1', port: 0, hmr: false },
    });
    await site.listen();
    page = await browser.newPage();
    page.setDefaultTimeout(60_000);
    // The first load of a page makes Vite bundle its dependencies, and can load it again while a form is filled in.
    await open();
    await page.waitForLoadState('networkidle');
    await page.goto('about:blank');
  });
  afterAll(async () => {
    await page?.close();
    await site?.close();
  });

  /** Fills in the form, with the captcha that comes with what is done. */
  async function signIn(act: () => Promise<unknown>, secret = password): Promise<void> {
    const [answer] = await Promise.all([page.waitForResponse(/getCaptcha/), act()]);
    const { id } = (await answer.json()) as { id: string };
    await solveCaptcha(database, id);
    await page.getByLabel('Username').fill(username);
    await page.getByLabel('Password').fill(secret);
    await page.getByLabel('Letters in the picture').fill(captchaAnswer);
    await press('Sign in');
  }
  const press = (label: string) => page.getByRole('button', { name: label }).click();
  const alert = () => page.getByRole('alert').textContent();
  const open = () => page.goto(site.resolvedUrls?.local[0] ?? '');

  it('shows why a wrong password is refused, with a new captcha', async () => {
    await signIn(async () => await open(), 'wrong');
    await expect.poll(alert).toMatch(/password/);
  });

  it('shows the secret of an app where one is required, and asks again after a wrong code', async () => {
    // Else the new captcha of the page before could be taken for that of this one.
    await page.goto('about:blank');
    await signIn(async () => await open());
    const secret = await page.locator('code').textContent();
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    const [first, second] = await codesOf(secret ?? '');
    next = second;
    const field = page.getByLabel('Code of your authenticator app');
    await field.fill('000000');
    await press('Sign in');
    await expect.poll(alert).toMatch(/code/i);
    await field.fill(first);
    await press('Sign in');
    await page.getByRole('heading', { name: `Signed in as ${username}` }).waitFor();
    expect(await page.getByRole('listitem').allTextContents()).toHaveLength(10);
  });

  it('signs out, and asks a user with an app for its code', async () => {
    await signIn(() => press('Sign out'));
    await page.getByLabel('Code of your authenticator app').fill(next);
    await press('Sign in');
    await page.getByRole('heading', { name: `Signed in as ${username}` }).waitFor();
    expect(await page.getByRole('listitem').count()).toBe(0);
  });
});
