// docs/explanation/security.md: passwords and their hashes: who has an account, what almost matches, what was imported, and what a
// fresh install knows.
import { verify } from '@node-rs/argon2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../conformance/eventually.ts';
import { expectLoginRefusal } from '../../conformance/expect-refusal.ts';
import { present } from '../../rig/carriers.ts';
import { createDatabase } from '../../rig/create-database.ts';
import { type Answer, createHttpClient, type Request } from '../../rig/http-client.ts';
import { isJudged, judgesTimes } from '../../rig/judges-times.ts';
import { addUser, hashPassword, password } from '../../rig/seed.ts';
import { commandLine } from '../../rig/start-process.ts';
import { startServer } from '../../rig/start-server.ts';
import { useService } from '../../rig/use-service.ts';
import { size } from '../size.ts';
import { atOnce } from './at-once.ts';
import { commonPairs } from './common-pairs.ts';
import { countReasons } from './count-reasons.ts';
import { forgetGuesses, guess, loginPath, summaryOf } from './guesses.ts';
import { holdRow } from './hold-row.ts';
import { bcrypt, type ImportedWorld, readHash, startWithUsers, weakArgon2 } from './imported-users.ts';
import { passwordPairs } from './password-pairs.ts';
import { withoutUnique } from './without-unique.ts';

const current = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/;

describe('a login', () => {
  // So many hashes at once that no attempt waits for one: after a second it would be shed.
  const service = useService({ mode: 'dev', settings: { HASH_CONCURRENCY: '16' } });

  async function addUserWith(username: string, passwordHash: string): Promise<void> {
    await addUser(service().database, { username, role: 'guest', passwordHash });
  }

  /** A change waits for the logins in progress; where they take too long, it gets 429 or 503 and is sent again. */
  async function sendPatiently(request: Request): Promise<Answer> {
    for (let tries = 1; ; tries += 1) {
      const answer = await service().send(request);
      if (tries === 10 || (answer.body.code !== 429 && answer.body.code !== 503)) return answer;
    }
  }

  it.each(['en', 'zh'])(
    'T70 gets the same bytes for an unknown name, a wrong password, a disabled user, a disabled role and a deleted user (%s)',
    async (language) => {
      await service().database.query('delete from users where username = $1', ['former']);
      await addUserWith('former', await hashPassword(password, 2));
      await service().database.query(`update users set deleted_at = now() where username = 'former'`);
      const answers = await Promise.all(
        Object.entries({
          nobody: password,
          carl: 'wrong',
          dora: password,
          otto: password,
          former: password,
        }).map(([username, secret]) => {
          // The same length, so that nothing but the name and the password differs.
          const text = JSON.stringify({ username, password: secret }).padEnd(80);
          return service().raw(
            `POST ${loginPath} HTTP/1.1\r\nHost: rig\r\nAccept-Language: ${language}\r\nContent-Type: application/json\r\nContent-Length: 80\r\n\r\n${text}`,
          );
        }),
      );
      expect(answers[0]?.headers['x-auth-reason']).toBe('credentials_wrong');
      expect([...new Set(answers.map(({ raw }) => withoutUnique(raw)))]).toHaveLength(1);
      expect(await countReasons(service().database, answers)).toEqual({
        credentials_wrong: 3,
        user_disabled: 1,
        role_disabled: 1,
      });
    },
  );

  it.each([
    ['argon2id', (text: string) => weakArgon2(text)],
    ['bcrypt', async (text: string) => bcrypt(text, 4)],
  ] as const)(
    'T77 compares the whole password with a stored %s hash, and no other one',
    async (kind, makeHash) => {
      for (const [index, { what, stored, tried, matches }] of passwordPairs[kind].entries()) {
        const username = `${kind}-${index}`;
        await addUserWith(username, await makeHash(stored));
        const answer = await guess(service(), { username, password: tried });
        expect(summaryOf(answer), what).toBe(matches ? '200' : '400');
      }
    },
  );

  it('T77 refuses more than 256 characters, and a megabyte, before it reads the user', async () => {
    const unlock = await service().database.lock('users');
    try {
      for (const secret of ['x'.repeat(257), '😀'.repeat(257), ' '.repeat(257)]) {
        const answer = await guess(service(), { username: 'carl', password: secret });
        expectLoginRefusal(answer, 'params_invalid');
        expect(await countReasons(service().database, [answer])).toEqual({ params_invalid: 1 });
      }
      const { status, body } = await guess(service(), { username: 'carl', password: 'x'.repeat(1e6) });
      expect([status, body.code]).toEqual([413, 413]);
    } finally {
      await unlock();
    }
  });

  it.each([
    ['a bcrypt hash', async () => bcrypt(password)],
    ['a bcrypt hash of another prefix', async () => bcrypt(password, 5).replace('$2b$', '$2y$')],
    ['a weaker argon2id hash', () => weakArgon2(password)],
  ])('T78 replaces %s by one of ours, and several logins at once all succeed', async (what, makeHash) => {
    const username = what.replaceAll(' ', '-');
    await addUserWith(username, await makeHash());
    const answers = await atOnce(4, 4, () => guess(service(), { username, password }));
    expect(answers.map(summaryOf)).toEqual(Array(4).fill('200'));
    const stored = await readHash(service().database, username);
    expect(stored).toMatch(current);
    expect(await verify(stored, password)).toBe(true);
    expect(summaryOf(await guess(service(), { username, password }))).toBe('200');
    expect(summaryOf(await guess(service(), { username }))).toBe('400');
    expect(await readHash(service().database, username)).toBe(stored);
  });

  it('T78 leaves a hash alone that a wrong password was tried on', async () => {
    const imported = bcrypt(password);
    await addUserWith('untouched', imported);
    await guess(service(), { username: 'untouched' });
    expect(await readHash(service().database, 'untouched')).toBe(imported);
  });

  it('T78 does not undo a password that was changed between the comparison and the new hash', async () => {
    const { database } = service();
    await addUserWith('changing', bcrypt(password));
    const changed = await hashPassword('Another-4712', 2);
    // Holds the row: the login reads and compares, and then waits with its own hash.
    const row = await holdRow(database, 'changing');
    const login = guess(service(), { username: 'changing', password });
    await eventually(row.countWaiting).toBe(1);
    await row.update(changed);
    expect(summaryOf(await login)).toBe('200');
    expect(await readHash(database, 'changing')).toBe(changed);
  });

  it('T78 keeps the password that an administrator sets while logins replace the imported hash', async () => {
    const { database } = service();
    const token = await service().tokenOf('ada');
    await addUserWith('reset', bcrypt(password, 6));
    const [{ id } = { id: 0 }] = await database.query<{ id: number }>(
      `select id from users where username = 'reset'`,
    );
    for (let round = 0; round < size({ small: 4, full: 500 }); round += 1) {
      await database.query('update users set password_hash = $2 where id = $1', [id, bcrypt(password, 6)]);
      const change = present(token, 'header', {
        method: 'PUT',
        path: `/api/v1/users/${id}/password`,
        body: { password: `Another-lamp-orbit-${round}` },
      });
      const [changed] = await Promise.all([
        sendPatiently(change),
        ...Array.from({ length: 3 }, () => guess(service(), { username: 'reset', password })),
      ]);
      expect(changed.body.code).toBe(200);
      expect(await verify(await readHash(database, 'reset'), `Another-lamp-orbit-${round}`)).toBe(true);
      await forgetGuesses(database);
    }
  });
});

describe('where imported hashes are stored', () => {
  let world: ImportedWorld;
  beforeAll(async () => {
    // The dearer it is, the longer every refusal takes.
    const imported = bcrypt(password, size({ small: 8, full: 10 }));
    // A hash of this cost takes too long: it must not be computed, neither to log in nor to learn how long it takes.
    const impossible = imported.replace(/^\$2b\$\d\d/, '$2b$31');
    const hashes = { imported, impossible, ours: await hashPassword(password, 2) };
    world = await startWithUsers(hashes, { APPLICATION_MODE: 'dev' });
  });
  afterAll(() => world.stop());

  it('T78 a refusal takes the same time for an imported hash, one that no login can be made with, one of ours and no user', async () => {
    const names = ['imported', 'impossible', 'ours', 'nobody'] as const;
    const rounds = size({ small: judgesTimes ? 11 : 3, full: 41 });
    const times = names.map((): number[] => []);
    for (let round = 0; round < rounds; round += 1) {
      for (const [index, username] of names.entries()) {
        const startedAt = performance.now();
        expectLoginRefusal(await guess(world.client, { username }), 'credentials_wrong');
        times[index]?.push(performance.now() - startedAt);
      }
      await forgetGuesses(world.database);
    }
    // The shortest of each: whatever else the machine does only adds to a time.
    const shortest = times.map((some) => Math.min(...some));
    console.log(`the shortest refusals took ${shortest.map((time) => time.toFixed(1)).join(', ')} ms`);
    if (isJudged('the ratio of the times of refusals'))
      expect(Math.max(...shortest) / Math.min(...shortest), shortest.join(' ')).toBeLessThan(1.3);
  });
});

describe('a fresh install', () => {
  it('T80 refuses every usual pair of name and password, and verifies each', async () => {
    const database = await createDatabase({ migrated: true });
    const settings = {
      APPLICATION_MODE: 'dev',
      HASH_MEMORY_KIBIBYTES: '64',
      HASH_PASSES: '1',
      HASH_CONCURRENCY: '8',
    };
    const server = await startServer({
      databaseUrl: database.url,
      script: commandLine,
      arguments: ['serve'],
      settings,
    });
    const client = createHttpClient(server.port, { remembers: false, resends: true });
    try {
      const pairs = commonPairs(size({ small: 100, full: 10_000 }));
      for (let from = 0; from < pairs.length; from += 100) {
        const some = pairs.slice(from, from + 100);
        const answers = await atOnce(4, some.length, (index) =>
          guess(client, some[index] ?? { username: '' }),
        );
        for (const answer of answers) expectLoginRefusal(answer, 'credentials_wrong');
        await forgetGuesses(database);
      }
      const [, first = ''] = /password[^A-Za-z0-9_-]+([A-Za-z0-9_-]{20})/.exec(server.process.output) ?? [];
      expect(summaryOf(await guess(client, { username: 'admin', password: first }))).toBe('200');
    } finally {
      client.close();
      await server.stop();
      await database.drop();
    }
  });
});
