// docs/explanation/security.md: forged, poisoned, missing, doubled and unwanted records of the login log. What dies in the middle
// of it stands in `npm run chaos -- log`, who changes its rows in test/tamper.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../conformance/eventually.ts';
import { expectSuccess } from '../conformance/expect-refusal.ts';
import { present } from '../rig/carriers.ts';
import type { Database } from '../rig/create-database.ts';
import { hiddenName } from '../rig/hidden-name.ts';
import { type Answer, createHttpClient } from '../rig/http-client.ts';
import { password } from '../rig/seed.ts';
import type { Service } from '../rig/start-service.ts';
import { decodeToken } from '../rig/tokens.ts';
import { useService } from '../rig/use-service.ts';
import { failIfAttackSucceeded } from '../weaknesses/attack.ts';
import { atOnce } from './login/at-once.ts';
import { guess, guessFrom, loginPath, passTime } from './login/guesses.ts';
import {
  cheapHashes,
  countRows,
  createSeededDatabase,
  endOrphans,
  readSpool,
  startInstance,
} from './login-log/instance.ts';
import { asHeader, forgeries } from './login-log/payloads.ts';
import { readCsv } from './login-log/read-csv.ts';
import { readResidentBytes } from './resources/running-hashes.ts';
import { productPatience, size } from './size.ts';

type Row = Readonly<Record<string, unknown>>;
const idOf = ({ headers }: Answer) => String(headers['x-request-id']);

/** The rows of these answers, in the order of the log; waits for them. */
async function rowsOf(database: Database, answers: readonly Answer[], missing = 0): Promise<Row[]> {
  const ids = answers.map(idOf);
  const read = () =>
    database.query<Row>(
      'select *, host(ip) as ip, user_id::int, seq::int from login_log where request_id = any($1) order by id',
      [ids],
    );
  await eventually(async () => (await read()).length).toBe(answers.length - missing);
  return await read();
}
// biome-ignore lint/suspicious/noControlCharactersInRegex: They are what must not be there.
const control = /[\u0000-\u001f\u007f-\u009f]|\p{Surrogate}/u;

describe('forged records', () => {
  const service = useService({
    mode: 'dev',
    settings: { ...cheapHashes, LOGGER_LOG_FAILED_LOGINS: 'true', LOGGER_LEVEL: 'trace' },
  });

  const payloads = forgeries(size({ small: 300, full: 5000 }));
  let answers: Answer[];
  let before: number;
  beforeAll(async () => {
    const client = createHttpClient(service().server.port, { remembers: false });
    before = service().server.process.output.length;
    answers = await atOnce(16, payloads.length, (index) => {
      const payload = payloads[index] ?? '';
      return guess(client, { username: payload, headers: { 'user-agent': asHeader(payload) } });
    });
    client.close();
  }, 120_000);

  it('T88 an attempt is one row and one line, whatever its name and its agent hold', async () => {
    const rows = await rowsOf(service().database, answers);
    expect(new Set(rows.map(({ request_id }) => request_id)).size).toBe(payloads.length);
    for (const { username, user_agent, ...row } of rows) {
      expect(String(username)).not.toMatch(control);
      expect(String(user_agent)).not.toMatch(control);
      expect(String(user_agent).length).toBeLessThanOrEqual(256 * 6);
      expect(row).toMatchObject({ outcome: 'failure', ip: '127.0.0.1', jti: null });
    }
    const readOutput = () => service().server.process.output.slice(before);
    // Whole lines: the last one may have come in part.
    await eventually(() => readOutput().split('\n').length - 1).toBeGreaterThanOrEqual(payloads.length);
    const output = readOutput();
    const lines = output.split('\n').filter((line) => line !== '');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: They are what must not be there.
    expect(output).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029]/);
    const failures = lines.map((line) => JSON.parse(line) as Row);
    expect(failures).toHaveLength(payloads.length);
    for (const { msg, ip, username } of failures) {
      expect({ msg, ip }).toEqual({ msg: 'a login failed', ip: '127.0.0.1' });
      expect(String(username)).not.toMatch(control);
    }
  });

  it('T88 an export has one line for each of them, and no cell that a spreadsheet would compute', async () => {
    await rowsOf(service().database, answers);
    const token = await service().tokenOf('ada');
    const path = '/api/v1/login-logs/export?outcome=failure';
    const { text, headers } = await service().send(present(token, 'header', { path }));
    expect(headers['content-type']).toContain('text/csv');
    const [fields, ...records] = readCsv(text.replace(/^\ufeff/, ''));
    const [count] = await service().database.query<{ failures: number }>(
      `select count(*)::int as failures from login_log where outcome = 'failure'`,
    );
    expect(records).toHaveLength(count?.failures ?? -1);
    expect(records.length).toBeGreaterThanOrEqual(300);
    expect(text.split('\r\n')).toHaveLength(records.length + 2);
    for (const cells of records) {
      expect(cells).toHaveLength(fields?.length ?? 0);
      for (const cell of cells) {
        expect(cell).not.toMatch(control);
        // Where the list separator of the system is a semicolon, the text behind one is a cell too.
        failIfAttackSucceeded(/(^|;)\s*[=+\-@]/.test(cell), `a spreadsheet computes ${cell}`);
      }
    }
    const agents = records.map((cells) => cells[fields?.indexOf('userAgent') ?? -1]);
    expect(agents.filter((agent) => agent?.includes('=HYPERLINK')).length).toBeGreaterThan(0);
    expect(agents.filter((agent) => agent?.includes("x;'=cmd")).length).toBeGreaterThan(0);
  });
});

describe('a poisoned record', () => {
  const service = useService({ mode: 'dev', settings: cheapHashes });

  it('T89 in the middle of a batch delays no other, and the order stays', async () => {
    const { database } = service();
    // What the service makes can be stored; so the table is made to refuse a name.
    await database.query(`alter table login_log add check (username <> '${hiddenName('poison')}')`);
    const count = size({ small: 100, full: 1000 });
    const middle = Math.floor(count / 2);
    const special = new Map<number, string>([
      [middle - 2, 'a\u0000b'],
      [middle - 1, '\ud800'],
      [middle, 'poison'],
      [middle + 1, 'x'.repeat(1000)],
    ]);
    const client = createHttpClient(service().server.port, { remembers: false });
    const unlock = await database.lock('login_log');
    const answers: Answer[] = [];
    try {
      for (let index = 0; index < count; index += 1)
        answers.push(
          await guess(client, {
            username: special.get(index) ?? `user${index}`,
            headers: { 'user-agent': index === middle + 1 ? 'x'.repeat(15_000) : 'rig' },
          }),
        );
    } finally {
      await unlock();
      client.close();
    }
    const rows = await rowsOf(database, answers, 1);
    expect(rows.map(({ request_id }) => request_id)).toEqual(answers.toSpliced(middle, 1).map(idOf));
    const letters = await database.query<{ raw: Buffer; cause: string }>(
      'select raw, cause from login_log_dead_letters',
    );
    expect(letters.map(({ raw }) => JSON.parse(String(raw)).request_id)).toEqual([
      idOf(answers[middle] as Answer),
    ]);
    expect(letters[0]?.cause).toContain('check');
  });
});

describe('the fields of a record', () => {
  const service = useService({
    mode: 'prod',
    settings: { ...productPatience, THROTTLE_FAILURES_BEFORE_DELAY: '2' },
  });
  const agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
  const logIn = async (username: string, secret = password, change: object = {}) =>
    await service().send({
      method: 'POST',
      path: loginPath,
      body: { username, password: secret, ...(await service().solvedCaptcha()), ...change },
      headers: { 'user-agent': agent },
    });
  const always = {
    at: expect.any(Date),
    ip: '127.0.0.1',
    user_agent: agent,
    browser: 'Firefox',
    os: 'Linux',
    platform: 'desktop',
    instance: expect.stringMatching(/^[0-9a-f-]{36}$/),
    chain: expect.stringMatching(/^[0-9a-f-]{36}$/),
    seq: expect.any(Number),
    hash: expect.any(Buffer),
  };
  const clerk = { user_id: expect.any(Number), role_key: 'clerk' };
  const nobody = { user_id: null, role_key: null };

  interface Case {
    readonly reason: string;
    readonly who: string;
    readonly fields: object;
    readonly send: (service: Service) => Promise<Answer>;
  }
  const cases: readonly Case[] = [
    {
      reason: 'ok',
      who: 'a user',
      fields: { username: 'carl', ...clerk, jti: expect.any(String) },
      send: () => logIn('carl'),
    },
    {
      reason: 'params_invalid',
      who: 'a user',
      fields: { username: hiddenName('carl'), ...nobody, jti: null },
      send: () => logIn('carl', password, { password: undefined }),
    },
    {
      reason: 'captcha_wrong',
      who: 'a user',
      fields: { username: hiddenName('carl'), ...nobody, jti: null },
      send: () => logIn('carl', password, { code: 'WRONG' }),
    },
    {
      reason: 'credentials_wrong',
      who: 'a user',
      fields: { username: 'carl', ...clerk, jti: null },
      send: () => logIn('carl', 'wrong'),
    },
    {
      reason: 'credentials_wrong',
      who: 'nobody',
      fields: { username: hiddenName('nobody'), ...nobody, jti: null },
      send: () => logIn('nobody', 'wrong'),
    },
    {
      reason: 'user_disabled',
      who: 'a disabled user',
      fields: { username: 'dora', ...clerk, jti: null },
      send: () => logIn('dora'),
    },
    {
      reason: 'role_disabled',
      who: 'a user of a disabled role',
      fields: { username: 'otto', user_id: expect.any(Number), role_key: 'retired', jti: null },
      send: () => logIn('otto'),
    },
    {
      reason: 'throttled',
      who: 'nobody',
      fields: { username: hiddenName('guessed'), ...nobody, jti: null },
      send: async () => {
        for (let tries = 0; tries < 2; tries += 1) await logIn('guessed', 'wrong');
        // However long the machine takes from here, the wait is not over.
        await passTime(service().database, -60);
        return await logIn('guessed', 'wrong');
      },
    },
    {
      reason: 'unavailable',
      who: 'a user',
      fields: { username: hiddenName('alba'), ...nobody, jti: null },
      send: async ({ database }) => {
        const unlock = await database.lock('users');
        return await logIn('alba').finally(unlock);
      },
    },
    {
      reason: 'logout',
      who: 'a user',
      fields: { username: 'gina', user_id: expect.any(Number), role_key: 'guest', jti: expect.any(String) },
      send: async (one) => {
        const token = String((await logIn('gina')).body.token);
        const request = present(token, 'header', { method: 'POST', path: '/api/v1/logout' });
        const answer = await one.send({ ...request, headers: { ...request.headers, 'user-agent': agent } });
        expectSuccess(answer);
        return answer;
      },
    },
  ];

  it.each(cases)('T91 of $reason are complete, for $who', async (one) => {
    const answer = await one.send(service());
    const outcome = one.reason === 'ok' || one.reason === 'logout' ? 'success' : 'failure';
    const [row] = await rowsOf(service().database, [answer]);
    expect(row).toMatchObject({ ...always, ...one.fields, outcome, reason: one.reason });
    if (one.reason === 'ok') expect(row?.jti).toBe(decodeToken(String(answer.body.token)).claims.jti);
  });
});

describe('the address of a record', () => {
  const claimed = '203.0.113.7';
  const direct = useService({ mode: 'dev', settings: cheapHashes });
  const proxied = useService({
    mode: 'dev',
    settings: { ...cheapHashes, APPLICATION_TRUSTED_PROXIES: '["127.0.0.1"]' },
  });

  it('T92 is the socket’s, and no claim of the client is in the row', async () => {
    const { database, server } = direct();
    const client = createHttpClient(server.port, { remembers: false });
    const names = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'cf-connecting-ip', 'true-client-ip'];
    const answers = await Promise.all(
      names.map((name) =>
        guess(client, {
          username: 'carl',
          headers: { [name]: name === 'forwarded' ? `for=${claimed}` : claimed },
        }),
      ),
    );
    answers.push(await guessFrom('127.0.0.5', server.port, 'carl'));
    client.close();
    const rows = await rowsOf(database, answers);
    for (const row of rows) expect(JSON.stringify(row)).not.toContain(claimed);
    const addresses = new Map(rows.map(({ request_id, ip }) => [request_id, ip]));
    expect(answers.map((answer) => addresses.get(idOf(answer)))).toEqual([
      ...names.map(() => '127.0.0.1'),
      '127.0.0.5',
    ]);
  });

  it('T92 is the one from a listed proxy, not the one that the client sent to the proxy', async () => {
    const { database, server } = proxied();
    const client = createHttpClient(server.port, { remembers: false });
    const network = `${claimed}, 198.51.100.4`;
    const answers = [
      await guess(client, { username: 'carl', network }),
      await guessFrom('127.0.0.5', server.port, 'carl'),
    ];
    client.close();
    const rows = await rowsOf(database, answers);
    expect(rows.map(({ ip }) => ip)).toEqual(['198.51.100.4', '127.0.0.5']);
    for (const row of rows) expect(JSON.stringify(row)).not.toContain(claimed);
  });
});

describe('a password in the field of the name', () => {
  const service = useService({
    mode: 'dev',
    settings: { ...cheapHashes, LOGGER_LOG_FAILED_LOGINS: 'true', LOGGER_LEVEL: 'trace' },
  });
  const passwords = [
    'Hunter2 !! long pass',
    'correct horse battery staple',
    // As a generator makes them: like a name.
    'k7Xq2mWz9LpR4tVbN8dj',
    'P@$$w0rd!',
    'pass\u0000word',
    '密码 和 空格',
    ' leading',
    'trailing ',
    '!'.repeat(100),
  ];

  it('T94 is in no row, no spool, no dead letter and no line: only its length and a keyed hash', async () => {
    const { database, server } = service();
    const unlock = await database.lock('login_log');
    const answers: Answer[] = [];
    let spooled: string | undefined;
    try {
      for (const typed of passwords) answers.push(await service().logIn(typed, 'carl'));
      spooled = await readSpool(database);
    } finally {
      await unlock();
    }
    const rows = await rowsOf(database, answers);
    expect(rows.map(({ username }) => username)).toEqual(passwords.map(hiddenName));
    expect(spooled).toContain('[unknown:20:');
    const letters = await database.query('select * from login_log_dead_letters');
    const everything = [spooled, JSON.stringify(rows), JSON.stringify(letters), server.process.output].join(
      '\n',
    );
    for (const typed of passwords)
      for (const form of [
        typed,
        typed.trim(),
        JSON.stringify(typed).slice(1, -1),
        Buffer.from(typed).toString('latin1'),
      ])
        expect(everything).not.toContain(form);
  });
});

describe('with the log off', () => {
  let database: Database;
  beforeAll(async () => {
    database = await createSeededDatabase();
  });
  afterAll(() => database.drop());
  const off = { LOGGER_ENABLEDDB: 'false', LOGGER_LOG_FAILED_LOGINS: 'true', LOGGER_LEVEL: 'trace' };

  it('T95 logins leave no row, no spool, no line and no memory behind', async () => {
    const instance = await startInstance(database, off);
    const { server, client } = instance;
    const attempt = (index: number) =>
      guess(client, index % 10 === 0 ? { username: 'carl', password } : { username: `user${index}` });
    try {
      await atOnce(16, size({ small: 200, full: 5000 }), attempt);
      const before = { output: server.process.output, resident: readResidentBytes(server.process.pid) };
      await atOnce(16, size({ small: 200, full: 100_000 }), attempt);
      const grown = readResidentBytes(server.process.pid) - before.resident;
      // Growth of the heap before it is collected; a queue of so many attempts would be far above.
      expect(grown).toBeLessThan(64 * 1024 * 1024);
      expect(server.process.output).toBe(before.output);
    } finally {
      await instance.stop();
    }
    expect(await countRows(database)).toEqual({ rows: 0, counted: 0 });
    expect(await readSpool(database)).toBeUndefined();
  });

  it('T95 what was acknowledged while it was on stays, and is stored when it is on again', async () => {
    const names = Array.from({ length: 40 }, (_, index) => `user${index}`);
    const on = await startInstance(database);
    const unlock = await database.lock('login_log');
    try {
      for (const username of names) await guess(on.client, { username });
      await on.kill();
      await endOrphans(database);
    } finally {
      await unlock();
    }
    const left = await readSpool(database);
    const between = await startInstance(database, off);
    await guess(between.client, { username: 'unrecorded' });
    await between.stop();
    expect(await countRows(database)).toEqual({ rows: 0, counted: 0 });
    expect(await readSpool(database)).toBe(left);

    const again = await startInstance(database);
    await eventually(() => countRows(database)).toEqual({ rows: names.length, counted: names.length });
    await again.stop();
    const rows = await database.query<{ username: string }>('select username from login_log order by id');
    expect(rows.map(({ username }) => username)).toEqual(names.map(hiddenName));
    expect(await readSpool(database)).toBe('');
  });
});

describe('a crash', () => {
  it('T96 between storing and deleting from the spool stores and counts nothing twice', async () => {
    const database = await createSeededDatabase();
    const crashes = size({ small: 2, full: 50 });
    const each = 20;
    try {
      for (let crash = 1; crash <= crashes; crash += 1) {
        const instance = await startInstance(database);
        await atOnce(4, each, (index) => guess(instance.client, { username: `user${index}` }));
        const stored = { rows: crash * each, counted: crash * each };
        await eventually(() => countRows(database)).toEqual(stored);
        // Its segment is let go of when it is full: everything in it is stored, and is replayed.
        await instance.kill();
        expect((await readSpool(database))?.length).toBeGreaterThan(each * 100);
      }
      const last = await startInstance(database);
      await eventually(() => readSpool(database)).toBe('');
      await last.stop();
      expect(await countRows(database)).toEqual({ rows: crashes * each, counted: crashes * each });
    } finally {
      await database.drop();
    }
  });
});
