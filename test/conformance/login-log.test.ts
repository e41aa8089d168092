// Spec, Events: the login log, on and off.
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { present } from '../rig/carriers.ts';
import { createDatabase } from '../rig/create-database.ts';
import { hiddenName } from '../rig/hidden-name.ts';
import type { Answer } from '../rig/http-client.ts';
import { password } from '../rig/seed.ts';
import { spoolFolderOf } from '../rig/spool-folder.ts';
import { businessService, startProcess } from '../rig/start-process.ts';
import { baseSettings, startServer } from '../rig/start-server.ts';
import { type Service, startService } from '../rig/start-service.ts';
import { decodeToken } from '../rig/tokens.ts';
import { useService } from '../rig/use-service.ts';
import { eventually } from './eventually.ts';
import { expectSuccess } from './expect-refusal.ts';
import { modes } from './modes.ts';

interface Row {
  readonly username: string | null;
  readonly outcome: string;
  readonly reason: string;
}

async function postText(service: Service, text: string, type = 'application/json'): Promise<Answer> {
  return await service.send({
    method: 'POST',
    path: '/api/v1/login',
    text,
    headers: { 'content-type': type },
  });
}

/** Every kind of attempt that every mode has, with its record in the log. */
const attempts: { name: string; send: (service: Service) => Promise<Answer>; row: Row }[] = [
  {
    name: 'a wrong password, with the username',
    send: (service) => service.logIn('carl', 'wrong'),
    row: { username: 'carl', outcome: 'failure', reason: 'credentials_wrong' },
  },
  {
    name: 'an unknown user, with a hash of the username',
    send: (service) => service.logIn('nobody'),
    row: { username: hiddenName('nobody'), outcome: 'failure', reason: 'credentials_wrong' },
  },
  {
    name: 'a disabled user',
    send: (service) => service.logIn('dora'),
    row: { username: 'dora', outcome: 'failure', reason: 'user_disabled' },
  },
  {
    name: 'a user of a disabled role',
    send: (service) => service.logIn('otto'),
    row: { username: 'otto', outcome: 'failure', reason: 'role_disabled' },
  },
  {
    name: 'a missing password',
    send: (service) => service.postLogin({ username: 'carl' }),
    row: { username: hiddenName('carl'), outcome: 'failure', reason: 'params_invalid' },
  },
  {
    name: 'a username that is no text',
    send: (service) => service.postLogin({ username: 7, password }),
    row: { username: null, outcome: 'failure', reason: 'params_invalid' },
  },
  {
    name: 'a password typed as the username, without showing it',
    send: (service) => service.logIn('S3cret! pass', 'carl'),
    row: { username: hiddenName('S3cret! pass'), outcome: 'failure', reason: 'credentials_wrong' },
  },
  {
    name: 'broken JSON',
    send: (service) => postText(service, '{"username":"carl"'),
    row: { username: null, outcome: 'failure', reason: 'params_invalid' },
  },
  {
    name: 'a wrong content type',
    send: (service) => postText(service, 'username=carl', 'application/x-www-form-urlencoded'),
    row: { username: null, outcome: 'failure', reason: 'params_invalid' },
  },
  {
    name: 'a body that is too large',
    send: (service) => service.postLogin({ username: 'carl', password: 'x'.repeat(5000) }),
    row: { username: null, outcome: 'failure', reason: 'params_invalid' },
  },
  {
    name: 'a success',
    send: (service) => service.logIn('carl'),
    row: { username: 'carl', outcome: 'success', reason: 'ok' },
  },
];

const findRow = async (service: Service, { headers }: Answer) =>
  (
    await service.database.query<Row & Record<string, unknown>>(
      'select *, user_id::int, host(ip) as ip from login_log where request_id = $1',
      [headers['x-request-id']],
    )
  )[0];
const countRows = async (service: Service) =>
  (await service.database.query<{ rows: number }>('select count(*)::int as rows from login_log'))[0]?.rows;

describe.each(modes)('logger.enableddb on, in mode %s', (mode) => {
  const service = useService({ mode });

  it.each(attempts)('records $name [events-s1] [what-the-service-does-s5]', async ({ send, row }) => {
    const answer = await send(service());
    await eventually(() => findRow(service(), answer)).toMatchObject(row);
  });

  if (mode !== 'dev')
    it('records a wrong captcha, with a hash of the username [events-s1] [what-the-service-does-s5]', async () => {
      const { uuid } = await service().solvedCaptcha();
      const answer = await service().postLogin({ username: 'carl', password, uuid, code: 'WRONG' });
      const row = {
        username: hiddenName('carl'),
        outcome: 'failure',
        reason: 'captcha_wrong',
        user_id: null,
      };
      await eventually(() => findRow(service(), answer)).toMatchObject(row);
    });

  it('records the user, address, device and token id of a login [events-s1]', async () => {
    const path = '/api/v1/login';
    const body = { username: 'carl', password, ...(await service().solvedCaptcha()) };
    const answer = await service().send({ method: 'POST', path, body, headers: { 'user-agent': 'rig/1.0' } });
    const { claims } = decodeToken(String(answer.body.token));
    await eventually(() => findRow(service(), answer)).toMatchObject({
      user_id: claims.identity,
      role_key: 'clerk',
      ip: '127.0.0.1',
      user_agent: 'rig/1.0',
      jti: claims.jti,
    });
  });

  it('records a logout with the user and the token that it ended [events-s1]', async () => {
    const token = String((await service().logIn('gina')).body.token);
    const answer = await service().send(present(token, 'header', { method: 'POST', path: '/api/v1/logout' }));
    expectSuccess(answer);
    await eventually(() => findRow(service(), answer)).toMatchObject({
      username: 'gina',
      reason: 'logout',
      jti: decodeToken(token).claims.jti,
    });
  });

  it('answers a login while the log cannot be written, and writes the record afterwards [events-s1]', async () => {
    const unlock = await service().database.lock('login_log');
    let answer: Answer;
    try {
      answer = await service().logIn('alba');
      expect(answer.body.code).toBe(200);
      await eventually(() => service().database.countWaiting('login_log')).toBeGreaterThan(0);
    } finally {
      await unlock();
    }
    await eventually(() => findRow(service(), answer)).toMatchObject({ username: 'alba' });
  });

  it('records an attempt exactly once [events-s1] [what-the-service-does-s5]', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => service().logIn('alba', 'wrong')));
    const ids = answers.map(({ headers }) => headers['x-request-id']);
    const count = async () =>
      (await service().database.query('select id from login_log where request_id = any($1)', [ids])).length;
    await eventually(count).toBe(20);
    const last = await service().logIn('carl');
    await eventually(() => findRow(service(), last)).toBeDefined();
    expect(await count()).toBe(20);
  });
});

describe('logger.enableddb on', () => {
  it('records an answered attempt although the process is killed with the answer [events-s1]', async () => {
    const service = await startService({ mode: 'prod' });
    try {
      const unlock = await service.database.lock('login_log');
      const answer = await service.logIn('carl');
      service.server.process.signal('SIGKILL');
      await service.server.process.exited;
      await unlock();
      expect(answer.body.code).toBe(200);
      const next = await startServer({ databaseUrl: service.database.url });
      await eventually(() => findRow(service, answer)).toMatchObject({ username: 'carl', reason: 'ok' });
      await next.stop();
      expect(await countRows(service)).toBe(1);
    } finally {
      await service.stop();
    }
  });

  it('refuses to start where the spool cannot be written, and says what to do [events-s1]', async () => {
    const database = await createDatabase({ migrated: true });
    const folders = [
      ['a file', '/dev/null'],
      ['that cannot be written', '/sys/portcullis'],
      ['too long a path', `/dev/shm/${'x'.repeat(100)}`],
    ];
    try {
      for (const [what, folder = ''] of folders) {
        const environment = { ...baseSettings(database.url), LOGGER_SPOOL_FOLDER: folder };
        const process = startProcess({ script: businessService, environment });
        expect({ what, code: await process.exited }).toEqual({ what, code: 78 });
        expect(process.output).toMatch(
          /The service cannot use .* for the login log spool.* set `logger\.spoolFolder`/,
        );
      }
    } finally {
      await database.drop();
    }
  });
});

describe.each(modes)('logger.enableddb off, in mode %s', (mode) => {
  it('records nothing of any attempt: no row, no line [events-s2] [events-s3]', async () => {
    const service = await startService({
      mode,
      settings: { LOGGER_ENABLEDDB: 'false', LOGGER_LEVEL: 'trace' },
    });
    try {
      const before = service.server.process.output;
      for (const { send } of attempts) await send(service);
      const token = String((await service.logIn('gina')).body.token);
      await service.send(present(token, 'header', { method: 'POST', path: '/api/v1/logout' }));
      expect(await service.server.stop()).toBe(0);
      expect(await countRows(service)).toBe(0);
      const { output } = service.server.process;
      expect(output.slice(0, before.length)).toBe(before);
      const added = output.slice(before.length).trim().split('\n');
      expect(added.map((line) => JSON.parse(line).msg)).toEqual(['stopping', 'stopped']);
      expect(existsSync(spoolFolderOf(service.database.url))).toBe(false);
    } finally {
      await service.stop();
    }
  });
});
