// Getting in and out: what a wrong answer shows, where signing in leads, and that nothing is kept that a script could take.
import assert from 'node:assert/strict';
import { errorTable } from '@portcullis/contract';
import { captchaAnswer, solveCaptcha } from '../rig/captcha.ts';
import { chooseOwn, waitUntilIn } from './errands.ts';
import { enterAs, fillSignIn, openSignedOut, returnAs, type SignInWords, signInWords } from './sign-in.ts';
import type { Visitor } from './visitor.ts';
import type { World } from './world.ts';

interface SignInCase {
  readonly title: string;
  run(world: World): Promise<number>;
}

async function atSignIn(world: World, query = '', language: 'en' | 'zh' = 'en'): Promise<Visitor> {
  const visitor = await openSignedOut(world, { language });
  await visitor.page.goto(`${world.origin}/console/sign-in${query}`);
  return visitor;
}

/** The message, another picture, an empty field for what is in it, and everything else as it was typed. */
async function expectSecondTry(
  visitor: Visitor,
  { firstCaptcha, message }: { firstCaptcha: string; message: string },
  words: SignInWords = signInWords.en,
): Promise<void> {
  const { page } = visitor;
  await page.getByRole('alert').filter({ hasText: message }).waitFor();
  await page.getByRole('img').waitFor();
  await visitor.settle();
  assert.notEqual(await visitor.captchaId(), firstCaptcha, 'the captcha after a failed attempt');
  assert.equal(await page.getByLabel(words.captcha).inputValue(), '');
  assert.equal(await page.getByLabel(words.username).inputValue(), 'ada');
}

export const signInCases: readonly SignInCase[] = [
  {
    title: 'a wrong password says so, in both languages, and asks for a new captcha',
    async run(world) {
      for (const language of ['en', 'zh'] as const) {
        const visitor = await atSignIn(world, '', language);
        const words = signInWords[language];
        const firstCaptcha = await fillSignIn(visitor, { username: 'ada', password: 'not-hers' }, words);
        await expectSecondTry(
          visitor,
          { firstCaptcha, message: errorTable.credentials_wrong.text[language] },
          words,
        );
        await visitor.close();
      }
      return 2;
    },
  },
  {
    title: 'asks for a passkey after the captcha, and accepts the password where there is none',
    async run(world) {
      const visitor = await atSignIn(world);
      const { page } = visitor;
      // As a service that has passkeys tells it.
      await page.route('**/login/methods', (route) =>
        route.fulfill({
          json: { code: 200, data: { methods: ['password', 'passkey'] }, msg: '', requestId: '' },
        }),
      );
      await page.reload();
      await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
      await page
        .getByRole('alert')
        .filter({ hasText: 'Type the characters in the picture first.' })
        .waitFor();
      await page.getByLabel(signInWords.en.captcha).and(page.locator(':focus')).waitFor();
      await visitor.settle();
      await solveCaptcha(world.database, await visitor.captchaId());
      await page.getByLabel(signInWords.en.captcha).fill(captchaAnswer);
      await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
      await page.getByRole('alert').filter({ hasText: 'No passkey was used' }).waitFor();
      await fillSignIn(visitor, { username: 'ada' });
      await waitUntilIn(visitor);
      await visitor.close();
      return 3;
    },
  },
  {
    title: 'reports a wrong captcha and asks for a new one, which works',
    async run(world) {
      const visitor = await atSignIn(world);
      const firstCaptcha = await fillSignIn(visitor, { username: 'ada', captcha: 'WRONG' });
      await expectSecondTry(visitor, { firstCaptcha, message: errorTable.captcha_wrong.text.en });
      await fillSignIn(visitor, { username: 'ada' });
      await waitUntilIn(visitor);
      await visitor.close();
      return 2;
    },
  },
  {
    title: 'another picture has another captcha',
    async run(world) {
      const visitor = await atSignIn(world);
      await visitor.page.getByRole('img').waitFor();
      const first = await visitor.captchaId();
      const asked = visitor.page.waitForResponse(/getCaptcha$/);
      await visitor.page.getByRole('button', { name: 'Another picture' }).click();
      await asked;
      assert.notEqual(await visitor.captchaId(), first);
      await visitor.close();
      return 1;
    },
  },
  {
    title: 'signing in opens the requested page, and never one outside the console',
    async run(world) {
      const targets = [
        ['/console/users?q=mei', '/console/users?q=mei'],
        ['/console/sign-in?to=//evil.example', '/console/'],
        ['/console/sign-in?to=https://evil.example/', '/console/'],
        ['/console/sign-in?to=/%5Cevil.example', '/console/'],
        ['/console/sign-in?to=javascript:alert(1)', '/console/'],
      ] as const;
      const visitor = await openSignedOut(world);
      for (const [asked, reached] of targets) {
        await visitor.context.clearCookies();
        await visitor.page.goto(`${world.origin}${asked}`);
        await fillSignIn(visitor, { username: 'ada' });
        await waitUntilIn(visitor);
        const { pathname, search } = new URL(visitor.page.url());
        assert.equal(`${pathname}${search}`, reached, `after ${asked}`);
        await visitor.settle();
      }
      await visitor.close();
      return targets.length;
    },
  },
  {
    title: 'a reload stays signed in, also of the first page, and no script can read the token',
    async run(world) {
      const visitor = await returnAs(world, 'ada');
      const { page, context } = visitor;
      for (const path of ['', '/users']) {
        await page.goto(`${world.origin}/console${path}`);
        await visitor.settle();
        await page.reload();
        // The frame is drawn before the user is known; its links are not.
        await page.getByRole('navigation').getByRole('link', { name: 'Users', exact: true }).waitFor();
      }
      const cookie = (await context.cookies()).find(({ name }) => name === 'jwt');
      assert.deepEqual([cookie?.name, cookie?.httpOnly, cookie?.sameSite], ['jwt', true, 'Strict']);
      const kept = await page.evaluate<string>(
        'document.cookie + JSON.stringify([{ ...localStorage }, { ...sessionStorage }])',
      );
      assert.doesNotMatch(kept, /ey[\w-]+\./);
      await visitor.close();
      return 4;
    },
  },
  {
    title: 'signing out ends the session: the back button shows only the form',
    async run(world) {
      const visitor = await enterAs(world, 'ada', { at: '/users' });
      const { page } = visitor;
      await chooseOwn(visitor, 'Sign out');
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await page.goBack();
      await visitor.settle();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      assert.equal(await page.getByRole('navigation').count(), 0);
      await visitor.close();
      return 2;
    },
  },
  {
    title: 'language and theme change at once and are kept',
    async run(world) {
      const visitor = await returnAs(world, 'ada');
      const { page } = visitor;
      const ground = () =>
        page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor');
      const light = await ground();
      await chooseOwn(visitor, 'Dark theme');
      await page.locator('html[data-theme="dark"]').waitFor();
      assert.notEqual(await ground(), light);
      await chooseOwn(visitor, '中文');
      await page.getByRole('link', { name: '权限矩阵' }).waitFor();
      await visitor.settle();
      await page.reload();
      await page.getByRole('link', { name: '权限矩阵' }).waitFor();
      await page.locator('html[data-theme="dark"][lang="zh-CN"]').waitFor();
      assert.notEqual(await ground(), light);
      await chooseOwn(visitor, '浅色主题');
      await chooseOwn(visitor, 'English');
      await page.getByRole('link', { name: 'Access matrix' }).waitFor();
      await page.locator('html[data-theme="light"]').waitFor();
      assert.equal(await ground(), light);
      await visitor.close();
      return 5;
    },
  },
  {
    title: 'reports an unknown address, and links back',
    async run(world) {
      const visitor = await returnAs(world, 'ada', { at: '/no-such-page' });
      const { page } = visitor;
      await page.getByText('There is no such page').waitFor();
      await page.getByRole('link', { name: 'Go to the overview' }).click();
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
      await visitor.close();
      return 2;
    },
  },
  {
    title: 'requires the same new password twice: on the user’s own page, and by a link, which works once',
    async run(world) {
      const { origin, database } = world;
      const wanted = 'four-kites-over-the-harbour';
      const farid = await enterAs(world, 'farid', { at: '/password' });
      const fields = ({ page }: Visitor) => ({
        next: page.getByLabel('New password', { exact: true }),
        again: page.getByLabel('New password, once more'),
        differ: page.getByText('The two are not the same.'),
      });
      const own = fields(farid);
      const change = farid.page.getByRole('button', { name: 'Change password', exact: true });
      await farid.page.getByLabel('Current password').fill('wrong-otters-carry-lanterns');
      await own.next.fill(wanted);
      assert.equal(await own.differ.count(), 0, 'nothing is typed once more');
      await own.again.fill('four-kites');
      await own.differ.waitFor();
      assert.equal(await change.isDisabled(), true);
      await own.again.fill(wanted);
      await own.differ.waitFor({ state: 'detached' });
      await change.click();
      await farid.page.getByRole('alert').waitFor();
      await farid.context.close();

      const ada = await returnAs(world, 'ada', { at: '/keys' });
      const [user] = await database.query<{ id: string }>("select id from users where username = 'farid'");
      const link = await ada.page.evaluate<string>(
        `fetch('/api/v1/users/${user?.id}/password-link', { method: 'POST', headers: { 'x-requested-with': 'XMLHttpRequest' } })
          .then((answer) => answer.json()).then(({ data }) => data.link)`,
      );
      await ada.close();
      const visitor = await openSignedOut(world);
      const { page } = visitor;
      const { hash } = new URL(link);
      await page.goto(`${origin}/console/new-password${hash.slice(0, -1)}`);
      await page.getByRole('alert').waitFor();
      assert.equal(await fields(visitor).next.count(), 0, 'a link that is cut off');
      for (const isFirst of [true, false]) {
        await page.goto(`${origin}/console/sign-in`);
        await page.goto(`${origin}/console/new-password${hash}`);
        await page.waitForURL(/new-password$/);
        const { next, again, differ } = fields(visitor);
        const submit = page.locator('button[type=submit]');
        await next.fill(wanted);
        await again.fill('four');
        await differ.waitFor();
        assert.equal(await submit.isDisabled(), true);
        await again.fill(wanted);
        await submit.click();
        if (isFirst) await page.getByRole('heading', { name: 'Sign in' }).waitFor();
        else
          await page.getByRole('alert').filter({ hasText: errorTable.password_link_wrong.text.en }).waitFor();
      }
      await page.goto(`${origin}/console/forgot-password`);
      await page.getByRole('img').waitFor();
      const first = await visitor.captchaId();
      await page.getByLabel(/mail/i).fill('farid@example.com');
      await solveCaptcha(database, first);
      await page.getByLabel(signInWords.en.captcha).fill(captchaAnswer);
      await page.locator('button[type=submit]').click();
      await page.getByRole('alert').filter({ hasText: errorTable.mail_disabled.text.en }).waitFor();
      await visitor.settle();
      assert.notEqual(await visitor.captchaId(), first, 'the captcha after a refusal');
      assert.equal(await page.getByLabel(signInWords.en.captcha).inputValue(), '');
      await page.goto(`${origin}/console/sign-in`);
      await fillSignIn(visitor, { username: 'farid', password: wanted });
      await page.waitForURL(({ pathname }) => !pathname.endsWith('/sign-in'));
      await visitor.close();
      return 9;
    },
  },
];
