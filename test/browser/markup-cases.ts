// Names and notes that are written as HTML are shown as text, on every page that shows them.
import assert from 'node:assert/strict';
import { eachPage } from './page-cases.ts';
import { providerSettings } from './row-cases.ts';
import { returnAs } from './sign-in.ts';
import type { Visitor } from './visitor.ts';
import type { World } from './world.ts';

interface MarkupCase {
  readonly title: string;
  readonly run: (world: World) => Promise<number>;
}

/** Where it became an element, the page asks for `/x`, and the policy refuses the handler. */
const markup = '<img src=x onerror=alert(1)>';

/** In every text of the company that a person can choose. */
async function writeMarkup({ database }: World): Promise<void> {
  await database.query('update users set nick_name = $1 || username', [markup]);
  await database.query('update roles set name = $1 || role_key', [markup]);
  await database.query('update departments set name = $1 || id', [markup]);
  await database.query('update catalog set title = $1, tag = $1', [markup]);
  await database.query(
    'update login_log set username = $1, browser = $1, os = $1, user_agent = $1, location = $2',
    [markup, '<b>'],
  );
  await database.query(
    "insert into providers (key, kind, name, settings) values ('markup', 'oidc', $1, $2)",
    [markup, providerSettings('markup')],
  );
  await database.query(
    `with hook as (
       insert into webhooks (name, url, enabled, sealed_secret, audit_seq, problem)
       values ($1, 'https://hooks.example.com/<b>', false, '', 0, $1) returning id
     )
     insert into webhook_letters (hook_id, log, record_id, kind, object, recorded_at, state, problem)
     select id, 'login', gen_random_uuid(), $1, $1, now(), 'dead', $1 from hook`,
    [markup],
  );
  await database.query(
    `insert into mails (kind, user_id, state, reason) select 'invitation', id, 'dead', $1 from users where username = 'emil'`,
    [markup],
  );
}

/** Renames a user and a role, so that the audit log has such values before and after. */
async function changeNames({ page, world }: Visitor): Promise<void> {
  const [user] = await world.database.query<{ id: number; role_id: number; department_id: number }>(
    "select id::int, role_id::int, department_id::int from users where username = 'emil'",
  );
  const body = {
    name: `${markup} Emil`,
    departmentId: user?.department_id,
  };
  const answer = await page.evaluate<{ code: number }>(
    `fetch('/api/v1/users/${user?.id}', { method: 'PUT', headers: { 'content-type': 'application/json' },
      body: ${JSON.stringify(JSON.stringify(body))} }).then((answer) => answer.json())`,
  );
  assert.equal(answer.code, 200, JSON.stringify(answer));
}

async function expectText({ page }: Visitor, place: string): Promise<void> {
  assert.equal(await page.locator('img[src="x"], img[onerror]').count(), 0, `an element on ${place}`);
}

export const markupCases: readonly MarkupCase[] = [
  {
    title: 'names with markup are text on every page',
    async run(world) {
      await writeMarkup(world);
      let shown = 0;
      const pages = await eachPage(world, {}, async (visitor, path) => {
        await expectText(visitor, path);
        if ((await visitor.page.locator('body').textContent())?.includes(markup)) shown += 1;
      });
      // The suite must not pass because the names are not there.
      assert.ok(shown >= 12, `${shown} of ${pages} pages show the names`);
      return pages;
    },
  },
  {
    title: 'values with markup are text in a record of the audit log, before and after',
    async run(world) {
      const visitor = await returnAs(world, 'ada', { at: '/audit' });
      const { page } = visitor;
      await changeNames(visitor);
      await page.reload();
      await page
        .getByRole('table', { name: 'Administrative changes' })
        .getByRole('row')
        .nth(1)
        .getByRole('button')
        .first()
        .click();
      await page.getByRole('insertion').filter({ hasText: markup }).first().waitFor();
      await page.getByRole('deletion').filter({ hasText: markup }).first().waitFor();
      await expectText(visitor, 'a record of the audit log');
      await visitor.close();
      return 2;
    },
  },
];
