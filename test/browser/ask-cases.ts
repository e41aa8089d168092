// Asking for access, from the refusal to the record: who asks, who cannot give it, who gives exactly that, and its end.
import assert from 'node:assert/strict';
import { openPage } from './errands.ts';
import { expectAccessible, expectNoLeftovers, expectNoSidewaysScroll } from './page-cases.ts';
import { returnAs } from './sign-in.ts';
import type { Visitor } from './visitor.ts';
import type { World } from './world.ts';

interface AskCase {
  readonly title: string;
  readonly run: (world: World) => Promise<number>;
}

const reason = 'The customer sent it twice. <img src=x onerror=alert(1)>';
const note = '=cmd|calc: today only';
const order = 'DELETE /shop/orders/1042';
const clerk = 'clerk1';

async function ask({ page }: Visitor, call: string, why: string): Promise<void> {
  await page.getByLabel('What you want to call').fill(call);
  await page.getByLabel('Why you need it').fill(why);
  await page.getByRole('button', { name: 'Send request', exact: true }).click();
}

const waiting = ({ page }: Visitor) =>
  page.getByRole('list', { name: 'Open requests' }).getByRole('listitem');
const own = ({ page }: Visitor) => page.getByRole('list', { name: 'Your requests' }).getByRole('listitem');

async function readRules({ database }: World) {
  const rows = await database.query<{ rule: string; left: number }>(
    `select role_key || ' ' || method || ' ' || path as rule, extract(epoch from ends_at - now())::float8 as left
     from temporary_rules join roles on roles.id = role_id`,
  );
  return rows.map(({ rule, left }) => [rule, Math.ceil(left / 3600)]);
}

export const askCases: readonly AskCase[] = [
  {
    title: 'a clerk requests a refused permission, and sees what cannot be requested',
    async run(world) {
      const visitor = await returnAs(world, clerk, { at: '/roles' });
      const { page } = visitor;
      await page.getByRole('link', { name: 'Request access' }).click();
      await page.getByRole('heading', { level: 1, name: 'Access requests' }).waitFor();
      assert.equal(await page.getByLabel('What you want to call').inputValue(), 'GET /api/v1/roles');
      await page.getByText('This call was just refused.').waitFor();
      await openPage(visitor, 'Overview');
      assert.equal(await page.getByLabel('What you want to call').inputValue(), 'GET /api/v1/roles');

      await ask(visitor, ' ', reason);
      await page.getByText('Enter what you want to call, such as').waitFor();
      await ask(visitor, 'GET /shop/orders/1042', reason);
      await page.getByText('The role already has this permission').waitFor();
      await ask(visitor, 'DELETE /shop/orders/*', reason);
      await page.getByText('No endpoint is known').waitFor();
      await ask(visitor, order, ' ');
      await page.getByText('Enter a reason, so').waitFor();
      await ask(visitor, order, reason);
      await page.getByText('Your request is sent.').waitFor();
      await own(visitor).filter({ hasText: '/shop/orders/1042' }).getByText('Open').waitFor();
      await visitor.settle();
      await expectNoLeftovers(page, 'the home of a clerk');
      await expectAccessible(page, 'the home of a clerk');
      await page.setViewportSize({ width: 360, height: 800 });
      await visitor.settle();
      await expectNoSidewaysScroll(page, 'the home of a clerk');
      await visitor.close();
      return 7;
    },
  },
  {
    title: 'an administrator with a smaller data scope cannot approve the request, and sees why',
    async run(world) {
      const admin = await returnAs(world, 'ada');
      const given = await admin.context.request.post(`${world.origin}/api/v1/roles/5/rules`, {
        headers: { 'x-requested-with': 'XMLHttpRequest' },
        data: {
          add: [
            { method: 'GET', path: '/api/v1/access-requests' },
            { method: 'POST', path: '/api/v1/access-requests/:id/decision' },
          ],
        },
      });
      assert.equal((await given.json()).code, 200);
      await admin.close();

      const visitor = await returnAs(world, 'farid', { at: '/requests' });
      const { page } = visitor;
      const item = waiting(visitor).filter({ hasText: '/shop/orders/1042' });
      await item.getByText(reason).waitFor();
      await item.getByRole('button', { name: 'Approve' }).click();
      const answer = page.getByRole('dialog', { name: 'Approve the request of Clerk 1?' });
      await answer.getByText(/all \d+ users with the role Sales/).waitFor();
      await answer.getByRole('button', { name: 'Approve' }).click();
      await answer.getByText('This needs more permissions or a larger data scope').waitFor();
      assert.deepEqual(await readRules(world), []);
      await answer.getByRole('button', { name: 'Cancel' }).click();
      await visitor.close();
      return 3;
    },
  },
  {
    title: 'an administrator sees the request first, approves it for 8 hours, and the audit log records it',
    async run(world) {
      const visitor = await returnAs(world, 'ada');
      const { page } = visitor;
      await page.getByRole('link', { name: 'clerk1 requested access.' }).click();
      const item = waiting(visitor).filter({ hasText: '/shop/orders/1042' });
      await item.getByRole('link', { name: 'Explain' }).click();
      await page.getByRole('heading', { name: 'Denied' }).waitFor();
      await page.goBack();
      await item.getByRole('button', { name: 'Approve' }).click();
      const dialog = page.getByRole('dialog', { name: 'Approve the request of Clerk 1?' });
      await visitor.settle();
      await expectAccessible(page, 'the decision', '[role=dialog]');
      await dialog.getByLabel('For how long').selectOption('Another duration');
      await dialog.getByLabel('Hours').fill('9');
      await dialog.getByRole('button', { name: 'Approve' }).click();
      await dialog.getByText('Enter whole hours, at most 8 hours.').waitFor();
      await dialog.getByLabel('For how long').selectOption('8 hours, as requested');
      await dialog.getByLabel('Note for the requester').fill(note);
      await dialog.getByRole('button', { name: 'Approve' }).click();
      await page.getByText('The request is approved.').waitFor();
      await dialog.waitFor({ state: 'detached' });
      await page.getByText('There are no open requests.').waitFor();
      assert.deepEqual(await readRules(world), [['sales DELETE /shop/orders/1042', 8]]);
      await openPage(visitor, 'Audit log');
      await page.getByText(`ada approved ${order} for Clerk 1, for the role Sales`).first().waitFor();
      await page.getByText(`clerk1 requested ${order}`).first().waitFor();
      await visitor.close();
      return 5;
    },
  },
  {
    title: 'the clerk has the permission, sees its end, and withdraws a request',
    async run(world) {
      const visitor = await returnAs(world, clerk, { at: '/requests' });
      const { page } = visitor;
      const given = own(visitor).filter({ hasText: '/shop/orders/1042' });
      await given.getByText('Approved', { exact: true }).waitFor();
      await given.getByText(note).waitFor();
      await given.getByText(/^until .*by ada/).waitFor();
      await ask(visitor, order, reason);
      await page.getByText('The role already has this permission').waitFor();
      await ask(visitor, 'PUT /shop/invoices/7', 'A wrong address.');
      const other = own(visitor).filter({ hasText: '/shop/invoices/7' });
      await other.getByRole('button', { name: 'Withdraw' }).click();
      await other.getByText('Withdrawn', { exact: true }).waitFor();
      await ask(visitor, 'PUT /shop/invoices/8', 'Another wrong address.');
      await own(visitor).filter({ hasText: '/shop/invoices/8' }).getByText('Open').waitFor();
      await visitor.close();
      return 5;
    },
  },
  {
    title: 'an administrator denies the next request with a note, which the clerk reads',
    async run(world) {
      const given = await readRules(world);
      const admin = await returnAs(world, 'ada', { at: '/requests' });
      const item = waiting(admin).filter({ hasText: '/shop/invoices/8' });
      await item.getByRole('button', { name: 'Deny' }).click();
      const dialog = admin.page.getByRole('dialog', { name: 'Deny the request of Clerk 1?' });
      await dialog.getByLabel('Note for the requester').fill('Correct it in the shop.');
      await dialog.getByRole('button', { name: 'Deny' }).click();
      await admin.page.getByText('The request is denied.').waitFor();
      await admin.page.getByText('There are no open requests.').waitFor();
      await admin.close();
      assert.deepEqual(await readRules(world), given);
      const visitor = await returnAs(world, clerk, { at: '/requests' });
      const refused = own(visitor).filter({ hasText: '/shop/invoices/8' });
      await refused.getByText('Denied', { exact: true }).waitFor();
      await refused.getByText('Correct it in the shop.').waitFor();
      await visitor.close();
      return 4;
    },
  },
];
