// Spec, Endpoints, Login processing order 2: the captcha is checked before the credentials, and passes once.
import { describe, expect, it } from 'vitest';
import { captchaAnswer, solveCaptcha } from '../rig/captcha.ts';
import { readCpuMilliseconds } from '../rig/cpu-time.ts';
import { addUser, hashPassword, password } from '../rig/seed.ts';
import { useService } from '../rig/use-service.ts';
import { eventually } from './eventually.ts';
import { expectLoginRefusal } from './expect-refusal.ts';
import { modesWithCaptcha } from './modes.ts';

describe.each(modesWithCaptcha)('in mode %s', (mode) => {
  // With so many hashes at once, and a connection to the database for each, all of 30 logins are worked on at once.
  const settings = { HASH_CONCURRENCY: '32', DATABASE_POOL_SIZE: '30' };
  const service = useService({ mode, settings });
  const logIn = (captcha: object, secret = password) =>
    service().postLogin({ username: 'carl', password: secret, ...captcha });

  /** The processor time that the server uses for this answer. */
  async function cpuCostOf(work: () => Promise<unknown>): Promise<number> {
    const { pid } = service().server.process;
    const before = readCpuMilliseconds(pid);
    await work();
    return readCpuMilliseconds(pid) - before;
  }

  it('refuses bad parameters before it looks at the captcha, which stays unspent [login-processing-order-1]', async () => {
    const captcha = await service().solvedCaptcha();
    expectLoginRefusal(await service().postLogin({ username: 'carl', ...captcha }), 'params_invalid');
    const { body } = await service().postLogin({ username: 'carl', password, ...captcha });
    expect(body.code).toBe(200);
  });

  it.each(['uuid', 'code'])(
    'refuses a login without %s as bad parameters [login-request-uuid] [login-request-code] [login-processing-order-1]',
    async (field) => {
      const captcha = { ...(await service().solvedCaptcha()), [field]: undefined };
      const answer = await service().postLogin({ username: 'carl', password, ...captcha });
      expectLoginRefusal(answer, 'params_invalid');
    },
  );

  it('answers a wrong captcha with the right password without a query for the user [login-processing-order-2.1]', async () => {
    const { uuid } = await service().solvedCaptcha();
    const unlock = await service().database.lock('users');
    try {
      const answer = await service().postLogin({ username: 'carl', password, uuid, code: 'WRONG' });
      expectLoginRefusal(answer, 'captcha_wrong');
      expect(await service().database.countWaiting('users')).toBe(0);
    } finally {
      await unlock();
    }
  });

  it('looks up the user only after the right captcha [login-processing-order-2.1] [login-processing-order-3]', async () => {
    const captcha = await service().solvedCaptcha();
    const unlock = await service().database.lock('users');
    let isAnswered = false;
    const login = service()
      .postLogin({ username: 'carl', password, ...captcha })
      .finally(() => {
        isAnswered = true;
      });
    try {
      await eventually(() => service().database.countWaiting('users')).toBe(1);
      expect(isAnswered).toBe(false);
    } finally {
      await unlock();
    }
    expect((await login).body.code).toBe(200);
  });

  it('answers a wrong captcha with the right password without a password hash [login-processing-order-2.1]', async () => {
    // A hash of about half a second shows in the processor time, however busy the machine is.
    await addUser(service().database, {
      username: 'dear',
      role: 'guest',
      passwordHash: await hashPassword(password, 60),
    });
    const { uuid } = await service().solvedCaptcha();
    const captcha = await service().solvedCaptcha();
    const wrong = await cpuCostOf(() =>
      service().postLogin({ username: 'dear', password, uuid, code: 'WRONG' }),
    );
    const right = await cpuCostOf(() => service().postLogin({ username: 'dear', password, ...captcha }));
    expect(right).toBeGreaterThan(200);
    expect(wrong).toBeLessThan(right / 4);
  });

  it('answers a wrong captcha alike for a known, an unknown and a disabled user [login-processing-order-2.1]', async () => {
    for (const username of ['carl', 'nobody', 'dora']) {
      const { uuid } = await service().solvedCaptcha();
      expectLoginRefusal(
        await service().postLogin({ username, password, uuid, code: 'WRONG' }),
        'captcha_wrong',
      );
    }
  });

  it('refuses a captcha text that is not the shown one [login-processing-order-2.1] [login-request-code]', async () => {
    for (const code of ['WRONG', captchaAnswer.slice(1), `${captchaAnswer}X`, ` ${captchaAnswer}`]) {
      const { uuid } = await service().solvedCaptcha();
      expectLoginRefusal(await logIn({ uuid, code }), 'captcha_wrong');
    }
  });

  it('refuses an identifier that the captcha endpoint did not issue [login-processing-order-2.1] [login-request-uuid]', async () => {
    const ids = ['AAAAAAAAAAAAAAAAAAAAAA', 'x', '../../x', "' or 1=1 --", '\u0000', '%00', 'é'.repeat(22)];
    for (const uuid of ids) expectLoginRefusal(await logIn({ uuid, code: captchaAnswer }), 'captcha_wrong');
  });

  it('refuses the text of another captcha [login-processing-order-2.1] [login-request-uuid] [login-request-code]', async () => {
    const [first, second] = [await service().solvedCaptcha(), await service().solvedCaptcha()];
    await solveCaptcha(service().database, first.uuid ?? '', 'AAAAA');
    await solveCaptcha(service().database, second.uuid ?? '', 'BBBBB');
    expectLoginRefusal(await logIn({ uuid: first.uuid, code: 'BBBBB' }), 'captcha_wrong');
    expect((await logIn({ uuid: second.uuid, code: 'BBBBB' })).body.code).toBe(200);
  });

  it('refuses a captcha that has expired [login-processing-order-2.1]', async () => {
    const captcha = await service().solvedCaptcha();
    const past = `update captchas set expires_at = now() - interval '1 second' where id = $1`;
    await service().database.query(past, [captcha.uuid]);
    expectLoginRefusal(await logIn(captcha), 'captcha_wrong');
  });

  it('lets a captcha live for two minutes [login-processing-order-2.1]', async () => {
    const before = Date.now();
    const uuid = (await service().send({ path: '/api/v1/getCaptcha' })).body.id;
    const after = Date.now();
    const [row] = await service().database.query<{ expires_at: Date }>(
      'select expires_at from captchas where id = $1',
      [uuid],
    );
    // The clock of the database is the machine's own, but finer.
    expect(row?.expires_at.getTime()).toBeGreaterThanOrEqual(before + 120_000 - 1);
    expect(row?.expires_at.getTime()).toBeLessThanOrEqual(after + 120_000 + 1);
  });

  it('refuses a captcha that a wrong text has spent, also with the right one [login-processing-order-2.1]', async () => {
    const { uuid } = await service().solvedCaptcha();
    expectLoginRefusal(await logIn({ uuid, code: 'WRONG' }), 'captcha_wrong');
    expectLoginRefusal(await logIn({ uuid, code: captchaAnswer }), 'captcha_wrong');
  });

  it('refuses a captcha that a successful login has spent, with the right text and a wrong one [login-processing-order-2.1]', async () => {
    const captcha = await service().solvedCaptcha();
    expect((await logIn(captcha)).body.code).toBe(200);
    expectLoginRefusal(await logIn(captcha), 'captcha_wrong');
    expectLoginRefusal(await logIn({ ...captcha, code: 'WRONG' }), 'captcha_wrong');
  });

  it('refuses a captcha that a login with a wrong password has spent [login-processing-order-2.1]', async () => {
    const captcha = await service().solvedCaptcha();
    expectLoginRefusal(await logIn(captcha, 'wrong'), 'credentials_wrong');
    expectLoginRefusal(await logIn(captcha), 'captcha_wrong');
  });

  // In rounds, because a login that waits two seconds for a connection is refused: a slow machine takes longer for hundreds.
  it('lets exactly one of 30 logins at once pass with one captcha, sixteen times [login-processing-order-2.1]', async () => {
    for (let round = 0; round < 16; round += 1) {
      const captcha = await service().solvedCaptcha();
      const answers = await Promise.all(Array.from({ length: 30 }, () => logIn(captcha)));
      expect(answers.filter(({ body }) => body.code === 200)).toHaveLength(1);
      expect(answers.filter(({ headers }) => headers['x-auth-reason'] === 'captcha_wrong')).toHaveLength(29);
    }
  });

  it('lets exactly one of 30 wrong passwords at once be tried with one captcha, sixteen times [login-processing-order-2.1]', async () => {
    for (let round = 0; round < 16; round += 1) {
      const captcha = await service().solvedCaptcha();
      const answers = await Promise.all(Array.from({ length: 30 }, () => logIn(captcha, 'wrong')));
      const reasons = answers.map(({ headers }) => headers['x-auth-reason']);
      expect(reasons.filter((reason) => reason === 'credentials_wrong')).toHaveLength(1);
      expect(reasons.filter((reason) => reason === 'captcha_wrong')).toHaveLength(29);
    }
  });

  it('accepts the text in small letters, as a user may type it [login-processing-order-2.1] [login-request-code]', async () => {
    const { uuid } = await service().solvedCaptcha();
    expect((await logIn({ uuid, code: captchaAnswer.toLowerCase() })).body.code).toBe(200);
  });

  it('accepts a captcha from either path of the captcha endpoint [endpoints-getcaptcha] [login-request-uuid]', async () => {
    for (const path of ['/api/v1/getCaptcha', '/api/v1/captcha']) {
      const uuid = String((await service().send({ path })).body.id);
      await solveCaptcha(service().database, uuid);
      expect((await logIn({ uuid, code: captchaAnswer })).body.code).toBe(200);
    }
  });
});
