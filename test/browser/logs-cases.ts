// Both logs as they are read every day: narrowed by chips, on the first screen, by name, as a file, and live without losing
// one's place.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import { expectAccessible, expectNoSidewaysScroll } from './page-cases.ts';
import { enterAgainAs, enterAs, returnAs } from './sign-in.ts';
import type { Case } from './tally.ts';
import type { Visitor } from './visitor.ts';
import type { World } from './world.ts';

interface LogsCase {
  readonly title: string;
  readonly run: (world: World) => ReturnType<Case>;
}

const logs = [
  { path: '/login-log', table: 'Login log' },
  { path: '/audit', table: 'Administrative changes' },
] as const;

/** Attempts of now, as an instance stores them, sorted by number within a millisecond; the n-th has the address 198.51.100.n. */
async function addAttempts({ database }: World, username: string, ...numbers: number[]): Promise<void> {
  for (const n of numbers)
    await database.query(
      `insert into login_log (id, at, username, outcome, reason, ip, user_agent, request_id, instance)
       select (lpad(to_hex((extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0') || '7' || lpad(to_hex($2::text::int), 3, '0')
           || '8' || substr(md5(random()::text), 1, 15))::uuid, clock_timestamp(), $1, 'failure', 'credentials_wrong',
         ('198.51.100.' || $2)::inet, 'test', md5(random()::text), '0192f0c1-3c2a-7d54-9a01-0d5f4a8f9c11'`,
      [username, n],
    );
}

async function setEnabled({ page, world }: Visitor, username: string, enabled: boolean): Promise<void> {
  const [row] = await world.database.query<{ id: string }>('select id from users where username = $1', [
    username,
  ]);
  const code = await page.evaluate<number>(
    `fetch('/api/v1/users/${row?.id}/enabled', { method: 'PUT', headers: { 'content-type': 'application/json' },
      body: '{"enabled":${enabled}}' }).then((answer) => answer.json()).then(({ code }) => code)`,
  );
  assert.equal(code, 200);
}

const rowsOf = (page: Page, table: string) =>
  page
    .getByRole('table', { name: table })
    .getByRole('row')
    .filter({ has: page.getByRole('cell') });
const addressRow = (page: Page, n: number) =>
  rowsOf(page, 'Login log').filter({ hasText: `198.51.100.${n}` });
const chip = (page: Page, text: string) =>
  page.getByRole('list', { name: 'Filters' }).getByRole('listitem').filter({ hasText: text });
const addFilter = (page: Page) => page.getByRole('button', { name: 'Add filter' });
const waiting = (page: Page, text: string | RegExp) => page.getByRole('button', { name: text });
const live = (page: Page) => page.getByRole('switch', { name: 'Live' });
const topOf = async (row: Locator) => (await row.boundingBox())?.y ?? Number.NaN;

async function choose(page: Page, menu: string | RegExp, item: string): Promise<void> {
  await page.getByRole('button', { name: menu }).click();
  await page.getByRole('menuitem', { name: item, exact: true }).click();
}

/** Until the live line stands and the list was asked for what came before. */
async function follow({ page }: Visitor, list: RegExp): Promise<void> {
  const asked = page.waitForResponse(list);
  await live(page).click();
  await page.getByText('Live: new records appear on top.').waitFor();
  await asked;
}
const loginList = /\/api\/v1\/login-logs\?/;

export const logsCases: readonly LogsCase[] = [
  {
    title: 'the first records of both logs are on the first screen, also on a phone',
    async run(world) {
      const visitor = await returnAs(world, 'ada');
      const { page } = visitor;
      await setEnabled(visitor, 'dora', false);
      await setEnabled(visitor, 'dora', true);
      let seen = 0;
      for (const { width, height } of [world.desk, { width: 360, height: 800 }])
        for (const { path, table } of logs) {
          await page.setViewportSize({ width, height });
          await page.goto(`${world.origin}/console${path}`);
          const first = rowsOf(page, table).first();
          await first.waitFor();
          await visitor.settle();
          const box = await first.boundingBox();
          const end = (box?.y ?? Number.NaN) + (box?.height ?? Number.NaN);
          assert.ok(end <= height, `${path}, ${width} px: the first record ends at ${end}`);
          await expectNoSidewaysScroll(page, path);
          seen += 1;
        }
      await visitor.close();
      return seen;
    },
  },
  {
    title: 'a filter is a chip, in the address, in the chart and in the table; by mouse',
    async run(world) {
      const visitor = await returnAs(world, 'ada', { at: '/login-log?last=7d' });
      const { page } = visitor;
      await choose(page, 'Add filter', 'Address or network');
      const form = page.getByRole('form', { name: 'Filters' });
      await form.getByLabel('Address or network').fill('nowhere');
      await form.getByRole('button', { name: 'Apply' }).click();
      await form.getByText('Like 192.0.2.7 or 192.0.2.0/24.').waitFor();
      await form.getByLabel('Address or network').fill('203.0.113.0/24');
      await form.getByRole('button', { name: 'Apply' }).click();
      await chip(page, 'Address or network: 203.0.113.0/24').waitFor();
      await choose(page, 'Add filter', 'Reason');
      await form.getByLabel('Reason').selectOption('Too many attempts');
      await form.getByRole('button', { name: 'Apply' }).click();
      await chip(page, 'Reason: Too many attempts').waitFor();
      await visitor.settle();
      assert.equal(new URL(page.url()).search, '?last=7d&ip=203.0.113.0/24&reason=throttled');
      const chart = page.getByRole('region', { name: 'Logins over time' });
      await chart.getByText('Failures 180').waitFor();
      await chart.getByText('Logins 0').waitFor();
      for (const text of await rowsOf(page, 'Login log').allInnerTexts())
        assert.match(text, /203\.0\.113\.66[\s\S]*NL/);
      await expectAccessible(page, 'the login log with filters');
      // A link shows the same.
      await page.reload();
      await chart.getByText('Failures 180').waitFor();
      await page.getByRole('button', { name: 'Remove the filter Reason: Too many attempts' }).click();
      await chart.getByText('Failures 240').waitFor();
      assert.equal(await chip(page, 'Reason').count(), 0);
      await page.getByRole('button', { name: '7 days', exact: true }).click();
      await page.getByRole('button', { name: 'Remove the filter Address' }).click();
      await page.waitForURL(/login-log\?last=7d$/);
      await visitor.close();
      return 6;
    },
  },
  {
    title: 'a filter of the audit log is added, changed and removed by keys alone',
    async run(world) {
      const visitor = await returnAs(world, 'ada', { at: '/audit' });
      const { page } = visitor;
      await setEnabled(visitor, 'emil', false);
      await setEnabled(visitor, 'emil', true);
      await addFilter(page).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('menuitem', { name: 'Target' }).waitFor();
      await page.keyboard.type('Ta');
      await page.getByRole('menuitem', { name: 'Target' }).and(page.locator('[data-highlighted]')).waitFor();
      await page.keyboard.press('Enter');
      const field = page.getByRole('form', { name: 'Filters' }).getByLabel('Target');
      await field.and(page.locator(':focus')).waitFor();
      await page.keyboard.press('Escape');
      await addFilter(page).and(page.locator(':focus')).waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('menuitem', { name: 'Target' }).waitFor();
      await page.keyboard.type('Ta');
      await page.getByRole('menuitem', { name: 'Target' }).and(page.locator('[data-highlighted]')).waitFor();
      await page.keyboard.press('Enter');
      await field.and(page.locator(':focus')).waitFor();
      await page.keyboard.type('user 5');
      await page.keyboard.press('Enter');
      await chip(page, 'Target: user 5').waitFor();
      await page.waitForURL(/target=user(\+|%20)5/);
      await visitor.settle();
      for (const text of await rowsOf(page, 'Administrative changes').allInnerTexts())
        assert.match(text, /Emil Brandt/);
      await chip(page, 'Target').getByRole('button', { name: 'Change' }).focus();
      await page.keyboard.press('Enter');
      await field.and(page.locator(':focus')).waitFor();
      await page.keyboard.press('Escape');
      await chip(page, 'Target').getByRole('button', { name: 'Remove' }).focus();
      await page.keyboard.press('Enter');
      await page.waitForURL(/audit$/);
      await addFilter(page).and(page.locator(':focus')).waitFor();
      await visitor.close();
      return 5;
    },
  },
  {
    title: 'views: opens those of the page, saves, renames and deletes one, and shows none of another user',
    async run(world) {
      const visitor = await returnAs(world, 'ada', { at: '/login-log' });
      const { page } = visitor;
      await choose(page, 'Views', 'Failed sign-ins today');
      await page.waitForURL(/last=today/);
      await chip(page, 'Time: Today').waitFor();
      await chip(page, 'Outcome: Failure').waitFor();
      await page.goto(`${world.origin}/console/login-log?location=NL&last=30d`);
      await choose(page, 'Views', 'Save as a view');
      const dialog = page.getByRole('dialog', { name: 'Save as a view' });
      await dialog.getByLabel('Name').fill('failed sign-ins TODAY');
      await page.keyboard.press('Enter');
      await dialog.getByText('There is a view of this name.').waitFor();
      await expectAccessible(page, 'saving a view', '[role="dialog"]');
      await dialog.getByLabel('Name').fill('The Netherlands');
      await page.keyboard.press('Enter');
      await page.getByText('The view The Netherlands is saved.').waitFor();
      await page.goto(`${world.origin}/console/login-log`);
      await visitor.settle();
      // By keys alone.
      await page.getByRole('button', { name: 'Views', exact: true }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('menuitem', { name: 'The Netherlands' }).waitFor();
      await page.keyboard.type('The');
      await page
        .getByRole('menuitem', { name: 'The Netherlands' })
        .and(page.locator('[data-highlighted]'))
        .waitFor();
      await page.keyboard.press('Enter');
      await page.waitForURL(/location=NL/);
      assert.equal(new URL(page.url()).searchParams.get('last'), '30d');
      await choose(page, 'Views: The Netherlands', 'Rename The Netherlands');
      await page.getByRole('dialog').getByLabel('Name').fill('Dutch');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Views: Dutch' }).waitFor();
      // A name of one's own is taken too, but not for the view that has it.
      await page.goto(`${world.origin}/console/login-log?location=FR`);
      await choose(page, 'Views', 'Save as a view');
      await dialog.getByLabel('Name').fill(' dutch ');
      await page.keyboard.press('Enter');
      await dialog.getByText('There is a view of this name.').waitFor();
      await dialog.getByLabel('Name').fill('French');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Views: French' }).waitFor();
      await choose(page, 'Views: French', 'Rename French');
      const renaming = page.getByRole('dialog', { name: 'Rename French' });
      assert.equal(await renaming.getByLabel('Name').inputValue(), 'French');
      for (const taken of ['Dutch', 'Failed sign-ins today']) {
        await renaming.getByLabel('Name').fill(taken);
        await page.keyboard.press('Enter');
        await renaming.getByText('There is a view of this name.').waitFor();
      }
      await page.keyboard.press('Escape');
      await renaming.waitFor({ state: 'detached' });
      await choose(page, 'Views: French', 'Rename French');
      assert.equal(await renaming.getByText('There is a view of this name.').count(), 0);
      await renaming.getByLabel('Name').fill('FRENCH');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Views: FRENCH' }).waitFor();
      await page.getByRole('button', { name: 'Views: FRENCH' }).click();
      assert.equal(await page.getByRole('menuitem', { name: 'Save as a view' }).count(), 0);
      await page.getByRole('menuitem', { name: 'Delete FRENCH' }).click();
      await page.goto(`${world.origin}/console/login-log?location=NL&last=30d`);
      await page.getByRole('button', { name: 'Views: Dutch' }).waitFor();
      // Another user of the same browser has separate views.
      const kept = await page.evaluate<string[]>(
        `Object.keys(localStorage).filter((key) => key.includes('views'))`,
      );
      assert.match(kept.join(), /^portcullis\.views\.login-log\.\d+$/);
      await choose(page, 'Views: Dutch', 'Delete Dutch');
      await page.getByText('The view Dutch is deleted. Its filters are still set.').waitFor();
      await page.getByRole('button', { name: 'Views', exact: true }).click();
      assert.equal(await page.getByRole('menuitem', { name: 'Dutch' }).count(), 0);
      await visitor.close();
      return 11;
    },
  },
  {
    title:
      'shows relative times that stay right, with the exact time on demand; remembers the choice of exact times',
    async run(world) {
      await addAttempts(world, 'clock', 1);
      const visitor = await enterAgainAs(world, 'ada', { at: '/keys' });
      const { page } = visitor;
      await page.clock.install();
      await page.goto(`${world.origin}/console/login-log?username=clock`);
      const time = rowsOf(page, 'Login log').first().getByRole('time');
      const shown = time.locator('[aria-hidden]').first();
      await shown.filter({ hasText: /^(now|\d+ min ago)$/ }).waitFor();
      const minutes = Number.parseInt(String(await shown.textContent()), 10) || 0;
      await page.clock.fastForward(12 * 60_000);
      const later = Array.from({ length: 40 }, (_, more) => minutes + 12 + more);
      await shown.filter({ hasText: new RegExp(`^(${later.join('|')}) min ago$`) }).waitFor();
      const exact = /\d{1,2} \w{3} \d{4}, \d\d:\d\d:\d\d/;
      assert.match(
        String(await time.locator('.sr-only').textContent()),
        new RegExp(`^\\d+ min ago, ${exact.source}$`),
      );
      const note = time.locator('[aria-hidden]').nth(1);
      assert.equal(await note.isVisible(), false);
      await time.hover();
      await note.waitFor();
      assert.match(String(await note.textContent()), exact);
      await page.mouse.move(0, 0);
      await note.waitFor({ state: 'hidden' });
      await page.getByRole('switch', { name: 'Live' }).focus();
      await page.getByRole('button', { name: 'Details' }).first().focus();
      await page.keyboard.press('Shift+Tab');
      await page.keyboard.press('Tab');
      await note.waitFor();
      await page.getByRole('switch', { name: 'Exact times' }).click();
      await time.filter({ hasText: exact }).waitFor();
      await page.goto(`${world.origin}/console/audit`);
      await rowsOf(page, 'Administrative changes')
        .first()
        .getByRole('time')
        .filter({ hasText: exact })
        .waitFor();
      await page.getByRole('switch', { name: 'Exact times', checked: true }).click();
      await page.getByRole('switch', { name: 'Exact times', checked: false }).waitFor();
      await visitor.close();
      const chinese = await returnAs(world, 'ada', { language: 'zh', at: '/login-log?username=clock' });
      await rowsOf(chinese.page, '登录日志')
        .first()
        .getByRole('time')
        .filter({ hasText: /现在|前/ })
        .waitFor();
      await chinese.close();
      return 7;
    },
  },
  {
    title: 'live: adds new records at the top, and holds them back while the user has scrolled or reads',
    async run(world) {
      const visitor = await returnAs(world, 'ada', { at: '/login-log' });
      const { page } = visitor;
      await follow(visitor, loginList);
      await addAttempts(world, 'live', 11);
      await addressRow(page, 11).waitFor();
      // Scrolled.
      await page.mouse.wheel(0, 600);
      await page.waitForFunction('scrollY > 100');
      const tenth = rowsOf(page, 'Login log').nth(9);
      const before = [await topOf(tenth), await tenth.textContent()];
      await addAttempts(world, 'live', 12, 13);
      await waiting(page, '2 new').waitFor();
      assert.deepEqual([await topOf(tenth), await tenth.textContent()], before);
      await waiting(page, '2 new').click();
      await addressRow(page, 12).waitFor();
      assert.match(String(await rowsOf(page, 'Login log').first().textContent()), /198\.51\.100\.13/);
      await page.waitForFunction('scrollY === 0');
      await live(page).and(page.locator(':focus')).waitFor();
      // With a record open, which the focus reached only with the click itself; then by keys.
      await addressRow(page, 13)
        .getByRole('button', { name: 'Details' })
        .evaluate((button) => {
          button.focus();
          button.click();
        });
      await page.getByRole('dialog').waitFor();
      await addAttempts(world, 'live', 14);
      await page.getByText('1 new', { exact: true }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await addressRow(page, 13)
        .getByRole('button', { name: 'Details' })
        .and(page.locator(':focus'))
        .waitFor();
      assert.equal(await addressRow(page, 14).count(), 0);
      await waiting(page, '1 new').focus();
      await page.keyboard.press('Enter');
      await addressRow(page, 14).waitFor();
      await expectAccessible(page, 'the live log');
      await visitor.close();
      return 6;
    },
  },
  {
    title: 'live: loses no record in a pause or a lost connection, and shows none twice',
    async run(world) {
      const visitor = await returnAs(world, 'ada', { at: '/login-log?username=pause' });
      const { page } = visitor;
      await page.getByText('No records').waitFor();
      await follow(visitor, loginList);
      await addAttempts(world, 'pause', 21);
      await addressRow(page, 21).waitFor();
      await live(page).click();
      await page.getByText('Live: new records appear on top.').waitFor({ state: 'detached' });
      await addAttempts(world, 'pause', 22, 23);
      assert.equal(await rowsOf(page, 'Login log').count(), 1);
      await live(page).click();
      await addressRow(page, 23).waitFor();
      // While the user reads, records that a lost connection skipped are fetched only on request.
      await live(page).click();
      const tail = /\/login-logs\/tail/;
      await page.route(tail, (route) => route.fulfill({ contentType: 'text/event-stream', body: ':\n\n' }));
      await live(page).click();
      await page.getByText(/The connection was lost/).waitFor();
      await addressRow(page, 23).getByRole('button', { name: 'Details' }).focus();
      await addAttempts(world, 'pause', 24);
      await page.unroute(tail);
      await waiting(page, 'Look for new records').waitFor();
      assert.equal(await addressRow(page, 24).count(), 0);
      await waiting(page, 'Look for new records').click();
      await addressRow(page, 24).waitFor();
      const numbers = (await rowsOf(page, 'Login log').allInnerTexts()).map(
        (text) => /198\.51\.100\.(\d+)/.exec(text)?.[1],
      );
      assert.deepEqual(numbers, ['24', '23', '22', '21']);
      await visitor.close();
      return 4;
    },
  },
  {
    title: 'the audit log adds records live, waits while a record is open, and exports what the filters show',
    async run(world) {
      const visitor = await returnAs(world, 'ada', { at: '/audit' });
      const { page } = visitor;
      await setEnabled(visitor, 'dora', false);
      await setEnabled(visitor, 'dora', true);
      await page.goto(`${world.origin}/console/audit?action=user`);
      await rowsOf(page, 'Administrative changes').first().waitFor();
      await follow(visitor, /\/api\/v1\/audit\?/);
      await setEnabled(visitor, 'carl', false);
      const disabled = page.getByText('ada disabled Carl Jensen').first();
      await disabled.waitFor();
      await page
        .getByRole('button', { name: /ada disabled Carl Jensen/ })
        .first()
        .click();
      await page.getByRole('button', { name: /^Show only changes of/ }).waitFor();
      await setEnabled(visitor, 'carl', true);
      await waiting(page, '1 new').waitFor();
      assert.equal(await page.getByText('ada enabled Carl Jensen').count(), 0);
      await waiting(page, '1 new').click();
      await page.getByText('ada enabled Carl Jensen').first().waitFor();
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Export CSV' }).click(),
      ]);
      assert.match(file.suggestedFilename(), /^audit-log-.*\.csv$/);
      const [fields, ...lines] = (await readFile(await file.path(), 'utf8')).trimEnd().split('\r\n');
      assert.match(String(fields), /^\ufeffid,at,actorId,/);
      const [count] = await world.database.query<{ count: number }>(
        `select count(*)::int from audit_log where action like 'user.%'`,
      );
      assert.equal(lines.length, count?.count);
      assert.ok(lines.every((line) => line.includes(',ada,admin,user.')));
      assert.match(String(lines[0]), /user\.enable,user \d+,Carl Jensen/);
      await visitor.close();
      return 5;
    },
  },
  {
    title: 'from and until replace a range, in both logs, and an end must come after its start',
    async run(world) {
      const visitor = await returnAs(world, 'ada', { at: '/login-log?last=7d' });
      const { page } = visitor;
      const form = page.getByRole('form', { name: 'Filters' });
      const enter = async (label: string, text: string) => {
        await form.getByLabel(label).fill(text);
        await form.getByRole('button', { name: 'Apply' }).click();
      };
      const search = () => new URL(page.url()).searchParams;
      for (const { path } of logs) {
        await page.goto(`${world.origin}/console${path}?last=7d`);
        await visitor.settle();
        await choose(page, 'Add filter', 'From');
        await enter('From', '');
        await form.waitFor({ state: 'detached' });
        assert.equal(search().get('last'), '7d', 'no time was typed');
        await choose(page, 'Add filter', 'From');
        await enter('From', '2026-01-02T10:00');
        await chip(page, 'From').waitFor();
        assert.deepEqual([...search().keys()], ['from'], `${path}: the range goes`);
        await choose(page, 'Add filter', 'Until');
        await enter('Until', '2026-01-02T09:00');
        await form.getByText('Give a day and time after the beginning.').waitFor();
        assert.equal(search().get('to'), null);
        await enter('Until', '2026-01-03T10:00');
        await chip(page, 'Until').waitFor();
        // What is new has no end.
        await live(page).click();
        await chip(page, 'Until').waitFor({ state: 'detached' });
        assert.deepEqual([...search().keys()], ['from'], `${path}: the end goes`);
        await live(page).click();
        await live(page).and(page.locator('[aria-checked=false]')).waitFor();
        await page.getByRole('button', { name: '7 days', exact: true }).click();
        await page.waitForURL(/\?last=7d$/);
        await page.getByRole('button', { name: 'All', exact: true }).click();
        await page.waitForURL(new RegExp(`${path}$`));
      }
      await choose(page, 'Add filter', 'Who');
      const who = form.getByRole('combobox');
      await who.fill('emil');
      await page.getByRole('option').filter({ hasText: 'emil' }).click();
      await chip(page, 'Who: emil').waitFor();
      await page.getByRole('button', { name: 'Remove the filter Who: emil' }).click();
      await page.waitForURL(/audit$/);
      await visitor.close();
      return 12;
    },
  },
  {
    title: 'reports a failed export',
    async run(world) {
      const visitor = await returnAs(world, 'ada', { at: '/audit' });
      const { page } = visitor;
      await page.route(/\/audit\/export/, (route) =>
        route.fulfill({ contentType: 'application/json', body: '{"code":500,"msg":"Not now","data":null}' }),
      );
      await page.getByRole('button', { name: 'Export CSV' }).click();
      await visitor.seeNote('Not now');
      await visitor.close(/500|Not now/);
      return 1;
    },
  },
  {
    title: 'a user who can only read the audit log has no export and no list of users',
    async run(world) {
      const visitor = await enterAs(world, 'farid', { at: '/audit' });
      const { page } = visitor;
      await live(page).waitFor();
      await visitor.settle();
      assert.equal(await page.getByRole('button', { name: 'Export CSV' }).count(), 0);
      await addFilter(page).click();
      assert.equal(await page.getByRole('menuitem', { name: 'Who' }).count(), 0);
      await visitor.close();
      return 2;
    },
  },
];
