// Spec, Authentication 1: login is the only way to a token, so no log line and no other answer contains one, nor
// a password, a captcha answer or a key from which one could be made.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { captchaAnswer, solveCaptcha } from '../rig/captcha.ts';
import { carriers, present } from '../rig/carriers.ts';
import type { Answer, Request } from '../rig/http-client.ts';
import { captchaKey, masterKey, sealingKey } from '../rig/master-key.ts';
import { waitUntil } from '../rig/postgres-server.ts';
import { addUser, hashPassword } from '../rig/seed.ts';
import { type Service, startService } from '../rig/start-service.ts';
import { modes } from './modes.ts';

const canary = (kind: string) => `${kind}${randomBytes(9).toString('hex')}`;
const secrets = {
  password: `${canary('Pw')}!`,
  wrongPassword: `${canary('No')}!`,
  forgedToken: `${canary('Ab')}.Cd.Ef`,
  code: 'Q7ZKXWVY',
};

/** Every encoding of these key bytes. */
const spellings = (key: Buffer) => [key.toString('hex'), key.toString('base64'), key.toString('base64url')];

describe.each(modes)('with logger.level trace, in mode %s', (mode) => {
  let service: Service;
  let token: string;
  let login: Answer;
  const answers: Answer[] = [];
  const send = async (request: Request) => void answers.push(await service.send(request));

  async function logInWithCanaries(): Promise<Answer> {
    const { uuid } = await service.solvedCaptcha();
    if (uuid !== undefined) await solveCaptcha(service.database, uuid, secrets.code);
    return await service.postLogin({
      username: 'cara',
      password: secrets.password,
      ...(uuid === undefined ? {} : { uuid, code: secrets.code }),
    });
  }

  /** A request of every outcome, each with secrets in every field that accepts one. */
  async function sendThroughAllPaths(): Promise<void> {
    const wrong = {
      username: 'cara',
      password: secrets.wrongPassword,
      uuid: 'AAAAAAAAAAAAAAAAAAAAAA',
      code: secrets.code,
    };
    const orders = { path: '/api/v1/orders' };
    for (const presented of [token, secrets.forgedToken])
      for (const carrier of carriers) {
        await send(present(presented, carrier, { path: '/api/v1/context' }));
        await send(present(presented, carrier, orders));
        await send(present(presented, carrier, { path: '/api/v1/nothing' }));
        await send(present(presented, carrier, { path: `/api/v1/${presented}` }));
        await send(present(presented, carrier, { path: `/api/v1/%zz/${presented}` }));
        await send(present(presented, carrier, { method: 'POST', path: '/api/v1/orders', body: wrong }));
        await send(present(presented, carrier, { method: 'POST', path: '/api/v1/faults', body: wrong }));
        await send(present(presented, carrier, { method: 'POST', path: '/api/v1/login', body: wrong }));
        await send(
          present(presented, carrier, {
            method: 'POST',
            path: '/api/v1/login',
            text: `{"password":"${secrets.password}"`,
          }),
        );
      }
    const form = {
      text: `password=${secrets.password}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    };
    await send({ method: 'POST', path: '/api/v1/login', ...form });
    await send({
      method: 'POST',
      path: '/api/v1/login',
      body: { ...wrong, password: secrets.password.repeat(300) },
    });
    await send({
      method: 'POST',
      path: '/api/v1/login',
      body: { username: secrets.password, password: 'x' },
    });
    await service.raw(
      `GET /api/v1/\x01${token} HTTP/1.1\r\nHost: rig\r\nAuthorization: Bearer ${token}\r\n\r\n`,
    );
    await service.raw(`${secrets.password}\r\n\r\n`);
  }

  /** A login that fails inside: its statement is cancelled, as by its own limit, and Postgres reports what it was doing. */
  async function sendThroughAnAbsentStore(): Promise<void> {
    const unlock = await service.database.lock('users');
    try {
      const login = logInWithCanaries();
      await waitUntil('the login waits', async () => (await service.database.countWaiting('users')) === 1);
      await service.database.query(
        `select pg_cancel_backend(pid) from pg_stat_activity
         where wait_event_type = 'Lock' and datname = current_database()`,
      );
      answers.push(await login);
    } finally {
      await unlock();
    }
  }

  beforeAll(async () => {
    service = await startService({ mode, settings: { LOGGER_LEVEL: 'trace' } });
    const passwordHash = await hashPassword(secrets.password, 2);
    await addUser(service.database, { username: 'cara', role: 'clerk', passwordHash });
    login = await logInWithCanaries();
    token = String(login.body.token);
    await sendThroughAllPaths();
    await sendThroughAnAbsentStore();
    await send(present(token, 'header', { method: 'POST', path: '/api/v1/logout' }));
    await service.server.stop();
  });
  afterAll(() => service.stop());

  it('meets every outcome: hit, refusal, 404, 400, 500 and 503 [authentication-1]', () => {
    const outcomes = new Set(answers.map(({ status, body }) => `${status} ${body.code}`));
    expect([...outcomes]).toEqual(
      expect.arrayContaining([
        '200 200',
        '200 401',
        '404 404',
        '200 400',
        '500 500',
        '503 503',
        '413 413',
        '415 415',
      ]),
    );
    expect(login.body.code).toBe(200);
  });

  it('writes no token, password or captcha answer to the process log [authentication-1]', () => {
    const { output } = service.server.process;
    expect(output).toContain('"ready"');
    for (const [name, secret] of Object.entries({
      ...secrets,
      token,
      claims: token.split('.')[1] ?? '',
      signature: token.split('.')[2] ?? '',
    }))
      expect(output.includes(secret), name).toBe(false);
  });

  it('repeats no token, password or captcha answer in an answer but login’s own [authentication-1]', () => {
    for (const { request, headers, text } of answers)
      for (const [name, secret] of Object.entries({ ...secrets, captchaAnswer, token }))
        expect(`${JSON.stringify(headers)}${text}`.includes(secret), `${name} in ${request.path}`).toBe(
          false,
        );
  });

  it('shows the bytes of no key in any line or answer [authentication-1]', async () => {
    const { privateKey } = await service.signingKey();
    const { d = '' } = privateKey.export({ format: 'jwk' });
    const keys = [Buffer.from(masterKey, 'hex'), captchaKey, sealingKey, Buffer.from(d, 'base64url')];
    const shown =
      service.server.process.output +
      [...answers, login].map(({ headers, text }) => JSON.stringify(headers) + text).join('\n');
    for (const spelling of keys.flatMap(spellings)) expect(shown.includes(spelling)).toBe(false);
  });

  it('stores no password and no captcha answer, and no private key that is not sealed [authentication-1]', async () => {
    const tables = ['users', 'captchas', 'keys', 'login_log', 'revocations', 'revisions'];
    const { privateKey } = await service.signingKey();
    const { d = '' } = privateKey.export({ format: 'jwk' });
    for (const table of tables) {
      const [row] = await service.database.query<{ content: string | null }>(
        `select json_agg(t)::text as content from ${table} t`,
      );
      for (const secret of [...Object.values(secrets), token, ...spellings(Buffer.from(d, 'base64url'))])
        expect(row?.content?.includes(secret) ?? false, table).toBe(false);
    }
  });
});
