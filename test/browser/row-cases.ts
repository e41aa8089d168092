// A button beside a row changes this row and no other, as it is in the database afterwards: deliveries of webhooks, mails, links
// of a user. And a password that an administrator types is the one that the user signs in with.
import assert from 'node:assert/strict';
import type { Database } from '../rig/create-database.ts';
import { enterAs, fillSignIn, returnAs } from './sign-in.ts';
import { openVisitor } from './visitor.ts';
import type { World } from './world.ts';

interface RowCase {
  readonly title: string;
  readonly run: (world: World) => Promise<number>;
}

/** As those of an OpenID provider that no case asks. */
export const providerSettings = (key: string) =>
  JSON.stringify({
    issuer: `https://${key}.example.com`,
    clientId: 'portcullis',
    redirectUri: `https://admin.example.com/console/callback/${key}`,
  });
const typedPassword = 'nine-herons-fold-paper-maps';

async function idOf({ database }: World, username: string): Promise<number> {
  const [row] = await database.query<{ id: number }>('select id::int from users where username = $1', [
    username,
  ]);
  return row?.id ?? 0;
}

/** Two webhooks that are off, each with two dead letters. */
async function addWebhooks(database: Database): Promise<void> {
  for (const [id, name] of [
    [1, 'Chat'],
    [2, 'Archive'],
  ])
    await database.query(
      `with hook as (
         insert into webhooks (id, name, url, enabled, sealed_secret, audit_seq) overriding system value
         values ($1, $2, 'https://hooks.example.com/', false, '', 0) returning id
       )
       insert into webhook_letters (hook_id, log, record_id, kind, object, recorded_at, state, problem)
       select id, 'login', gen_random_uuid(), 'login.failure', 'user ' || n, now(), 'dead', 'status 500'
       from hook, generate_series(1, 3) as n`,
      [id, name],
    );
}

async function listDeliveries(database: Database): Promise<string[]> {
  const rows = await database.query<{ delivery: string }>(
    "select hook_id || ' ' || object as delivery from webhook_letters order by hook_id, n",
  );
  return rows.map(({ delivery }) => delivery);
}

/** They are not sent: there is no mail server. */
async function addMails({ database }: World): Promise<void> {
  await database.query(
    `insert into mails (kind, user_id, address, state, tries, reason, ended_at)
     select 'invitation', id, username || '@example.com', 'dead', 5, '550 no such mailbox', now()
     from users where username in ('carl', 'dora', 'emil')`,
  );
}

async function listMails(database: Database): Promise<string[]> {
  const rows = await database.query<{ mail: string }>(
    `select username || ' ' || state as mail from mails join users on users.id = user_id
     where username in ('carl', 'dora', 'emil') order by username`,
  );
  return rows.map(({ mail }) => mail);
}

/** One link of the user to each of three providers. */
async function addLinks({ database }: World, userId: number): Promise<void> {
  for (const key of ['north', 'west', 'south'])
    await database.query(
      `with made as (
         insert into providers (key, kind, name, settings) values ($2, 'oidc', initcap($2), $3) returning id
       )
       insert into credentials (user_id, kind, factor, provider_id, subject, name, confirmed_at)
       select $1, 'link', 1, id, 'account at ' || $2, $2, clock_timestamp() from made`,
      [userId, key, providerSettings(key)],
    );
}

async function listLinks({ database }: World, userId: number): Promise<string[]> {
  const rows = await database.query<{ name: string }>(
    "select name from credentials where user_id = $1 and kind = 'link' and ended_at is null order by id",
    [userId],
  );
  return rows.map(({ name }) => name);
}

export const rowCases: readonly RowCase[] = [
  {
    title: 'the user signs in with the typed password',
    async run(world) {
      const visitor = await returnAs(world, 'ada', { at: `/users/${await idOf(world, 'farid')}` });
      const { page } = visitor;
      await page.getByRole('button', { name: 'Reset password' }).click();
      const dialog = page.getByRole('dialog', { name: 'Reset the password of farid' });
      await dialog.getByLabel('New password').selectOption('I will type one');
      await dialog.getByLabel('Password', { exact: true }).fill(typedPassword);
      await dialog.getByRole('button', { name: 'Reset password' }).click();
      await visitor.seeNote('The password of farid is reset.');
      await dialog.waitFor({ state: 'detached' });
      await visitor.settle();
      assert.equal(await page.getByRole('dialog').count(), 0, 'no other password is shown');
      await visitor.close();

      const farid = await openVisitor(world);
      await farid.page.goto(`${world.origin}/console/`);
      await fillSignIn(farid, { username: 'farid', password: typedPassword });
      await farid.page.waitForURL(({ pathname }) => !pathname.endsWith('/sign-in'));
      await farid.close();
      return 2;
    },
  },
  {
    title: 'skips one delivery of a webhook, and keeps the others',
    async run(world) {
      const { database } = world;
      await addWebhooks(database);
      const visitor = await returnAs(world, 'ada', { at: '/webhooks' });
      const { page } = visitor;
      await page.getByRole('button', { name: 'Actions for the webhook Archive' }).click();
      await page.getByRole('menuitem', { name: 'Pending deliveries', exact: true }).click();
      const deliveries = page.getByRole('table', { name: 'Pending deliveries of Archive' });
      const row = deliveries.getByRole('row').filter({ hasText: 'user 2' });
      await row.getByRole('button', { name: 'Skip' }).click();
      const dialog = page.getByRole('dialog', { name: 'Skip login.failure of user 2?' });
      await dialog.getByRole('button', { name: 'Skip' }).click();
      await visitor.seeNote('The event is skipped.');
      assert.deepEqual(await listDeliveries(database), [
        '1 user 1',
        '1 user 2',
        '1 user 3',
        '2 user 1',
        '2 user 3',
      ]);
      await row.waitFor({ state: 'detached' });
      await visitor.close();
      return 2;
    },
  },
  {
    title: 'ends a webhook by its menu, and keeps the other one',
    async run(world) {
      const visitor = await returnAs(world, 'ada', { at: '/webhooks' });
      const { page } = visitor;
      await page.getByRole('button', { name: 'Actions for the webhook Chat' }).click();
      await page.getByRole('menuitem', { name: 'End', exact: true }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'End', exact: true }).click();
      await visitor.seeNote('The webhook Chat is ended.');
      const left = await world.database.query('select name from webhooks where ended_at is null');
      assert.deepEqual(left, [{ name: 'Archive' }]);
      await visitor.close();
      return 1;
    },
  },
  {
    title: 'queues a failed mail again, and no other one',
    async run(world) {
      await addMails(world);
      const visitor = await returnAs(world, 'ada', { at: '/mails' });
      const { page } = visitor;
      await page.getByLabel('State').selectOption('Given up');
      await page.getByRole('button', { name: 'Actions for the mail to dora' }).click();
      await page.getByRole('menuitem', { name: 'Try again' }).click();
      await visitor.seeNote('The mail is sent next.');
      assert.deepEqual(await listMails(world.database), ['carl dead', 'dora queued', 'emil dead']);
      await visitor.close();
      return 2;
    },
  },
  {
    title: 'removes the link in the row of the button',
    async run(world) {
      const carl = await idOf(world, 'carl');
      await addLinks(world, carl);
      const visitor = await enterAs(world, 'ada', { at: `/users/${carl}?tab=links` });
      const { page } = visitor;
      const link = page.getByRole('listitem').filter({ hasText: 'North' });
      await link.getByRole('button', { name: 'Remove' }).click();
      const dialog = page.getByRole('dialog', { name: 'Remove the link of carl to North?' });
      await dialog.getByRole('button', { name: 'Remove' }).click();
      await visitor.seeNote('The link is removed, and its sessions have ended.');
      assert.deepEqual(await listLinks(world, carl), ['west', 'south']);
      await link.waitFor({ state: 'detached' });
      await visitor.close();
      return 2;
    },
  },
];
