// One story from end to end: an administrator creates a role and a user, gives a permission in the matrix and revokes it
// again, while the user works in a second browser. Each step begins where the one before it ended.
import assert from 'node:assert/strict';
import {
  applyDraft,
  changePassword,
  chooseOwn,
  createRole,
  createUser,
  endSession,
  explain,
  listLinks,
  openPage,
  readLog,
  toggleCell,
  waitUntilIn,
} from './errands.ts';
import { enterAs, fillSignIn } from './sign-in.ts';
import type { Case } from './tally.ts';
import { openVisitor, type Visitor } from './visitor.ts';
import type { World } from './world.ts';

interface Step {
  readonly title: string;
  readonly run: Case;
}

const ownPassword = 'quiet-harbour-lamps-at-noon';
const right = 'GET /api/v1/users';
const refused = 'Your role may not see this';

export function* journey(world: World): Generator<Step> {
  let ada: Visitor | undefined;
  let petra: Visitor | undefined;
  let madePassword = '';
  const one = (visitor: Visitor | undefined): Visitor => {
    if (visitor === undefined) throw new Error('No visitor has signed in yet.');
    return visitor;
  };

  yield {
    title: 'journey: an administrator signs in with a captcha and sees every page',
    async run() {
      ada = await enterAs(world, 'ada');
      assert.equal((await listLinks(ada)).length, 16);
      return 1;
    },
  };
  yield {
    title: 'journey: creates a role',
    async run() {
      await createRole(one(ada), { key: 'porter', name: 'Porter' });
      return 1;
    },
  };
  yield {
    title: 'journey: creates a user of that role, and shows the generated password once',
    async run() {
      madePassword = await createUser(one(ada), {
        username: 'petra',
        name: 'Petra Lindqvist',
        department: 'Warehouse',
        role: 'Porter',
      });
      await one(ada).page.reload();
      await one(ada).settle();
      assert.ok(!(await one(ada).page.content()).includes(madePassword), 'the password after a reload');
      return 2;
    },
  };
  yield {
    title: 'journey: gives a permission in the matrix: a draft, its effects, and then it applies',
    async run() {
      await openPage(one(ada), 'Access matrix');
      await toggleCell(one(ada), `porter, ${right}`, ['not allowed', 'draft: rule added']);
      await applyDraft(one(ada), ['porter', 'Concerns 1 user', '1 endpoint gained', '/api/v1/users']);
      await one(ada)
        .page.getByRole('gridcell', { name: `porter, ${right}: allowed by a rule of its own` })
        .waitFor();
      return 3;
    },
  };
  yield {
    title: 'journey: explain names the rule that allows it',
    async run() {
      const answer = await explain(one(ada), { who: 'porter', named: 'Porter', path: '/api/v1/users' });
      assert.match(answer, /Allowed/);
      assert.match(answer, /A rule of the role porter allows it\./);
      assert.match(answer, /The rule that allows it\s*GET \/api\/v1\/users/);
      return 1;
    },
  };
  yield {
    title:
      'journey: the user mistypes once, must choose a new password, and then sees only what the role can call',
    async run() {
      petra = await openVisitor(world);
      await petra.page.goto(`${world.origin}/console`);
      await fillSignIn(petra, { username: 'petra', password: 'not-the-made-one' });
      await petra.page.getByRole('alert').waitFor();
      await petra.settle();
      await fillSignIn(petra, { username: 'petra', password: madePassword });
      await petra.page.getByText('Somebody else gave you your password').waitFor();
      await changePassword(petra, { from: madePassword, to: ownPassword });
      await fillSignIn(petra, { username: 'petra', password: ownPassword });
      await waitUntilIn(petra);
      await petra.settle();
      assert.deepEqual(await listLinks(petra), ['Overview', 'Access requests', 'Users', 'Quick start']);
      await openPage(petra, 'Users');
      await petra.page.getByRole('cell', { name: 'petra' }).waitFor();
      assert.equal(await petra.page.getByRole('button', { name: 'Create user' }).count(), 0);
      return 4;
    },
  };
  yield {
    title: 'journey: revokes the permission; the next click is refused, and the user stays signed in',
    async run() {
      await openPage(one(ada), 'Access matrix');
      await toggleCell(one(ada), `porter, ${right}`, ['allowed by a rule of its own', 'draft: rule removed']);
      await applyDraft(one(ada), ['porter', 'Concerns 1 user', '1 endpoint lost', '/api/v1/users']);
      const { page } = one(petra);
      await page.getByLabel('Status').selectOption('Enabled');
      await page.getByRole('alert').filter({ hasText: refused }).waitFor();
      await page.getByRole('alert').filter({ hasText: 'You are still signed in.' }).waitFor();
      assert.ok(new URL(page.url()).pathname.endsWith('/users'), page.url());
      await openPage(one(petra), 'Overview');
      await page.goBack();
      await page.getByRole('alert').filter({ hasText: refused }).waitFor();
      return 3;
    },
  };
  yield {
    title: 'journey: explain says that no rule allows it now',
    async run() {
      const answer = await explain(one(ada), {
        who: 'petra',
        named: 'Petra Lindqvist',
        path: '/api/v1/users',
      });
      assert.match(answer, /Denied/);
      assert.match(answer, /No rule of the role porter allows it\./);
      return 1;
    },
  };
  yield {
    title: 'journey: ends the session; the next click opens the sign-in form, which returns to the same page',
    async run() {
      await endSession(one(ada), 'petra');
      const { page } = one(petra);
      const before = page.url();
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByText('Your session has ended.').waitFor();
      await fillSignIn(one(petra), { username: 'petra', password: ownPassword });
      await page.getByRole('alert').filter({ hasText: refused }).waitFor();
      assert.equal(page.url(), before);
      return 3;
    },
  };
  yield {
    title: 'journey: the login log has all of it',
    async run() {
      const expected = ['Signed in', 'Signed in', 'Signed in', 'Wrong username or password'];
      assert.deepEqual(await readLog(one(ada), 'petra', expected.length), expected);
      return 1;
    },
  };
  yield {
    title: 'journey: works the same in Chinese and in dark mode',
    async run() {
      const { page } = one(ada);
      await chooseOwn(one(ada), '中文');
      await page.getByRole('heading', { level: 1, name: '登录日志' }).waitFor();
      await chooseOwn(one(ada), '深色主题');
      await page.locator('html[data-theme="dark"]').waitFor();
      await page.getByRole('row').filter({ hasText: '登录成功' }).first().waitFor();
      await one(petra).close();
      await one(ada).close();
      return 4;
    },
  };
}
