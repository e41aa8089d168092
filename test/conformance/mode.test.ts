// Spec, Authentication 4 and Limits: what `application.mode` dev does, and that nothing else does it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { captchaAnswer } from '../rig/captcha.ts';
import { carriers, present } from '../rig/carriers.ts';
import { createDatabase, type Database } from '../rig/create-database.ts';
import { createHttpClient } from '../rig/http-client.ts';
import { password, seed } from '../rig/seed.ts';
import { type Server, startServer } from '../rig/start-server.ts';
import { decodeToken, readSigningKey, signToken } from '../rig/tokens.ts';
import { useService } from '../rig/use-service.ts';
import { expectLoginRefusal, expectRefusal, expectRefusalBody, expectSuccess } from './expect-refusal.ts';

const orders = { path: '/api/v1/orders' };
const hundredYearsSeconds = 100 * 365.25 * 86_400;

function lifetimeSecondsOf(token: unknown): number {
  const { iat, exp } = decodeToken(String(token)).claims;
  return Number(exp) - Number(iat);
}

describe.each(['prod', 'test', 'Dev', 'DEV', ' dev', 'development'])('application.mode "%s"', (mode) => {
  const service = useService({ mode, settings: { AUTH_TOKEN_LIFETIME_SECONDS: '600' } });

  it('asks for the captcha [authentication-4.2] [login-processing-order-2.2]', async () => {
    const bare = { username: 'carl', password };
    expectLoginRefusal(await service().postLogin(bare), 'params_invalid');
    const { uuid } = await service().solvedCaptcha();
    expectLoginRefusal(await service().postLogin({ ...bare, uuid, code: 'WRONG' }), 'captcha_wrong');
    const { body } = await service().send({ path: '/api/v1/getCaptcha' });
    expect(Object.keys(body).toSorted()).toEqual(['code', 'data', 'id', 'msg', 'requestId']);
  });

  it('issues a token of the lifetime in the settings, and none of 100 years [authentication-4.2] [login-success-result-expire]', async () => {
    const { body } = await service().logIn('carl');
    expect(lifetimeSecondsOf(body.token)).toBe(600);
    expect(Date.parse(String(body.expire)) - Date.now()).toBeLessThanOrEqual(600_000);
  });
});

describe('application.mode "dev"', () => {
  const service = useService({ mode: 'dev', settings: { AUTH_TOKEN_LIFETIME_SECONDS: '600' } });

  it('skips the captcha, sent or not, right or wrong [authentication-4.1] [login-processing-order-2.2]', async () => {
    const sent = [
      {},
      { uuid: 'AAAAAAAAAAAAAAAAAAAAAA', code: 'WRONG' },
      { uuid: 'x' },
      { code: captchaAnswer },
    ];
    for (const captcha of sent)
      expect((await service().postLogin({ username: 'carl', password, ...captcha })).body.code).toBe(200);
    const { body } = await service().send({ path: '/api/v1/getCaptcha' });
    expect(body.skipped).toBe(true);
  });

  it('checks the password [authentication-4.1] [login-processing-order-3]', async () => {
    expectLoginRefusal(
      await service().postLogin({ username: 'carl', password: 'wrong' }),
      'credentials_wrong',
    );
  });

  it('forces the lifetime to 100 years within 1 %, whatever the settings say [authentication-4.1] [limits-token-lifetime-when-application-mode-is-dev]', async () => {
    const { body } = await service().postLogin({ username: 'carl', password });
    expect(Math.abs(lifetimeSecondsOf(body.token) / hundredYearsSeconds - 1)).toBeLessThan(0.01);
    const expireYears = (Date.parse(String(body.expire)) - Date.now()) / (365.25 * 86_400_000);
    expect(Math.abs(expireYears / 100 - 1)).toBeLessThan(0.01);
  });

  it('warns that it is not for production [authentication-4.3]', () => {
    expect(service().server.process.output).toMatch(/dev.*100 years.*production/is);
  });
});

describe('application.mode not set at all', () => {
  let database: Database;
  let server: Server;
  beforeAll(async () => {
    database = await createDatabase({ migrated: true });
    await seed(database);
    server = await startServer({ databaseUrl: database.url });
  });
  afterAll(async () => {
    await server.stop();
    await database.drop();
  });

  it('is prod: requires the captcha and prints no warning about dev [authentication-4.3] [authentication-4.2]', async () => {
    const client = createHttpClient(server.port);
    const body = { username: 'carl', password };
    expectLoginRefusal(await client.send({ method: 'POST', path: '/api/v1/login', body }), 'params_invalid');
    expect(server.process.output).toContain('"mode":"prod"');
    expect(server.process.output).not.toMatch(/\bdev\b/i);
    client.close();
  });
});

describe('with the database and the master key of a server in dev', () => {
  const prod = useService({ mode: 'prod' });
  let later: Server;
  let tokens: Record<string, string>;

  /** Tokens that dev issued or could issue, and one that lives too long under any key. */
  beforeAll(async () => {
    const { database } = prod();
    const dev = await startServer({ databaseUrl: database.url, settings: { APPLICATION_MODE: 'dev' } });
    const client = createHttpClient(dev.port);
    const body = { username: 'ada', password };
    const issued = String((await client.send({ method: 'POST', path: '/api/v1/login', body })).body.token);
    expectSuccess(await client.send(present(issued, 'header', orders)));
    client.close();
    await dev.stop();
    later = await startServer({ databaseUrl: database.url, settings: { APPLICATION_MODE: 'test' } });
    const ours = await prod().claimsOf('ada');
    tokens = {
      'a token that dev issued': issued,
      'a token of an hour that the key of dev signed': signToken(
        ours,
        await readSigningKey(database, { dev: true }),
      ),
      'a token of more than a day that our own key signed': signToken(
        { ...ours, exp: Number(ours.iat) + 86_401 },
        await readSigningKey(database, { dev: false }),
      ),
    };
  });
  afterAll(() => later.stop());

  const names = [
    'a token that dev issued',
    'a token of an hour that the key of dev signed',
    'a token of more than a day that our own key signed',
  ];

  it.each(names)(
    'prod refuses %s, by every carrier [authentication-4.3] [authentication-4.2]',
    async (name) => {
      for (const carrier of carriers)
        await expectRefusal(prod(), present(tokens[name] ?? '', carrier, orders), 'token_malformed');
    },
  );

  it.each(names)(
    'a server of another mode that starts when the key of dev is stored refuses %s [authentication-4.3] [authentication-4.2]',
    async (name) => {
      const client = createHttpClient(later.port);
      expectRefusalBody(await client.send(present(tokens[name] ?? '', 'header', orders)));
      client.close();
    },
  );

  it('accepts the same token, signed by our own key for an hour [authentication-4.2]', async () => {
    const token = signToken(await prod().claimsOf('ada'), await prod().signingKey());
    expectSuccess(await prod().send(present(token, 'header', orders)));
  });
});
