// Logins that should not succeed, and tokens of logins that are over.
import type { Request } from '../../rig/http-client.ts';
import { addUser, hashPassword, password, type Username } from '../../rig/seed.ts';
import { passTime } from '../login/guesses.ts';
import { type Advisory, type Notice, type World, withToken } from './advisory.ts';

/** Wrong passwords after which an account must wait. */
export const allowedFailures = 3;

const login = (body: unknown, headers: Record<string, string> = {}): Request => ({
  method: 'POST',
  path: '/api/v1/login',
  body,
  headers,
});

/** A login with a solved captcha. */
async function solved(world: World, fields: object, headers?: Record<string, string>): Promise<Request> {
  return login({ ...(await world.service.solvedCaptcha()), ...fields }, headers);
}

async function addGuest({ service }: World, username: string, text: string): Promise<void> {
  const passwordHash = await hashPassword(text, 2);
  await addUser(service.database, { username, role: 'guest', passwordHash });
}

/** The right password, after too many wrong ones, in another spelling or from another address. */
const afterGuesses = (
  row: string,
  username: string,
  again: { readonly spelt?: string; readonly headers?: Record<string, string> },
  notice: Notice,
): Advisory => ({
  ...notice,
  row,
  answer: 'rate_limited',
  async attack(world) {
    await addGuest(world, username, password);
    for (let failures = 0; failures < allowedFailures; failures += 1)
      await world.service.logIn(username, 'wrong');
    // However long the machine takes from here, the wait is not over.
    await passTime(world.service.database, -60);
    return await solved(world, { username: again.spelt ?? username, password }, again.headers);
  },
});

/** A separate user, whose stored password the given one is nearly. */
const nearly = (username: string, stored: string, given: string, notice: Notice): Advisory => ({
  ...notice,
  row: 'T77',
  answer: 'credentials_wrong',
  async attack(world) {
    await addGuest(world, username, stored);
    return await solved(world, { username, password: given });
  },
});

const refused = (
  row: string,
  answer: Advisory['answer'],
  fields: object,
  notice: Notice,
  headers?: Record<string, string>,
): Advisory => ({ ...notice, row, answer, attack: (world) => solved(world, fields, headers) });

async function freshToken({ service }: World, username: Username): Promise<string> {
  return String((await service.logIn(username)).body.token);
}

const ended: readonly Advisory[] = [
  {
    id: 'CVE-2025-53826',
    product: 'File Browser',
    what: 'went on to accept a token after its logout',
    row: 'T27',
    answer: 'token_revoked',
    async attack(world) {
      const token = await freshToken(world, 'ada');
      await world.service.send(withToken(token, { method: 'POST', path: '/api/v1/logout' }));
      return withToken(token);
    },
  },
  {
    id: 'CVE-2021-26921',
    product: 'Argo CD',
    what: 'went on to accept the tokens of a disabled account',
    row: 'T28',
    answer: 'token_revoked',
    async attack(world) {
      const token = await freshToken(world, 'carl');
      const path = '/api/v1/users/2/enabled';
      await world.service.send(withToken(world.ada, { method: 'PUT', path, body: { enabled: false } }));
      return withToken(token);
    },
  },
  refused(
    'T28',
    'credentials_wrong',
    { username: 'dora', password },
    {
      id: 'CVE-2025-53942',
      product: 'authentik',
      what: 'let users in half who were deactivated',
    },
  ),
];

const long = 'x'.repeat(72);

export const logins: readonly Advisory[] = [
  ...ended,
  {
    id: 'CVE-2026-3214',
    product: 'Drupal CAPTCHA',
    what: 'took a captcha again that had been solved before',
    row: 'T63',
    answer: 'captcha_wrong',
    async attack({ service }) {
      const body = { username: 'gina', password, ...(await service.solvedCaptcha()) };
      await service.postLogin(body);
      return login(body);
    },
  },
  refused(
    'T66',
    'params_invalid',
    { username: 'gina', password, code: { $gt: 0 } },
    { id: 'CVE-2019-18818', product: 'Strapi', what: 'compared a code with an object instead of a text' },
  ),
  afterGuesses(
    'T73',
    'kira',
    { spelt: 'KIRA' },
    { id: 'CVE-2025-24806', product: 'Authelia', what: 'counted failures by the name as it was typed' },
  ),
  afterGuesses(
    'T73',
    'lena',
    { spelt: ' \uff2cena ' },
    { id: 'CVE-2026-47203', product: 'Authelia', what: 'took a name on one of its ways in as it was typed' },
  ),
  refused(
    'T73',
    'credentials_wrong',
    { username: 'g\u0131na', password },
    {
      id: 'CVE-2019-19844',
      product: 'Django',
      what: 'found an account by a name that only folds to its own',
    },
  ),
  afterGuesses(
    'T74',
    'mila',
    { headers: { 'x-forwarded-for': '203.0.113.9' } },
    {
      id: 'CVE-2020-35590',
      product: 'Limit Login Attempts',
      what: 'counted failures by an address that the caller wrote',
    },
  ),
  refused(
    'T77',
    'credentials_wrong',
    { username: 'gina', password: 'null' },
    { id: 'CVE-2019-11272', product: 'Spring Security', what: 'took the word null for a missing password' },
  ),
  nearly('long', `${long}right`, `${long}wrong`, {
    id: 'CVE-2025-22228',
    product: 'Spring Security',
    what: 'compared 72 characters of a password',
  }),
  nearly('longer', 'x', 'x'.repeat(256), {
    id: 'CVE-2020-7689',
    product: 'node.bcrypt.js',
    what: 'counted the length of a password in one byte',
  }),
  refused(
    'T77',
    'params_invalid',
    { username: 'gina', password: 'x'.repeat(1000) },
    { id: 'CVE-2013-1443', product: 'Django', what: 'hashed passwords of any length' },
  ),
  refused(
    'T77',
    'too large',
    { username: 'gina', password: 'x'.repeat(1_000_000) },
    { id: 'CVE-2014-9034', product: 'WordPress', what: 'hashed a password of a megabyte' },
  ),
  refused(
    'T81',
    'params_invalid',
    { username: { $func: 'var_dump' }, password },
    { id: 'CVE-2020-35846', product: 'Cockpit', what: 'passed an object for a name on to its store' },
  ),
  refused(
    'T81',
    'params_invalid',
    { username: 'gina', password: { $regex: '^' } },
    { id: 'CVE-2021-22911', product: 'Rocket.Chat', what: 'matched a secret against an expression' },
  ),
  refused(
    'T82',
    'params_invalid',
    { username: ['gina'], password },
    { id: 'CVE-2025-32442', product: 'Fastify', what: 'validated no content type that was spelt otherwise' },
    { 'content-type': 'Application/JSON ; x' },
  ),
  refused(
    'T82',
    'params_invalid',
    { username: ['gina'], password },
    { id: 'CVE-2026-25223', product: 'Fastify', what: 'validated nothing behind a tab in the content type' },
    { 'content-type': 'application/json\t;x' },
  ),
  refused(
    'T82',
    'wrong type',
    { username: 'gina', password },
    { id: 'CVE-2022-39288', product: 'Fastify', what: 'crashed on a content type that is none' },
    { 'content-type': 'foo; =foobar' },
  ),
];
