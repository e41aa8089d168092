// Signs a user in through the form. The rig solves the captcha without reading it: the product has no seam for it.
import { captchaAnswer, solveCaptcha } from '../rig/captcha.ts';
import { companyPassword } from './fill-company.ts';
import { openVisitor, type Visitor, type VisitorOptions } from './visitor.ts';
import type { World } from './world.ts';

export interface SignInWords {
  readonly username: string;
  readonly password: string;
  readonly captcha: string;
  readonly submit: string;
}
export const signInWords = {
  en: {
    username: 'Username',
    password: 'Password',
    captcha: 'Characters in the picture',
    submit: 'Sign in',
  },
  zh: { username: '用户名', password: '密码', captcha: '图中字符', submit: '登录' },
} as const satisfies Record<string, SignInWords>;

interface Credentials {
  readonly username: string;
  readonly password?: string;
  readonly captcha?: string;
}

/** Fills in the form that is shown and sends it; where that leads is the caller's to see. Gives the captcha that it used. */
export async function fillSignIn(
  visitor: Visitor,
  { username, password = companyPassword, captcha = captchaAnswer }: Credentials,
  words: SignInWords = signInWords.en,
): Promise<string> {
  const { page, world } = visitor;
  if (world.asksCaptcha) await page.getByRole('img').waitFor();
  await visitor.settle();
  const captchaId = await visitor.captchaId();
  if (world.asksCaptcha) {
    await solveCaptcha(world.database, captchaId);
    await page.getByLabel(words.captcha).fill(captcha);
  }
  await page.getByLabel(words.username).fill(username);
  await page.getByLabel(words.password).fill(password);
  await page.getByRole('button', { name: words.submit, exact: true }).click();
  return captchaId;
}

type EnterOptions = VisitorOptions & { readonly at?: string };
type Cookies = Awaited<ReturnType<Visitor['context']['cookies']>>;

interface Kept {
  /** By username. */
  readonly cookies: Map<string, Cookies>;
  /** Open browsers that a visitor has left, by person and appearance. */
  readonly browsers: Map<string, Visitor>;
}
const kept = new WeakMap<World['database'], Kept>();

function keptOf({ database }: World): Kept {
  const known = kept.get(database) ?? { cookies: new Map(), browsers: new Map() };
  kept.set(database, known);
  return known;
}

/** In a browser that was left before, where one is free: for cases that leave nothing in it but what it stores. */
async function reuse(
  world: World,
  who: string,
  options: EnterOptions,
  open: () => Promise<Visitor>,
): Promise<{ visitor: Visitor; isNew: boolean }> {
  const { browsers } = keptOf(world);
  const { theme = 'light', language = 'en', width, height } = { ...world.desk, ...options };
  const key = `${who} ${theme} ${language}`;
  const free = browsers.get(key);
  browsers.delete(key);
  // A case that failed closed it.
  const isNew = free?.page.isClosed() !== false;
  const visitor = isNew ? await open() : free;
  if (!isNew) await visitor.page.setViewportSize({ width, height });
  async function close(expected?: RegExp): Promise<void> {
    if (who === '') await visitor.context.clearCookies();
    await visitor.rest(expected);
    if (browsers.has(key)) await visitor.context.close();
    else browsers.set(key, visitor);
  }
  return { visitor: { ...visitor, close }, isNew };
}

/** A visitor who is not signed in, on no page yet. */
export async function openSignedOut(world: World, options: VisitorOptions = {}): Promise<Visitor> {
  return (await reuse(world, '', options, () => openVisitor(world, options))).visitor;
}

async function signIn(visitor: Visitor, username: string, options: EnterOptions): Promise<void> {
  await visitor.page.goto(`${visitor.world.origin}/console${options.at ?? ''}`);
  await fillSignIn(visitor, { username }, signInWords[options.language ?? 'en']);
  await visitor.page.waitForURL(({ pathname }) => !pathname.endsWith('/sign-in'));
  await visitor.settle();
}

/** By the form, on the first page. */
export async function enterAs(world: World, username: string, options: EnterOptions = {}): Promise<Visitor> {
  const visitor = await openSignedOut(world, options);
  await signIn(visitor, username, options);
  return visitor;
}

/** In a separate browser, with the session of before where there is one: for cases that do not end it. */
export async function enterAgainAs(
  world: World,
  username: string,
  options: EnterOptions = {},
): Promise<Visitor> {
  const { cookies } = keptOf(world);
  const known = cookies.get(username);
  const visitor = await openVisitor(world, options);
  if (known === undefined) {
    await signIn(visitor, username, options);
    cookies.set(username, await visitor.context.cookies());
  } else {
    await visitor.context.addCookies(known);
    await visitor.page.goto(`${world.origin}/console${options.at ?? ''}`);
    await visitor.settle();
  }
  return visitor;
}

/** As `enterAgainAs`, in the same browser. */
export async function returnAs(world: World, username: string, options: EnterOptions = {}): Promise<Visitor> {
  const open = () => enterAgainAs(world, username, options);
  const { visitor, isNew } = await reuse(world, username, options, open);
  if (!isNew) {
    await visitor.page.goto(`${world.origin}/console${options.at ?? ''}`);
    await visitor.settle();
  }
  return visitor;
}
