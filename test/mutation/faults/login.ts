// Logging in: captcha, throttle, password, cookie.
import type { Fault } from '../fault.ts';

const src = 'packages/server/src/login';
const test = 'packages/server/test/login';
const throttle = `${src}/throttle/throttle.ts`;
const throttleTest = `${test}/throttle/throttle.test.ts`;
const throttleSql = 'packages/server/src/store/migrations/0003-throttle.sql';
const devicesSql = 'packages/server/src/store/migrations/0013-devices.sql';
const throttleStoreTest = `${test}/throttle/throttle-store.test.ts`;
const captchaStore = `${src}/captcha/captcha-store.ts`;
const captcha = `${src}/captcha/captcha.ts`;
const captchaTest = `${test}/captcha/captcha.test.ts`;
const drawCaptcha = 'packages/captcha/src/draw-captcha.ts';
const drawTest = 'packages/captcha/test/draw-captcha.test.ts';
const verifier = `${src}/credentials/password-verifier.ts`;
const verifierTest = `${test}/credentials/password-verifier.test.ts`;
const deviceCookie = `${src}/device-cookie.ts`;
const deviceTest = `${test}/device-cookie.test.ts`;
const cookie = `${src}/cookie.ts`;
const cookieTest = `${test}/cookie.test.ts`;
const routes = `${src}/routes.ts`;
const routesTest = `${test}/routes.test.ts`;
const logIn = `${src}/log-in.ts`;
const logInTest = `${test}/log-in.test.ts`;

export const loginFaults: readonly Fault[] = [
  {
    name: 'spellings of a name are counted apart from one network',
    file: throttle,
    before: 'JSON.stringify([canonicalUsername(username), network])',
    after: 'JSON.stringify([username, network])',
    seenBy: [throttleTest],
  },
  {
    name: 'spellings of a name are counted apart from everywhere',
    file: throttle,
    before: "keyOf(key, 'account', canonicalUsername(username))",
    after: "keyOf(key, 'account', username)",
    seenBy: [throttleTest],
  },
  {
    name: 'a verification that fails counts as a login',
    file: throttle,
    before: "let outcome: AttemptOutcome = 'unverified';",
    after: "let outcome: AttemptOutcome = 'success';",
    seenBy: [throttleTest],
  },
  {
    name: 'a wrong password counts as a login',
    file: throttle,
    before: "? 'failure' : 'success';",
    after: "? 'success' : 'success';",
    seenBy: [throttleTest],
  },
  {
    name: 'a guess is not reserved before the password is looked at',
    file: throttleSql,
    before: 'in_flight = pair.in_flight + 1,',
    after: 'in_flight = pair.in_flight,',
    seenBy: [throttleStoreTest],
  },
  {
    name: 'a closed account keeps out the networks that it knows',
    file: throttleSql,
    before: 'if pair.succeeded_at is null and account.failures',
    after: 'if account.failures',
    seenBy: [throttleStoreTest],
  },
  {
    name: 'the wait after a failure does not grow',
    file: throttleSql,
    before: 'least(5 * 2 ^ (pair.failures - pair_limit), 900)',
    after: 'least(5, 900)',
    seenBy: [throttleStoreTest],
  },
  {
    name: 'a login from a known network opens a closed account to the others',
    file: throttleSql,
    before: "when outcome = 'success' and failures < account_limit then 0",
    after: "when outcome = 'success' then 0",
    seenBy: [throttleStoreTest],
  },
  {
    name: 'an attempt that nobody settles counts for nothing',
    file: throttleSql,
    before: 'found.failures := found.failures + found.in_flight;',
    after: 'found.failures := found.failures;',
    seenBy: [throttleStoreTest],
  },
  {
    name: 'a device is known to every account',
    file: throttle,
    before: "keyOf(key, 'device', JSON.stringify([canonicalUsername(username), device]))",
    after: "keyOf(key, 'device', device)",
    seenBy: [throttleTest],
  },
  {
    name: 'a known device waits in line behind its network',
    file: throttle,
    before: 'guess.isKnownDevice ? keys.device : keys.pair',
    after: 'keys.pair',
    seenBy: [throttleTest],
  },
  {
    name: 'the own password is guessed by what a login could name',
    file: throttle,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: It is source text.
    before: 'keyOf(key, `own ${kind}`, String(userId))',
    after: 'keyOf(key, kind, String(userId))',
    seenBy: [throttleTest],
  },
  {
    name: 'a device has guesses without end',
    file: devicesSql,
    before: 'if device.failures < pair_limit then',
    after: 'if device.failures >= 0 then',
    seenBy: [throttleStoreTest],
  },
  {
    name: 'guesses on a device at once share one',
    file: devicesSql,
    before: 'if device.failures + device.in_flight >= pair_limit then',
    after: 'if device.failures >= pair_limit then',
    seenBy: [throttleStoreTest],
  },
  {
    name: 'an account has any number of devices',
    file: devicesSql,
    before: 'order by used_at desc offset 20',
    after: 'order by used_at desc offset 2000',
    seenBy: [throttleStoreTest],
  },
  {
    name: 'a made-up device is known',
    file: deviceCookie,
    before: 'timingSafeEqual(given, seal(id, owner)) ?',
    after: 'given.length === sealBytes ?',
    seenBy: [deviceTest],
  },
  {
    name: 'a login on a known device takes a slot of its network',
    file: logIn,
    before: 'if (device !== undefined)',
    after: "if (device?.owner === '')",
    seenBy: [logInTest],
  },
  {
    name: 'a crowd has any number of captchas drawn',
    file: `${src}/captcha/captcha-stock.ts`,
    before: 'line.length >= longestLine',
    after: 'line.length >= 100 * longestLine',
    seenBy: [`${test}/captcha/captcha-stock.test.ts`],
  },
  {
    name: 'administration goes before logins',
    file: `${src}/credentials/hash-pool.ts`,
    before: 'const isLastsTurn = !isOthersTurn && urgent.size === 0 &&',
    after: 'const isLastsTurn = !isOthersTurn && last.size > 0 &&',
    seenBy: [`${test}/credentials/hash-pool.test.ts`],
  },
  {
    name: 'a caller sets any number of passwords',
    file: `${src}/credentials/caller-hashes.ts`,
    before: 'if (wait > 0) throw',
    after: 'if (wait > 60) throw',
    seenBy: [`${test}/credentials/caller-hashes.test.ts`],
  },
  {
    name: 'one network takes every slot',
    file: `${src}/throttle/login-slots.ts`,
    before: 'ofNetwork >= slots / 2',
    after: 'ofNetwork >= slots',
    seenBy: [`${test}/throttle/login-slots.test.ts`],
  },
  {
    name: 'one person takes half of the slots',
    file: `${src}/throttle/login-slots.ts`,
    before: 'const mostOfOnePerson = 4;',
    after: 'const mostOfOnePerson = 400;',
    seenBy: [`${test}/throttle/login-slots.test.ts`],
  },
  {
    name: 'networks that nobody knows take the slots of the known ones',
    file: `${src}/throttle/login-slots.ts`,
    before: "const kind = isKnownNetwork ? 'known' : 'unknown';",
    after: "const kind = isKnownNetwork ? 'known' : 'known';",
    seenBy: [`${test}/throttle/login-slots.test.ts`],
  },
  {
    name: 'a captcha is solved more than once',
    file: captchaStore,
    before: 'return taken?.live === true ?',
    after:
      'if (taken?.live === true)\n        await this.put(id, taken.answer_hmac, 120);\n      return taken?.live === true ?',
    seenBy: [captchaTest],
  },
  {
    name: 'a captcha is solved after its time',
    file: captchaStore,
    before: 'return taken?.live === true ?',
    after: 'return taken !== undefined ?',
    seenBy: [captchaTest],
  },
  {
    name: 'a captcha lives for 20 minutes',
    file: captcha,
    before: 'const lifetimeSeconds = 120;',
    after: 'const lifetimeSeconds = 1200;',
    seenBy: [captchaTest],
  },
  {
    name: 'any answer of the right length solves a captcha',
    file: captcha,
    before: ' && timingSafeEqual(expected, given)',
    after: '',
    seenBy: [captchaTest],
  },
  {
    name: 'the account is read for a guess that is not admitted',
    file: `${src}/throttle/throttle-store.ts`,
    before: " where verdict = 'admitted')",
    after: ')',
    seenBy: [throttleStoreTest],
  },
  {
    name: 'a guess counts as right though its session was refused',
    file: `${src}/throttle/throttle-store.ts`,
    before: "else 'unverified' end",
    after: "else 'success' end",
    seenBy: ['packages/server/test/factors/session-guard.test.ts'],
  },
  {
    name: 'the symbols of a captcha are not bent',
    file: drawCaptcha,
    before: 'for (const stroke of symbol) drawStroke(ink, stroke.map(warp),',
    after: 'for (const stroke of symbol) drawStroke(ink, stroke,',
    seenBy: [drawTest],
  },
  {
    name: 'a captcha has no clutter',
    file: drawCaptcha,
    before: 'for (const stroke of clutter) {',
    after: 'for (const stroke of clutter.slice(9)) {',
    seenBy: [drawTest],
  },
  {
    name: 'login asks for no captcha',
    file: logIn,
    before: 'if (captchaRequired && !(await isSolvedBy(uuid, code))) throw',
    after: "if (captchaRequired && uuid === '') throw",
    seenBy: [logInTest],
  },
  {
    name: 'a captcha may be left out',
    file: logIn,
    before: 'if (captchaRequired && (uuid === undefined || code === undefined))',
    after: 'if (captchaRequired && uuid === undefined && code === undefined)',
    seenBy: [logInTest],
  },
  {
    name: 'an unknown name is refused without a hash',
    file: verifier,
    before: 'time(() => hashes.matches(password, stored?.passwordHash)),',
    after: 'time(async () => stored !== undefined && (await hashes.matches(password, stored.passwordHash))),',
    seenBy: [verifierTest],
  },
  {
    name: 'the time of a refusal leaves out the lookup',
    file: verifier,
    before: ' - found.milliseconds - compared.milliseconds',
    after: ' - compared.milliseconds',
    seenBy: [verifierTest],
  },
  {
    name: 'a user of a disabled role logs in',
    file: verifier,
    before: 'if (!stored.roleEnabled) return',
    after: 'if (stored.roleEnabled === undefined) return',
    seenBy: [verifierTest],
  },
  {
    name: 'a disabled user logs in',
    file: verifier,
    before: 'if (!stored?.userEnabled) return',
    after: 'if (!stored) return',
    seenBy: [verifierTest],
  },
  {
    name: 'any password logs in',
    file: verifier,
    before: 'account === undefined || !matches)',
    after: 'account === undefined)',
    seenBy: [verifierTest],
  },
  {
    name: 'a refusal takes no longer than the password does',
    file: `${src}/credentials/refusal-time.ts`,
    before: 'const reserve = 1.5;',
    after: 'const reserve = 0;',
    seenBy: [`${test}/credentials/refusal-time.test.ts`],
  },
  {
    name: 'the cookie comes along from other sites',
    file: cookie,
    before: 'SameSite=Strict',
    after: 'SameSite=Lax',
    seenBy: [cookieTest],
  },
  {
    name: 'scripts read the cookie',
    file: cookie,
    before: 'HttpOnly; ',
    after: '',
    seenBy: [cookieTest],
  },
  {
    name: 'the cookie is sent in the clear',
    file: cookie,
    before: "secure ? '; Secure' : ''",
    after: "''",
    seenBy: [cookieTest],
  },
  {
    name: 'a success that could not be kept is recorded twice',
    file: routes,
    before: 'if (attempt.isTold) return;',
    after: '',
    seenBy: [routesTest],
  },
  {
    name: 'any number of captchas is made',
    file: routes,
    before: '(isText ? textCaptchaLimit : captchaLimit)(call);',
    after: '',
    seenBy: [routesTest],
  },
  {
    name: 'the login log is not told why an account was refused',
    file: `${src}/attempt.ts`,
    before: '(facts.reason ?? reasonOf(failure))',
    after: 'reasonOf(failure)',
    seenBy: [`${test}/attempt.test.ts`],
  },
];
