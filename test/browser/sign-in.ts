// Signs somebody in as people do it. The captcha is solved without reading it, by the rig: the product has no seam for it.
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
  const { page } = visitor;
  await page.getByRole('img').waitFor();
  await visitor.settle();
  const captchaId = await visitor.captchaId();
  await solveCaptcha(visitor.world.database, captchaId);
  await page.getByLabel(words.username).fill(username);
  await page.getByLabel(words.password).fill(password);
  await page.getByLabel(words.captcha).fill(captcha);
  await page.getByRole('button', { name: words.submit, exact: true }).click();
  return captchaId;
}

/** In a browser of its own, on the first page. */
export async function enterAs(
  world: World,
  username: string,
  options: VisitorOptions & { readonly at?: string } = {},
): Promise<Visitor> {
  const visitor = await openVisitor(world, options);
  await visitor.page.goto(`${world.origin}/console${options.at ?? ''}`);
  await fillSignIn(visitor, { username }, signInWords[options.language ?? 'en']);
  await visitor.page.waitForURL(({ pathname }) => !pathname.endsWith('/sign-in'));
  await visitor.settle();
  return visitor;
}
