// The pictures of docs/how-to/console.md: `npm run browser -- pictures`. English, 1440 by 900, in both themes.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../rig/start-process.ts';
import { openPage } from './errands.ts';
import { enterAs } from './sign-in.ts';
import { openVisitor, type Visitor } from './visitor.ts';
import type { World } from './world.ts';

const folder = join(repository, 'docs/pictures');
/** By the link in the side bar, and what else is chosen there: the own session is known until the page is loaded again. */
const pages = [
  { name: 'overview', link: 'Overview', choose: '14 days' },
  { name: 'matrix', link: 'Access matrix', service: 'shop' },
  { name: 'users', link: 'Users' },
  { name: 'sessions', link: 'Sessions' },
  { name: 'login-log', link: 'Login log', choose: '7 days' },
] as const;
const refusal = '/console/explain?roleKey=sales&method=DELETE&path=/shop/orders/1042';

export async function takePictures(world: World): Promise<number> {
  mkdirSync(folder, { recursive: true });
  // Some people who are there too.
  const others = await Promise.all(['mei', 'carl', 'emil', 'farid'].map((name) => enterAs(world, name)));
  for (const theme of ['light', 'dark'] as const) await tour(await enterAs(world, 'ada', { theme }), theme);
  const visitor = await openVisitor(world);
  await visitor.page.goto(`${world.origin}/console/sign-in`);
  await visitor.page.getByRole('img').waitFor();
  await take(visitor, 'sign-in-light');
  await visitor.close();
  for (const other of others) await other.close();
  return 2 * (pages.length + 1) + 1;
}

async function tour(visitor: Visitor, theme: string): Promise<void> {
  const { page, world } = visitor;
  for (const { name, link, ...more } of pages) {
    await openPage(visitor, link);
    if ('service' in more) {
      await page.getByLabel('Service').selectOption(more.service);
      await page.waitForURL(/service=/);
    }
    if ('choose' in more) await page.getByText(more.choose, { exact: true }).click();
    await take(visitor, `${name}-${theme}`);
  }
  await page.goto(`${world.origin}${refusal}`);
  await take(visitor, `explain-${theme}`);
  await visitor.close();
}

/** Without a cursor or pointer, and when the charts have come to rest. */
async function take(visitor: Visitor, name: string): Promise<void> {
  await visitor.page.mouse.move(0, 0);
  await visitor.settle();
  await visitor.page.screenshot({
    path: join(folder, `${name}.png`),
    animations: 'disabled',
    caret: 'hide',
  });
}
