// Signing in through a real OpenID provider in a real Chromium: refused for want of a link, linked, let in, and signed out by
// the provider.
import assert from 'node:assert/strict';
import type { Browser } from 'playwright-core';
import { encrypt } from '../../packages/server/src/base/secrets/encryption.ts';
import { captchaAnswer, solveCaptcha } from '../rig/captcha.ts';
import { createCertificateAuthority } from '../rig/certificate-authority.ts';
import { isJudged } from '../rig/judges-times.ts';
import { sealingKey } from '../rig/master-key.ts';
import { type OpenIdProvider, startOpenIdProvider } from '../rig/openid-provider.ts';
import { findFreePort } from '../rig/tcp-proxy.ts';
import { chooseOwn, waitUntilIn } from './errands.ts';
import { companyPassword, fillCompany } from './fill-company.ts';
import { fillSignIn, signInWords } from './sign-in.ts';
import { openVisitor, type Visitor } from './visitor.ts';
import { look } from './ways.ts';
import { createWorld, type World } from './world.ts';

const key = 'sso';
const name = 'Acme';
const mostMilliseconds = 1000;

const words = {
  en: {
    by: `Sign in with ${name}`,
    refused: 'is not linked to an account of this service',
    ways: 'Sign-in methods',
    link: `Link ${name}`,
    password: 'Your password',
    goOn: 'Continue',
    linked: 'Your account is linked.',
    out: 'Sign out',
  },
  zh: {
    by: `使用 ${name} 登录`,
    refused: '尚未与此处的用户关联',
    ways: '登录方式',
    link: `关联 ${name}`,
    password: '您的密码',
    goOn: '继续',
    linked: '账号已关联。',
    out: '退出登录',
  },
} as const;
type Language = keyof typeof words;

/** In both languages, each with a separate person. */
export async function useProvider(browser: Browser): Promise<number> {
  await using authority = await createCertificateAuthority();
  const port = await findFreePort();
  const redirectUri = `http://127.0.0.1:${port}/console/callback/${key}`;
  const logoutUri = `http://127.0.0.1:${port}/api/v1/providers/${key}/logout`;
  const openId = await startOpenIdProvider({ authority, redirectUri, logoutUri });
  const settings = {
    APPLICATION_PORT: String(port),
    PROVIDER_ALLOWED_NETWORKS: "['127.0.0.0/8', '::1']",
    PROVIDER_CA_FILE: authority.file,
  };
  const world = await createWorld(browser, fillCompany, { settings });
  try {
    await addProvider(world, openId, redirectUri);
    await goThrough(world, openId, { language: 'en', username: 'carl' });
    await goThrough(world, openId, { language: 'zh', username: 'dora' });
    return 2;
  } finally {
    await world.stop();
    await openId.stop();
  }
}

async function addProvider({ database }: World, openId: OpenIdProvider, redirectUri: string): Promise<void> {
  const settings = { issuer: openId.issuer, clientId: openId.clientId, redirectUri };
  const [row] = await database.query<{ id: number }>(
    `insert into providers (key, kind, name, enabled, settings) values ($1, 'oidc', $2, true, $3) returning id::int`,
    [key, name, JSON.stringify(settings)],
  );
  const id = row?.id ?? 0;
  const sealed = encrypt(Buffer.from(openId.secret), sealingKey, `secret of provider ${id}`);
  await database.query('update providers set sealed_secret = $2 where id = $1', [id, sealed]);
}

async function goThrough(
  world: World,
  openId: OpenIdProvider,
  { language, username }: { readonly language: Language; readonly username: string },
): Promise<void> {
  const t = words[language];
  const account = `subject-of-${username}`;
  const visitor = await openVisitor(world, { language, trustsAll: true });
  const { page, context } = visitor;
  const atProvider = async () => {
    await page.getByLabel('Account').fill(account);
    await page.getByRole('button', { name: 'Sign in' }).click();
  };

  await leaveBy(visitor, t.by, language);
  await atProvider();
  await page.getByRole('alert').filter({ hasText: t.refused }).waitFor();
  assert.equal(new URL(page.url()).search, '', 'the answer of the provider is not left in the address');
  await look(visitor, 'refused for want of a link');

  await page.goto(`${world.origin}/console/sign-in`);
  await fillSignIn(visitor, { username }, signInWords[language]);
  await waitUntilIn(visitor);
  await chooseOwn(visitor, t.ways);
  await page.getByRole('button', { name: t.link, exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel(t.password).fill(companyPassword);
  await look(visitor, 'linking an account', '[role="dialog"]');
  await dialog.getByRole('button', { name: t.goOn, exact: true }).click();
  await page.getByRole('listitem').filter({ hasText: name }).waitFor();
  await visitor.seeNote(t.linked);
  await look(visitor, 'the own sign-in methods with a link');

  // Like another browser for both: no user is signed in anywhere.
  await context.clearCookies();
  await leaveBy(visitor, t.by, language);
  await atProvider();
  // The frame is there before the first page is: what counts is where it leads.
  await page.waitForURL(({ pathname }) => pathname === '/console/');
  await waitUntilIn(visitor);

  const startedAt = performance.now();
  assert.equal(await openId.sendLogout({ sub: account, sid: openId.sessions.get(account) }), 200);
  await page.reload();
  await page.waitForURL(({ pathname }) => pathname.endsWith('/sign-in'));
  const milliseconds = performance.now() - startedAt;
  console.log(
    `       signed out by the provider (${language}): ${Math.round(milliseconds)} ms after its call`,
  );
  if (isJudged('how soon a provider’s logout shows'))
    assert.ok(milliseconds < mostMilliseconds, 'signed out within a second of the call');
  await visitor.settle();
  await visitor.close(new RegExp(`asked ${openId.issuer}|favicon|401|Failed to load resource`));
}

/** With the captcha typed first, as with every other login. */
async function leaveBy(visitor: Visitor, button: string, language: Language): Promise<void> {
  const { page, world } = visitor;
  await page.goto(`${world.origin}/console/sign-in`);
  await page.getByRole('img').waitFor();
  await visitor.settle();
  await solveCaptcha(world.database, await visitor.captchaId());
  await page.getByLabel(signInWords[language].captcha).fill(captchaAnswer);
  await page.getByRole('button', { name: button, exact: true }).click();
  await page.waitForURL(({ origin }) => origin !== world.origin);
}
