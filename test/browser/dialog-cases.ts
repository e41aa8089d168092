// The dialogs that one click opens, looked at as pages are; a phone must show them whole.
import { expectAccessible, expectNoLeftovers, expectNoSidewaysScroll } from './page-cases.ts';
import { returnAs } from './sign-in.ts';
import type { VisitorOptions } from './visitor.ts';
import type { World } from './world.ts';

/** A page and the button on it. */
const dialogs = [
  ['/users?search=ada', 'Create user'],
  ['/roles', 'Create role'],
  ['/departments', 'Create department'],
  ['/sessions', "End everybody's sessions"],
  ['/login-log', 'Details'],
] as const;

export async function inspectDialogs(world: World, options: VisitorOptions): Promise<number> {
  const visitor = await returnAs(world, 'ada', options);
  const { page } = visitor;
  for (const [path, button] of dialogs) {
    const place = `${button} on ${path}`;
    await page.setViewportSize(world.desk);
    await page.goto(`${world.origin}/console${path}`);
    await visitor.settle();
    await page.getByRole('button', { name: button, exact: true }).first().click();
    await page.getByRole('dialog').waitFor();
    await visitor.settle();
    await expectNoLeftovers(page, place);
    await expectAccessible(page, place, '[role="dialog"]');
    await page.setViewportSize({ width: 360, height: 800 });
    await visitor.settle();
    await expectNoSidewaysScroll(page, place);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.locator('button:focus').describe(`the focus after ${place}`).waitFor();
  }
  await visitor.close();
  return dialogs.length;
}
