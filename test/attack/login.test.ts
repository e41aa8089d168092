// docs/explanation/security.md: the captcha: guessed, used twice, raced for, mistaken for something else or shown. The throttle and the
// passwords stand in login/.
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { captchaAlphabet, captchaLength } from '../../packages/captcha/src/alphabet.ts';
import { eventually } from '../conformance/eventually.ts';
import { expectLoginRefusal } from '../conformance/expect-refusal.ts';
import { captchaAnswer, solveCaptcha } from '../rig/captcha.ts';
import { present } from '../rig/carriers.ts';
import { type Answer, createHttpClient } from '../rig/http-client.ts';
import { note } from '../rig/notes.ts';
import { password } from '../rig/seed.ts';
import { repository } from '../rig/start-process.ts';
import { decodeToken } from '../rig/tokens.ts';
import { useService } from '../rig/use-service.ts';
import { chiSquare, issueAnswers, symbolOf } from './login/captcha-statistics.ts';
import { countReasons } from './login/count-reasons.ts';
import { chunksOf, dump, findAnswers, withoutIds } from './login/find-answers.ts';
import { loginPath } from './login/guesses.ts';
import { pinnedAnswer } from './login/pinned-captchas.ts';
import { withoutUnique } from './login/without-unique.ts';
import { isJudgedAtFullSize, size } from './size.ts';

const unknownId = 'AAAAAAAAAAAAAAAAAAAAAA';

describe('a captcha', () => {
  /** So many slots that 500 attempts at once all reach the captcha. */
  const service = useService({ mode: 'prod', settings: { HASH_CONCURRENCY: '64' } });
  const logIn = (captcha: object, secret = password) =>
    service().postLogin({ username: 'carl', password: secret, ...captcha });

  it.each([
    ['a login', password, captchaAnswer],
    ['a wrong password', 'wrong', captchaAnswer],
    ['a wrong text', password, 'WRONG'],
  ])('T63 is spent by %s, also for the right text', async (_what, secret, code) => {
    const { uuid } = await service().solvedCaptcha();
    await logIn({ uuid, code }, secret);
    for (let again = 0; again < 3; again += 1)
      expectLoginRefusal(await logIn({ uuid, code: captchaAnswer }), 'captcha_wrong');
  });

  it('T64 lets exactly one of 500 logins at once pass', async () => {
    const client = createHttpClient(service().server.port, { remembers: false, resends: true });
    for (let round = 0; round < size({ small: 1, full: 1000 }); round += 1) {
      const body = { username: 'carl', password, ...(await service().solvedCaptcha()) };
      const answers = await Promise.all(
        Array.from({ length: 500 }, () => client.send({ method: 'POST', path: loginPath, body })),
      );
      const { unavailable = 0, ...reasons } = await countReasons(service().database, answers);
      const passed = answers.filter(({ body: { token } }) => token !== undefined).length;
      expect(passed).toBeLessThanOrEqual(1);
      // A machine that stands still for seconds makes a lease run out, maybe that of the one that would pass.
      const { ok = 0 } = reasons;
      expect(reasons).toEqual({ ...(ok === 0 ? {} : { ok: 1 }), captcha_wrong: 500 - ok - unavailable });
      if (unavailable === 0) expect([ok, passed]).toEqual([1, 1]);
      else note('not judged', 'that one of 500 logins passes, where some were answered with 503');
    }
    client.close();
  });

  it('T65 has an id of 128 random bits and ends after two minutes', async () => {
    const ids = new Set<string>();
    for (let count = 0; count < 50; count += 1)
      ids.add(String((await service().send({ path: '/api/v1/getCaptcha' })).body.id));
    expect(ids.size).toBe(50);
    for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_-]{22}$/);
    const [row] = await service().database.query<{ seconds: number }>(
      'select max(extract(epoch from expires_at - now()))::float as seconds from captchas where id = any($1)',
      [[...ids]],
    );
    expect(row?.seconds).toBeLessThanOrEqual(120);

    const captcha = await service().solvedCaptcha();
    await service().database.query(`update captchas set expires_at = now() where id = $1`, [captcha.uuid]);
    expectLoginRefusal(await logIn(captcha), 'captcha_wrong');
  });

  it('T66 that was never issued is solved by no text', async () => {
    const codes = [
      '',
      ' ',
      null,
      0,
      false,
      [],
      {},
      [''],
      'undefined',
      'null',
      'NaN',
      '0',
      '\0',
      captchaAnswer,
    ];
    const { uuid: spent } = await service().solvedCaptcha();
    await logIn({ uuid: spent, code: 'WRONG' });
    for (const uuid of [unknownId, spent, '', ' ', null, undefined, [], {}, 'undefined', 'null', '__proto__'])
      for (const code of [...codes, undefined]) {
        const isText = [uuid, code].every((value) => typeof value === 'string' && value !== '');
        expectLoginRefusal(await logIn({ uuid, code }), isText ? 'captcha_wrong' : 'params_invalid');
      }
    const { uuid } = await service().solvedCaptcha();
    for (const code of ['', null, 0, [], {}, undefined])
      expectLoginRefusal(await logIn({ uuid, code }), 'params_invalid');
    for (const code of [' ', 'undefined', 'null', '\0'])
      expectLoginRefusal(
        await logIn({ uuid: (await service().solvedCaptcha()).uuid, code }),
        'captcha_wrong',
      );
  });

  it('T67 has an id of no other kind: no session, request, user, key, instance or attempt', async () => {
    const { database } = service();
    const token = String((await service().logIn('gina')).body.token);
    const logInFails = await service().logIn('gina', 'wrong');
    const rows = await database.query<{ id: string }>(
      `select jti as id from sessions union select kid from keys union select id::text from instances
       union select username from users union select id::text from users union select role_key from roles
       union select encode(key, 'hex') from throttle
       union select rtrim(translate(encode(key, 'base64'), '+/', '-_'), '=') from throttle`,
    );
    const { jti } = decodeToken(token).claims;
    const ids = [String(jti), String(logInFails.headers['x-request-id']), ...rows.map(({ id }) => id)];
    expect(ids.length).toBeGreaterThan(20);
    for (const uuid of ids)
      for (const code of [captchaAnswer, uuid.slice(0, 16)])
        expectLoginRefusal(await logIn({ uuid, code }), 'captcha_wrong');
    const context = await service().send(present(token, 'header', { path: '/api/v1/context' }));
    expect(context.body.code).toBe(200);
  });

  it('T79 is checked before anything of the user: the same bytes, no hash and no query, whatever the password', async () => {
    const { database } = service();
    const attempts: string[] = [];
    const locks = [await database.lock('users'), await database.lock('throttle')];
    try {
      for (const [username, secret] of [
        ['carl', password],
        ['carl', 'wrong'],
        ['nobody', password],
        ['dora', password],
      ]) {
        const { id } = (await service().send({ path: '/api/v1/getCaptcha' })).body;
        const text = JSON.stringify({ username, password: secret, uuid: id, code: 'WRONG' });
        attempts.push(
          `POST ${loginPath} HTTP/1.1\r\nHost: rig\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
        );
      }
      const answers = await Promise.all(attempts.map((bytes) => service().raw(bytes)));
      for (const { raw } of answers) expect(withoutUnique(raw)).toBe(withoutUnique(answers[0]?.raw ?? ''));
      expect(await countReasons(database, answers)).toEqual({ captcha_wrong: attempts.length });
      expect(await database.countWaiting('users')).toBe(0);
    } finally {
      for (const unlock of locks) await unlock();
    }
  });
});

describe('the generator of captchas', () => {
  it('T65 draws every symbol from equally many bytes, and a million guesses find less than one answer', async () => {
    const bytes = Array.from({ length: 256 }, (_, byte) => byte);
    const symbols = await Promise.all(bytes.map(symbolOf));
    expect([...new Set(symbols)].sort().join('')).toBe(captchaAlphabet);
    for (const symbol of captchaAlphabet)
      expect(symbols.filter((other) => other === symbol)).toHaveLength(256 / captchaAlphabet.length);
    expect(captchaAlphabet).toHaveLength(32);
    expect(1e6 / captchaAlphabet.length ** captchaLength).toBeLessThan(1);

    const answers = await issueAnswers(size({ small: 1000, full: 20_000 }), randomBytes, symbols);
    // At 31 degrees of freedom chance exceeds this in one of 10^11 runs; a symbol that is never drawn does by far.
    const bar = 120;
    expect(chiSquare(answers.join(''), captchaAlphabet)).toBeLessThan(bar);
    for (let place = 0; place < captchaLength; place += 1)
      expect(chiSquare(answers.map((answer) => answer[place]).join(''), captchaAlphabet)).toBeLessThan(bar);
  });
});

describe('fetching captchas', () => {
  const service = useService({ mode: 'prod', settings: { LIMIT_CAPTCHAS_PER_MINUTE: '30' } });

  it('T65 and T85 is limited for a network, by both paths together, and so is what is stored of them', async () => {
    const startedAt = performance.now();
    const answers: Answer[] = [];
    for (let count = 0; count < 100; count += 1)
      answers.push(await service().send({ path: count % 2 ? '/api/v1/getCaptcha' : '/api/v1/captcha' }));
    const refused = answers.filter(({ body }) => body.code === 429);
    const refilled = Math.ceil((performance.now() - startedAt) / 2000);
    expect(refused.length).toBeGreaterThanOrEqual(100 - 30 - refilled);
    for (const { status, headers, body } of refused) {
      expect([status, headers['x-auth-reason'], body.id]).toEqual([200, 'rate_limited', undefined]);
      expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
    }
    const [row] = await service().database.query<{ count: number }>('select count(*)::int from captchas');
    expect(row?.count).toBe(100 - refused.length);
    // What has expired goes within the minute between two sweeps; the store's own sweep stands in resources.test.ts.
    if (isJudgedAtFullSize('that expired captchas are swept')) {
      await service().database.query('update captchas set expires_at = now()');
      const countLeft = async () => (await service().database.query('select id from captchas')).length;
      await eventually(countLeft, { timeout: 70_000, interval: 1000 }).toBe(0);
    }
    // Only captchas are refused; the rest is served.
    expect((await service().send({ path: '/api/v1/greeting' })).body.code).toBe(200);
  });
});

describe('with logger.level trace', () => {
  const preload = `${repository}test/attack/login/pinned-captchas.ts`;
  const service = useService({
    mode: 'prod',
    settings: { LOGGER_LEVEL: 'trace', NODE_OPTIONS: `--import=${preload}`, PINNED_CAPTCHAS: 'true' },
  });
  const answers = Array.from({ length: size({ small: 40, full: 10_000 }) }, (_, index) =>
    pinnedAnswer(index),
  );
  const canary = () => Array.from(randomBytes(16), (byte) => captchaAlphabet[byte % 32]).join('');
  const canaries: string[] = [];
  const ids = new Set<string>();
  const shown: string[] = [];

  async function fetchCaptcha(): Promise<string> {
    const { headers, body } = await service().send({ path: '/api/v1/getCaptcha' });
    const { id, data, ...rest } = body;
    const picture = Buffer.from(String(data).replace(/^.*,/, ''), 'base64');
    expect([...new Set(chunksOf(picture))]).toEqual(['IHDR', 'IDAT', 'IEND']);
    ids.add(String(id)).add(String(body.requestId));
    shown.push(JSON.stringify([headers, rest]));
    return String(id);
  }

  async function submit(uuid: string, code: string, reason: string): Promise<void> {
    const username = `nobody${ids.size}`;
    const { headers, text } = await service().postLogin({ username, password: 'x', uuid, code });
    expect(headers['x-auth-reason']).toBe(reason);
    ids.add(String(headers['x-request-id']));
    shown.push(JSON.stringify(headers) + text);
  }

  /** One captcha in four is left alone, one solved with its own answer, one with a longer one, one is missed. */
  async function useCaptcha(index: number, answer: string): Promise<void> {
    const uuid = await fetchCaptcha();
    // However long the machine takes, no sweep takes the one that is left alone.
    await service().database.query(
      `update captchas set expires_at = now() + interval '1 day' where id = $1`,
      [uuid],
    );
    const code = canary();
    if (index % 4 === 1) await submit(uuid, answer, 'credentials_wrong');
    if (index % 4 < 2) return;
    canaries.push(code);
    if (index % 4 === 2) await solveCaptcha(service().database, uuid, code);
    await submit(uuid, code, index % 4 === 2 ? 'credentials_wrong' : 'captcha_wrong');
  }

  it('T68 writes no answer of a captcha to a log line, an answer or the database', async () => {
    for (const [index, answer] of answers.entries()) await useCaptcha(index, answer);
    await eventually(() => countRows('login_log')).toBe((answers.length * 3) / 4);
    expect(await countRows('captchas')).toBe(answers.length / 4);
    const stored = await dump(service().database);
    await service().server.stop();
    const { output } = service().server.process;
    expect(output).toContain('"ready"');
    for (const [place, text] of Object.entries({ stored, output, shown: shown.join('\n') })) {
      expect(findAnswers(withoutIds(text, ids), new Set(answers)), place).toEqual([]);
      expect(
        canaries.filter((code) => text.includes(code)),
        place,
      ).toEqual([]);
    }
  });

  async function countRows(table: string): Promise<number | undefined> {
    const [row] = await service().database.query<{ count: number }>(`select count(*)::int from ${table}`);
    return row?.count;
  }
});
