// A user in a separate browser. From the first request on it watches for what must happen on no page:
// a violation of the content security policy, an error in the console, a request to another host.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BrowserContext, Page, Request, Response } from 'playwright-core';
import type { World } from './world.ts';

export interface VisitorOptions {
  readonly theme?: 'light' | 'dark';
  readonly language?: 'en' | 'zh';
  readonly width?: number;
  readonly height?: number;
  /** Whether a counterpart of the test may have a certificate that no browser trusts. */
  readonly trustsAll?: boolean;
}

export interface Visitor {
  readonly world: World;
  readonly context: BrowserContext;
  readonly page: Page;
  /** Every answer so far. */
  readonly responses: readonly Response[];
  /** What was seen that must not be. */
  readonly problems: readonly string[];
  /** The id of the captcha that the page shows. */
  captchaId(): Promise<string>;
  /** Until every question is answered and the answer is drawn. */
  settle(): Promise<void>;
  /** Until the page has shown a note with this text: it disappears after a time. */
  seeNote(text: string | RegExp): Promise<void>;
  /** Throws where something was seen that must not be, and that the case did not bring about itself. */
  close(expected?: RegExp): Promise<void>;
  /** As `close`, but the browser stays for a later visit, with its cookies and an empty page. */
  rest(expected?: RegExp): Promise<void>;
}

/** A machine that stands still for a while is none of the page's: only what hangs takes so long. */
const patienceMilliseconds = 180_000;
const pollMilliseconds = 10;

/** As everybody has it who comes for the first time: language and theme are those of the system. */
export async function openVisitor(world: World, options: VisitorOptions = {}): Promise<Visitor> {
  const {
    theme = 'light',
    language = 'en',
    width,
    height,
    trustsAll = false,
  } = { ...world.desk, ...options };
  const context = await world.browser.newContext({
    ignoreHTTPSErrors: trustsAll,
    viewport: { width, height },
    colorScheme: theme,
    locale: language === 'zh' ? 'zh-CN' : 'en-GB',
    timezoneId: 'Europe/Berlin',
  });
  context.setDefaultTimeout(patienceMilliseconds);
  await context.addInitScript(tellViolations);
  await context.addInitScript(keepNotes);
  const page = await context.newPage();
  const responses: Response[] = [];
  const problems = watch(page, world.origin);
  const open = watchRequests(page);
  let captcha = Promise.withResolvers<string>();
  page.on('response', (response) => {
    responses.push(response);
    if (!response.url().endsWith('/getCaptcha')) return;
    captcha = Promise.withResolvers<string>();
    const { promise, resolve, reject } = captcha;
    response.json().then(({ id }) => resolve(String(id)), reject);
    // Who leaves at once does not ask for it.
    promise.catch(() => {});
  });
  return {
    world,
    context,
    page,
    responses,
    problems,
    captchaId: () => captcha.promise,
    settle: () => settle(page, open),
    seeNote: (text) => seeNote(page, text),
    async close(expected) {
      await context.close();
      expectNone(problems, expected);
    },
    async rest(expected) {
      const seen = problems.splice(0);
      await page.unrouteAll({ behavior: 'ignoreErrors' });
      // Of the same origin and without a script, so that nothing is written there any more.
      const emptyPage = `${world.origin}/console/empty`;
      await page.route(emptyPage, (route) => route.fulfill({ contentType: 'text/html', body: noPage }));
      await page.goto(emptyPage);
      await page.evaluate('localStorage.clear(), sessionStorage.clear()');
      await page.unroute(emptyPage);
      responses.length = 0;
      problems.length = 0;
      expectNone(seen, expected);
    },
  };
}

/** Nor is an icon asked for. */
const noPage = '<!doctype html><link rel="icon" href="data:,">';

function expectNone(problems: readonly string[], expected: RegExp | undefined): void {
  const seen = problems.filter((problem) => expected?.test(problem) !== true);
  assert.deepEqual(seen, [], 'what no page may do');
}

const tellViolations = `addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, sourceFile }) =>
  console.error('A violation of the policy: ' + effectiveDirective + ' ' + blockedURI + ' ' + sourceFile));`;

const keepNotes = `globalThis.shownNotes = [];
new MutationObserver((changes) => {
  for (const { target, addedNodes } of changes)
    if (target instanceof Element && target.matches('section[aria-live]'))
      for (const { textContent } of addedNodes) shownNotes.push(textContent);
}).observe(document, { childList: true, subtree: true });`;

async function seeNote(page: Page, text: string | RegExp): Promise<void> {
  const isIt = (note: string) => (typeof text === 'string' ? note.includes(text) : text.test(note));
  const end = performance.now() + patienceMilliseconds;
  while (!(await page.evaluate<string[]>('shownNotes')).some(isIt)) {
    if (performance.now() > end) throw new Error(`No note says ${text}.`);
    await sleep(pollMilliseconds);
  }
}

function watch(page: Page, origin: string): string[] {
  const problems: string[] = [];
  const place = () => new URL(page.url()).pathname;
  page.on('console', (message) => {
    if (['error', 'warning', 'assert'].includes(message.type()))
      problems.push(`${place()}: ${message.text().split('\n')[0]}`);
  });
  page.on('pageerror', (error) => problems.push(`${place()}: ${error.message}`));
  page.on('request', (request) => {
    const { protocol, origin: asked } = new URL(request.url());
    if (asked !== origin && protocol !== 'data:' && protocol !== 'blob:')
      problems.push(`${place()}: asked ${request.url()}`);
  });
  return problems;
}

/** A colour in transition has another contrast; a placeholder pulses without end. */
const isBusy = `document.querySelector('[aria-busy="true"]') !== null || document.getAnimations().some(
  ({ playState, effect }) => playState === 'running' && effect.getComputedTiming().endTime < Infinity)`;
const twoFrames = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))';

/** Two looks in a row must find nothing open: an answer that is being drawn may ask for more. */
async function settle(page: Page, open: ReadonlySet<Request>): Promise<void> {
  const end = performance.now() + patienceMilliseconds;
  for (let calm = 0; calm < 2; ) {
    if (performance.now() > end) throw new Error(`${page.url()} does not come to rest.`);
    // To ask for frames meanwhile would have them drawn.
    if (open.size > 0) {
      calm = 0;
      await sleep(pollMilliseconds);
      continue;
    }
    await page.evaluate(twoFrames);
    calm = open.size === 0 && !(await page.evaluate<boolean>(isBusy)) ? calm + 1 : 0;
  }
}

/** What the page has asked for and not got yet. */
function watchRequests(page: Page): ReadonlySet<Request> {
  const open = new Set<Request>();
  page.on('request', (request) => open.add(request));
  page.on('requestfinished', (request) => open.delete(request));
  page.on('requestfailed', (request) => open.delete(request));
  // A stream has no end to wait for.
  page.on('response', (response) => {
    if (response.headers()['content-type'] === 'text/event-stream') open.delete(response.request());
  });
  return open;
}
