// Threats to people by mail: links that set passwords, and the mails that carry them. The controls of these attacks are in
// test/weaknesses/mail.ts.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { captchaAnswer, writeCaptcha } from '../../rig/captcha.ts';
import { createDatabase, type Database } from '../../rig/create-database.ts';
import { type Answer, createHttpClient } from '../../rig/http-client.ts';
import {
  codeIn,
  linkPage,
  type Mailbox,
  mailSettings,
  type ReceivedMail,
  startMailbox,
} from '../../rig/mailbox.ts';
import { addUser, hashPassword, password, seed } from '../../rig/seed.ts';
import { type Server, startServer } from '../../rig/start-server.ts';
import { expectAttackFails, failIfAttackSucceeded } from '../../weaknesses/attack.ts';
import { dumpDatabase } from '../carriers/dump-database.ts';
import { patience } from '../size.ts';

interface World {
  readonly mailbox: Mailbox;
  readonly database: Database;
  readonly server: Server;
  call(method: string, path: string, body?: object, headers?: Record<string, string>): Promise<Answer>;
  byAdmin(method: string, path: string, body?: object): Promise<Answer>;
  logIn(username: string, secret: string): Promise<Answer>;
  /** With a captcha that is solved. */
  forgot(mail: string, headers?: Record<string, string>): Promise<Answer>;
  reset(code: string, newPassword?: string): Promise<string>;
  close(): Promise<void>;
}

interface Person {
  readonly id: number;
  readonly username: string;
  readonly mail: string;
}

const newPassword = 'seven otters carry lanterns';
const caps = {
  MAIL_RESET_LINKS_PER_ADDRESS_PER_DAY: '5',
  MAIL_RESET_LINKS_PER_NETWORK_PER_DAY: '1000',
  LOGGER_LEVEL: 'trace',
};
const passwordHash = hashPassword(password, 1);

async function startWorld(): Promise<World> {
  const mailbox = await startMailbox();
  const database = await createDatabase({ migrated: true });
  await seed(database);
  const server = await startServer({
    databaseUrl: database.url,
    settings: { APPLICATION_MODE: 'prod', ...patience, ...mailSettings(mailbox), ...caps },
  });
  const client = createHttpClient(server.port, { remembers: false, resends: true });
  const call: World['call'] = (method, path, body, headers) =>
    client.send({ method, path: `/api/v1${path}`, ...(body && { body }), ...(headers && { headers }) });
  const solved = async () => ({ uuid: await writeCaptcha(database), code: captchaAnswer });
  const logIn: World['logIn'] = async (username, secret) =>
    await call('POST', '/login', { username, password: secret, ...(await solved()) });
  const admin = `Bearer ${String((await logIn('ada', password)).body.token)}`;
  return {
    mailbox,
    database,
    server,
    call,
    logIn,
    byAdmin: (method, path, body) => call(method, path, body, { authorization: admin }),
    forgot: async (mail, headers) =>
      await call('POST', '/password/forgot', { mail, ...(await solved()) }, headers),
    reset: async (code, chosen = newPassword) =>
      outcomeOf(await call('POST', '/password/reset', { code, newPassword: chosen })),
    async close() {
      client.close();
      await server.stop();
      await mailbox.stop();
      await database.drop();
    },
  };
}

function outcomeOf({ body, headers }: Answer): string {
  return body.code === 200 ? 'done' : String(headers['x-auth-reason'] ?? body.code);
}

let world: World;
let count = 0;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

/** An attack whose success is a new password. */
function expectRefused(outcome: string, reason = 'credentials_wrong'): void {
  expectAttackFails(outcome, { success: 'done', failure: reason });
}

async function addPerson(): Promise<Person> {
  const { database } = world;
  count += 1;
  const username = `person${count}`;
  const mail = `${username}@example.com`;
  await addUser(database, { username, role: 'guest', passwordHash: await passwordHash });
  const [row] = await database.query<{ id: number }>(
    'update users set mail = $2 where username = $1 returning id::int as id',
    [username, mail],
  );
  return { id: row?.id ?? 0, username, mail };
}

/** The newest link that the person was sent. */
async function askForCode({ mail }: Person, times = 1): Promise<string> {
  expect(outcomeOf(await world.forgot(mail))).toBe('done');
  const mails = (await world.mailbox.waitFor(mail, times)).filter(isLink);
  return codeIn(mails.at(-1) as ReceivedMail);
}

const isLink = ({ text }: ReceivedMail) => text.includes('#');
const linksTo = ({ mail }: Person) => world.mailbox.of(mail).filter(isLink);

/** However the person asks for one. */
async function expectNoLink(person: Person): Promise<void> {
  expect(outcomeOf(await world.forgot(person.mail))).toBe('done');
  await waitForQueue();
  failIfAttackSucceeded(linksTo(person).length > 0, 'a link is sent');
}

/** Resolves when everything that was asked for before has been sent or dropped. */
async function waitForQueue(): Promise<void> {
  await expect
    .poll(() => world.database.query(`select 1 from mails where state = 'queued'`), { timeout: 30_000 })
    .toEqual([]);
}

describe('T235 a link that was used', () => {
  it('is refused a second time', async () => {
    const code = await askForCode(await addPerson());
    expect(await world.reset(code)).toBe('done');
    expectRefused(await world.reset(code));
  });

  it('is taken once of many times at the same moment', async () => {
    const code = await askForCode(await addPerson());
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => world.reset(code)));
    expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(1);
  });

  it('of an invitation is refused a second time', async () => {
    count += 1;
    const mail = `invited${count}@example.com`;
    const body = {
      username: `invited${count}`,
      name: 'New',
      departmentId: 1,
      roleId: 5,
      mail,
      invite: true,
    };
    const answer = await world.byAdmin('POST', '/users', body);
    expect(answer.body.data).toMatchObject({ password: null, invitation: { mailed: true, link: null } });
    const [sent] = await world.mailbox.waitFor(mail);
    const code = codeIn(sent as ReceivedMail);
    expect((await world.logIn(body.username, '!')).body.code).toBe(400);
    expect(await world.reset(code)).toBe('done');
    expect((await world.logIn(body.username, newPassword)).body.code).toBe(200);
    expectRefused(await world.reset(code, 'nine badgers mend umbrellas'));
  });
});

describe('T236 guessing the code of a link', () => {
  it('is over after five wrong ones, also for the right one', async () => {
    const code = await askForCode(await addPerson());
    for (let guess = 0; guess < 5; guess += 1)
      expect(await world.reset(`${code.slice(0, 22)}${'A'.repeat(42)}${'AEIMQ'[guess]}`)).toBe(
        'credentials_wrong',
      );
    expectRefused(await world.reset(code));
  });

  it('with codes that were made up, or are spelt otherwise, finds nothing, and the right one is taken', async () => {
    const code = await askForCode(await addPerson());
    for (const wrong of ['A'.repeat(65), `${'A'.repeat(22)}${code.slice(22)}`])
      expect(await world.reset(wrong)).toBe('credentials_wrong');
    const respelt = `${code.slice(0, 64)}${String.fromCharCode(code.charCodeAt(64) + 1)}`;
    expectAttackFails(await world.reset(respelt), {
      success: 'done',
      failure: ['credentials_wrong', 'params_invalid'],
    });
    for (const bad of [code.slice(1), `${code}A`, `${code.slice(1)}=`])
      expect(await world.reset(bad)).toBe('params_invalid');
    expect(await world.reset(code)).toBe('done');
  });
});

describe('T237 the code of another person', () => {
  it('opens its own account alone; with the id of another link it is refused', async () => {
    const [one, other] = [await addPerson(), await addPerson()];
    const [ofOne, ofOther] = [await askForCode(one), await askForCode(other)];
    const mixed = `${ofOne.slice(0, 22)}${ofOther.slice(22)}`;
    expectRefused(await world.reset(mixed));
    expect(await world.reset(ofOther)).toBe('done');
    expect((await world.logIn(one.username, password)).body.code).toBe(200);
    expect((await world.logIn(other.username, newPassword)).body.code).toBe(200);
  });
});

describe('T238 a disabled account', () => {
  it('is sent no link', async () => {
    const person = await addPerson();
    await world.database.query('update users set enabled = false where id = $1', [person.id]);
    await expectNoLink(person);
  });

  it('has no link any more, also once it is enabled again', async () => {
    const person = await addPerson();
    const code = await askForCode(person);
    const enable = (enabled: boolean) => world.byAdmin('PUT', `/users/${person.id}/enabled`, { enabled });
    expect((await enable(false)).body.code).toBe(200);
    expectRefused(await world.reset(code));
    await enable(true);
    expectRefused(await world.reset(code));
  });
});

describe('T239 an account without a password', () => {
  it('is not opened by a forgotten one', async () => {
    const person = await addPerson();
    await world.database.query(`update users set password_hash = '!' where id = $1`, [person.id]);
    await expectNoLink(person);
  });
});

describe('T240 a poisoned host name', () => {
  it('is in no link', async () => {
    const person = await addPerson();
    const headers = {
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
      forwarded: 'host=evil.example',
      origin: 'https://evil.example',
      referer: 'https://evil.example/',
    };
    const answer = await world.forgot(person.mail, headers);
    expect(outcomeOf(answer)).toBe('done');
    const [mail] = await world.mailbox.waitFor(person.mail);
    failIfAttackSucceeded(
      mail?.text.includes('https://evil.example/') === true,
      'the link leads to that host',
    );
    expect(mail?.raw).not.toContain('evil.example');
    expect(mail?.text).toContain(`${linkPage}#`);
    expect(mail?.html).toContain(`href="${linkPage}#`);
  });
});

describe('T241 filling a mailbox', () => {
  it('ends with five links a day for an address, known or not, however it is spelt', async () => {
    const person = await addPerson();
    const outcomes: string[] = [];
    for (let asked = 0; asked < 8; asked += 1)
      outcomes.push(outcomeOf(await world.forgot(asked % 2 ? person.mail.toUpperCase() : person.mail)));
    await waitForQueue();
    const sent = linksTo(person).length;
    failIfAttackSucceeded(sent > 5, `${sent} links are sent`);
    expect(sent).toBe(5);
    expect(outcomes.slice(5)).toEqual(Array(3).fill('rate_limited'));
    const ofUnknown: string[] = [];
    for (let asked = 0; asked < 8; asked += 1)
      ofUnknown.push(outcomeOf(await world.forgot('nobody.here@example.com')));
    expect(ofUnknown).toEqual([...Array(5).fill('done'), ...Array(3).fill('rate_limited')]);
  });

  it('ends at the caps of a network and of all, over any number of addresses', async () => {
    await world.forgot('first@example.com');
    const keys = await world.database.query<{ key: Buffer }>(
      'select key from mail_counts order by n desc limit 2',
    );
    const set = async (counts: readonly number[]) => {
      for (const [index, n] of counts.entries())
        await world.database.query('update mail_counts set n = $2 where key = $1', [keys[index]?.key, n]);
      count += 1;
      return outcomeOf(await world.forgot(`stranger${count}@example.com`));
    };
    // 1,000 of a network, 2,000 of all.
    expect(await set([2000, 0])).toBe('rate_limited');
    expect(await set([0, 2000])).toBe('rate_limited');
    expect([await set([1000, 0]), await set([0, 1000])].toSorted()).toEqual(['done', 'rate_limited']);
    expect(await set([999, 999])).toBe('done');
    await set([0, 0]);
  });

  it('with notices of new devices ends at ten a day, by a person who knows the password', async () => {
    const person = await addPerson();
    for (let login = 0; login < 12; login += 1)
      expect((await world.logIn(person.username, password)).body.code).toBe(200);
    await waitForQueue();
    expect(world.mailbox.of(person.mail)).toHaveLength(10);
  });
});

describe('T242 an address that is more than one, or a header', () => {
  const victim = 'mei@example.com';
  it.each([
    `${victim},eve@evil.example`,
    `${victim}, Eve <eve@evil.example>`,
    `${victim}\r\nBcc: eve@evil.example`,
    `"${victim}" <eve@evil.example>`,
    `${victim}\nSubject: Urgent\n\nhttps://evil.example`,
    `me\u0131@example.com`,
    `mei@ex\u0430mple.com`,
    `<${victim}>`,
    `mei@[127.0.0.1]`,
    `${'a'.repeat(300)}@example.com`,
  ])('is refused as one: %j', async (mail) => {
    const person = await addPerson();
    for (const [method, path, body] of [
      ['PUT', `/users/${person.id}/mail`, { mail }],
      [
        'POST',
        '/users',
        { username: `x${count}`, name: 'X', departmentId: 1, roleId: 5, mail, invite: true },
      ],
    ] as const) {
      const outcome = outcomeOf(await world.byAdmin(method, path, body));
      if (outcome === 'done') await expectNoMailToEve(person);
      expect(outcome).toBe('params_invalid');
    }
    expect(outcomeOf(await world.forgot(mail))).toBe('params_invalid');
  });

  /** An attack whose success is a link of the person in the mailbox of another person. */
  async function expectNoMailToEve({ id }: Person): Promise<void> {
    await world.byAdmin('POST', `/users/${id}/password-link`);
    await waitForQueue();
    failIfAttackSucceeded(
      world.mailbox.of('eve@evil.example').length > 0,
      'the mail reaches eve@evil.example',
    );
  }

  it('is not sent to an address that was written into the database, and a good one is', async () => {
    const [person, other] = [await addPerson(), await addPerson()];
    await world.database.query('update users set mail = $2 where id = $1', [
      person.id,
      'a@example.com,eve@evil.example',
    ]);
    await expectNoMailToEve(person);
    await world.byAdmin('POST', `/users/${other.id}/password-link`);
    await world.mailbox.waitFor(other.mail);
    await waitForQueue();
    expect(world.mailbox.of('eve@evil.example')).toEqual([]);
    const { items } = (await world.byAdmin('GET', '/mails?state=dead')).body.data as {
      items: { userId: number }[];
    };
    expect(items.map(({ userId }) => userId)).toContain(person.id);
  });
});

describe('T243 a name that is a page', () => {
  it('is text in a mail, and no picture that tells who reads it', async () => {
    const person = await addPerson();
    await world.database.query('update users set nick_name = $2 where id = $1', [
      person.id,
      '<img src=//evil.example/x> {until}',
    ]);
    await askForCode(person);
    const [mail] = world.mailbox.of(person.mail);
    failIfAttackSucceeded(
      mail?.html.includes('<img src=//evil.example') === true,
      'the mail has the picture',
    );
    expect(mail?.html).not.toMatch(/<[^>]*(img|script|style|link|iframe|src=|url\()/i);
    expect(mail?.html.match(/https?:\/\/[^"#<]+/g)?.every((url) => url === linkPage)).toBe(true);
    expect(mail?.text).toContain('{until}');
    expect(mail?.headers).not.toContain('evil.example');
  });
});

describe('T244 asking whether an address is known', () => {
  it('is answered alike for known, unknown, disabled and passwordless ones', async () => {
    const [known, disabled, bare] = [await addPerson(), await addPerson(), await addPerson()];
    await world.database.query('update users set enabled = false where id = $1', [disabled.id]);
    await world.database.query(`update users set password_hash = '!' where id = $1`, [bare.id]);
    const shapes: string[] = [];
    for (const mail of [known.mail, `un${known.mail}`, disabled.mail, bare.mail]) {
      const { status, headers, body } = await world.forgot(mail);
      const { 'x-request-id': _id, date: _date, ...others } = headers;
      shapes.push(JSON.stringify([status, others, { ...body, requestId: '' }]));
    }
    const [ofKnown, ofUnknown] = shapes;
    failIfAttackSucceeded(ofKnown !== ofUnknown, 'the answer tells whether an address is known');
    expect(new Set(shapes).size).toBe(1);
  });
});

describe('T245 a link of before', () => {
  it.each([
    ['the password was changed by its owner', 'own'],
    ['the password was reset by an administrator', 'admin'],
    ['the address was changed', 'mail'],
    ['another link was used', 'link'],
  ])('is refused after %s', async (_what, way) => {
    const person = await addPerson();
    const code = await askForCode(person);
    const other = 'nine badgers mend umbrellas';
    const ways: Record<string, () => Promise<unknown>> = {
      async own() {
        const { body } = await world.logIn(person.username, password);
        const headers = { authorization: `Bearer ${String(body.token)}` };
        const change = { oldPassword: password, newPassword: other };
        expect((await world.call('PUT', '/user/password', change, headers)).body.code).toBe(200);
      },
      admin: () => world.byAdmin('PUT', `/users/${person.id}/password`, {}),
      mail: () => world.byAdmin('PUT', `/users/${person.id}/mail`, { mail: `new.${person.mail}` }),
      link: async () => expect(await world.reset(await askForCode(person, 2), other)).toBe('done'),
    };
    await ways[way]?.();
    expectRefused(await world.reset(code));
  });

  it('is refused after its half hour', async () => {
    const person = await addPerson();
    const code = await askForCode(person);
    const [row] = await world.database.query<{ minutes: number }>(
      `select round(extract(epoch from expires_at - now()) / 60)::int as minutes from password_codes
       where user_id = $1`,
      [person.id],
    );
    expect(row?.minutes).toBe(30);
    await world.database.query(`update password_codes set expires_at = now() - interval '1 second'`);
    expectRefused(await world.reset(code));
  });
});

describe('T246 what a link gives', () => {
  it('is a password and no token: sessions of before are over when it returns, and the login asks for what it always asks', async () => {
    const person = await addPerson();
    const { body } = await world.logIn(person.username, password);
    const headers = { authorization: `Bearer ${String(body.token)}` };
    const code = await askForCode(person, 2);
    expect((await world.call('GET', '/getinfo', undefined, headers)).body.code).toBe(200);
    const answer = await world.call('POST', '/password/reset', { code, newPassword });
    expect(answer.body).toEqual({
      code: 200,
      msg: expect.any(String),
      data: null,
      requestId: expect.any(String),
    });
    expect(answer.headers['set-cookie']).toBeUndefined();
    expect((await world.call('GET', '/getinfo', undefined, headers)).headers['x-auth-reason']).toBe(
      'token_revoked',
    );
    expect((await world.logIn(person.username, password)).body.code).toBe(400);
    expect((await world.logIn(person.username, newPassword)).body.code).toBe(200);
  });

  it('does not stand for a second factor: who has one is still asked for it, and who has none is not', async () => {
    const [armed, bare] = [await addPerson(), await addPerson()];
    await world.database.query(
      `insert into credentials (user_id, kind, factor, sealed_secret, confirmed_at) values ($1, 'totp', 2, '', now())`,
      [armed.id],
    );
    for (const person of [armed, bare]) {
      expect(await world.reset(await askForCode(person))).toBe('done');
      const { headers } = await world.logIn(person.username, newPassword);
      expect(headers['x-auth-reason']).toBe(person === armed ? 'factor_required' : undefined);
    }
  });

  it('is no weak password, and the link stays good for another one', async () => {
    const code = await askForCode(await addPerson());
    for (const weak of ['short', 'password'.repeat(3)])
      expect(await world.reset(code, weak)).toBe('password_weak');
    expect(await world.reset(code)).toBe('done');
  });
});

describe('T281 a password that is reset by mail', () => {
  it('T281 keeps the count of wrong guesses of a person with a second factor, and resets it for others', async () => {
    for (const hasFactor of [true, false]) {
      await world.database.query('delete from throttle');
      const person = await addPerson();
      if (hasFactor)
        await world.database.query(
          `insert into credentials (user_id, kind, factor, sealed_secret, confirmed_at) values ($1, 'totp', 2, '', now())`,
          [person.id],
        );
      await world.logIn(person.username, 'wrong');
      expect(await world.reset(await askForCode(person))).toBe('done');
      const counted = await world.database.query(
        `select 1 from throttle where kind = 'account' and failures > 0`,
      );
      failIfAttackSucceeded(hasFactor && counted.length === 0, 'the guesses at the second factor begin anew');
      expect(counted).toHaveLength(hasFactor ? 1 : 0);
    }
  });
});

describe('T247 the own address', () => {
  it('is not changed with a token alone', async () => {
    const answer = await world.byAdmin('PUT', '/users/1/mail', { mail: 'eve@evil.example' });
    expectAttackFails(answer.body.code, { success: 200, failure: 409 });
  });
});

describe('T248 the code of a link', () => {
  it('is in the mail, and in no table, answer or line of the log', async () => {
    const person = await addPerson();
    const code = await askForCode(person);
    const texts = [...(await dumpDatabase(world.database)).values(), world.server.process.output];
    for (const text of texts)
      for (const part of [code, code.slice(22), Buffer.from(code.slice(22), 'base64url').toString('hex')])
        expect(text.includes(part)).toBe(false);
    expect(world.mailbox.of(person.mail)[0]?.text).toContain(code);
    const [row] = await world.database.query<{ address: string | null }>(
      `select address from mails where user_id = $1 and state = 'sent'`,
      [person.id],
    );
    expect(row).toEqual({ address: null });
  });
});

describe('T249 asking without a captcha, or with one twice', () => {
  it('is refused', async () => {
    const { mail } = await addPerson();
    const ask = async (body: object) => outcomeOf(await world.call('POST', '/password/forgot', body));
    expectRefused(await ask({ mail }), 'params_invalid');
    const body = { mail, uuid: await writeCaptcha(world.database), code: captchaAnswer };
    expect(await ask(body)).toBe('done');
    expectRefused(await ask(body), 'captcha_wrong');
  });
});
