// Threats T200 to T210: directories, against the running service, a real slapd and one that lies. Beside every refusal is what
// succeeds; the controls are in test/weaknesses/ldap-login.ts.
import { Client } from 'ldapts';
import { afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import {
  type Asked,
  bindResult,
  extendedResult,
  obliging,
  searchDone,
  searchEntry,
  searchReference,
  startFalseDirectory,
} from '../../rig/false-directory.ts';
import { password, type Username } from '../../rig/seed.ts';
import {
  directoryPassword,
  dnOf,
  groupDn,
  groupEntry,
  personEntry,
  reader,
  suffix,
} from '../../rig/slapd.ts';
import { decodeToken } from '../../rig/tokens.ts';
import { expectAttackFails, failIfAttackSucceeded } from '../../weaknesses/attack.ts';
import { addPerson } from '../sign-in-methods/people.ts';
import { useDirectoryWorld } from './world.ts';

const world = useDirectoryWorld();
const wrong = 'credentials_wrong';
/** An attack whose success is a login. */
function expectRefused(outcome: string, reason = wrong): void {
  expectAttackFails(outcome, { success: 'in', failure: reason });
}
let providerId = 0;
beforeAll(async () => {
  const { slapd, addProvider } = world();
  await slapd.add(
    personEntry('anna'),
    personEntry('bert'),
    personEntry('expired', { shadowExpire: '1' }),
    personEntry('twin'),
    { ...personEntry('twin'), dn: `uid=twin,ou=groups,${suffix}` },
    // People of the directory who are called as people of this service are.
    personEntry('ada'),
    personEntry('carl'),
    groupEntry('staff', [dnOf('anna')]),
  );
  providerId = await addProvider();
});

/** A provider, when the test is over. */
function removeLater(id: number): void {
  onTestFinished(async () => {
    await world().byAdmin('DELETE', `/providers/${id}`);
  });
}

/** Ends the lies of the directory. */
afterEach(() => world().liar.answer(obliging));

it('T200: the control of all: a person of the directory signs in to a new account', async () => {
  const { body } = await world().logIn('anna');
  const { claims } = decodeToken(String(body.token));
  expect(claims).toMatchObject({ rolekey: 'guest' });
  expect(claims.nice).toMatch(/^anna@dir/);
  expect(await world().outcome('anna')).toBe('in');
});

/** For the controls: a client that takes no care of anything. */
const plainUrl = () => world().slapd.startTlsUrl.replace('localhost', '127.0.0.1');

describe('T200: a filter in the name', () => {
  const naive = async (filter: string) => {
    const client = new Client({ url: plainUrl() });
    await client.bind(reader.dn, reader.password);
    const { searchEntries } = await client.search(suffix, { filter });
    await client.unbind();
    return searchEntries.length;
  };
  it.each([
    '*',
    'ann*',
    '*)(uid=anna',
    'x)(|(uid=anna)',
    'x)(uid=anna)(uid=y',
    'anna)(objectClass=*',
    'anna)(&',
    'an\\6ea',
    'anna\0',
  ])('T200: %j finds no person', async (name) => {
    expectRefused(await world().outcome(name));
  });
  it('T200: while a filter built from text finds a person by them', async () => {
    const found = (name: string) => naive(`(|(uid=${name})(mail=${name}))`);
    expect(await found('*')).toBeGreaterThan(1);
    expect(await found('ann*')).toBe(1);
    expect(await found('x)(uid=anna')).toBe(1);
    expectRefused(await world().outcome('x)(uid=anna'));
    // Nor does what makes no filter of such a text, or one of no person.
    for (const name of ['x)(|(uid=anna', '(anna)', '\\2a']) expect(await world().outcome(name)).toBe(wrong);
    expect(await world().outcome('anna')).toBe('in');
  });
});

describe('T201: no password', () => {
  it('T201: is refused before the bind, which the directory would accept', async () => {
    expectRefused(await world().outcome('anna', ''), 'params_invalid');
    // The control: a bind without a password succeeds on a real slapd.
    const client = new Client({ url: plainUrl() });
    await client.bind(dnOf('anna'), '');
    await expect(client.bind(dnOf('anna'), 'wrong')).rejects.toThrow();
    await client.unbind();
  });
  it('T201: is refused where the search account has none', async () => {
    const { call, byAdmin, slapd } = world();
    const settings = { url: slapd.url, dialect: 'ldap', ca: slapd.ca, bindDn: reader.dn, baseDn: suffix };
    const body = { key: 'no-secret', kind: 'ldap', name: 'No secret', settings };
    const { id } = (await call('POST', '/providers', body)).body.data as { id: number };
    removeLater(id);
    const enabled = await call('PUT', `/providers/${id}/enabled`, { enabled: true });
    expectAttackFails(enabled.body.code, { success: 200, failure: 409 });
    await byAdmin('PUT', `/providers/${id}`, { secret: reader.password });
    await byAdmin('PUT', `/providers/${id}/enabled`, { enabled: true });
  });
});

describe('T202: a name with several entries, or one that the directory refuses', () => {
  it.each([
    ['two with one name', 'twin', () => world().slapd.remove(`uid=twin,ou=groups,${suffix}`)],
    [
      'one whose account has expired',
      'expired',
      () => world().slapd.replace(dnOf('expired'), 'shadowExpire', ['-1']),
    ],
    ['nobody', 'nobody', () => world().slapd.add(personEntry('nobody'))],
  ])('T202: %s is refused, and let in when that is over', async (_who, name, end) => {
    expectRefused(await world().outcome(name));
    await end();
    expect(await world().outcome(name)).toBe('in');
  });
});

describe('T203: the name of a local account', () => {
  it.each(['ada', 'ADA ', 'carl'])(
    'T203: %j is never verified by the directory, with any password of its namesake there',
    async (name) => {
      expectRefused(await world().outcome(name));
      expect(await world().outcome('anna')).toBe('in');
      expect((await world().service.logIn('carl')).body.code).toBe(200);
    },
  );
  it('T203: gets no link by its mail address or its name', async () => {
    const { slapd, service, logIn } = world();
    // Not the last administrator, whom T303 keeps from being linked at all.
    const { username } = await addPerson(service.database, 'clerk');
    const names = { mail: `${username}@example.com`, cn: username, displayName: username };
    await slapd.add(personEntry('mailer', names));
    const { claims } = decodeToken(String((await logIn('mailer')).body.token));
    failIfAttackSucceeded(claims.nice === username, 'the account is linked by a name');
    expect(claims.rolekey).toBe('guest');
    expect(claims.nice).toMatch(/^mailer@/);
  });
});

describe('T204: a name that another person has now', () => {
  it('T204: does not open the account of its earlier holder', async () => {
    const { slapd, logIn, outcome } = world();
    await slapd.add(personEntry('gerd'));
    const before = decodeToken(String((await logIn('gerd')).body.token)).claims;
    await slapd.rename(dnOf('gerd'), dnOf('gerda'));
    await slapd.add(personEntry('gerd', { userPassword: 'another person' }));
    const other = decodeToken(String((await logIn('gerd', 'another person')).body.token)).claims;
    failIfAttackSucceeded(other.sub === before.sub, 'another person has the account');
    // By the name of the account the link decides, and it is the first person's.
    expect(await outcome(String(before.nice), 'another person')).toBe(wrong);
    const again = decodeToken(String((await logIn(String(before.nice))).body.token)).claims;
    expect(again.sub).toBe(before.sub);
    const renamed = decodeToken(String((await logIn('gerda')).body.token)).claims;
    expect(renamed.sub).toBe(before.sub);
  });
  it('T204: does not open it by an entry that was removed and created again', async () => {
    const { slapd, logIn } = world();
    await slapd.add(personEntry('kurt'));
    const before = decodeToken(String((await logIn('kurt')).body.token)).claims;
    await slapd.remove(dnOf('kurt'));
    await slapd.add(personEntry('kurt'));
    const after = decodeToken(String((await logIn('kurt')).body.token)).claims;
    failIfAttackSucceeded(after.sub === before.sub, 'another entry has the account');
  });
});

describe('T205: an attacker between Portcullis and the directory', () => {
  const settingsOf = (more: object) => ({
    settings: {
      url: world().slapd.url,
      dialect: 'ldap',
      ca: world().slapd.ca,
      bindDn: reader.dn,
      baseDn: suffix,
      ...more,
    },
  });
  /** Its id, or with what code it is refused. */
  async function create(more: object): Promise<{ readonly id?: number; readonly code: number }> {
    const body = {
      key: `way${Math.random().toString(36).slice(2, 10)}`,
      kind: 'ldap',
      name: 'Way',
      secret: reader.password,
    };
    const { code, data } = (await world().call('POST', '/providers', { ...body, ...settingsOf(more) })).body;
    const { id } = (data ?? {}) as { id?: number };
    if (id !== undefined) removeLater(id);
    return { code: Number(code), ...(id !== undefined && { id }) };
  }
  async function enable(more: object): Promise<number> {
    const { id } = await create(more);
    const { body } = await world().call('PUT', `/providers/${id}/enabled`, { enabled: true });
    return Number(body.code);
  }
  it.each([
    ['of another name', () => ({ serverName: 'other.example' })],
    ['of another authority', () => ({ ca: world().authority.certificate })],
    ['of another directory', () => ({ url: world().liar.url })],
    [
      'of another name behind StartTLS',
      () => ({ url: world().slapd.startTlsUrl, serverName: 'other.example' }),
    ],
  ])('T205: has a certificate %s, which is not taken', async (_which, more) => {
    expectAttackFails(await enable(more()), { success: 200, failure: 409 });
    expect(await enable({})).toBe(200);
    expect(await enable({ url: world().slapd.startTlsUrl })).toBe(200);
  });
  it.each([
    ['refuses StartTLS', [extendedResult(1, 2)]],
    ['adds a second answer behind it', [Buffer.concat([extendedResult(1), bindResult(2)])]],
    ['answers in plain text', [bindResult(1)]],
  ])('T205: %s, and hears no password', async (_what, answers) => {
    const { liar, authority } = world();
    const honest = { url: liar.startTlsUrl, ca: authority.certificate };
    liar.answer((asked, socket) => (asked.operation === 'extended' ? answers : obliging(asked, socket)));
    const before = liar.asked.length;
    const code = await enable(honest);
    const asked = liar.asked.slice(before).map(({ operation }) => operation);
    failIfAttackSucceeded(asked.includes('bind'), 'the password is heard');
    expect(asked).toEqual(['extended']);
    expect(code).toBe(409);
    liar.answer(obliging);
    expect(await enable(honest)).toBe(200);
  });
  it.each([
    'http://localhost',
    'ldaps://user:secret@localhost',
    'ldapi:///var/run/slapd',
    'ldaps://localhost/dc=x??sub',
    'ldaps://',
  ])('T205: takes no address like %s', async (url) => {
    expectAttackFails((await create({ url })).code, { success: 200, failure: 400 });
  });
});

/** Meanwhile the directory that lies is asked for every name without an account here. */
async function withLiar(work: () => Promise<void>): Promise<void> {
  const { liar, addProvider, authority, byAdmin } = world();
  await byAdmin('PUT', `/providers/${providerId}`, { isDefault: false });
  const id = await addProvider({}, { url: liar.url, ca: authority.certificate });
  try {
    await work();
  } finally {
    liar.answer(obliging);
    await byAdmin('DELETE', `/providers/${id}`);
    await byAdmin('PUT', `/providers/${providerId}`, { isDefault: true });
  }
}

describe('T206: a directory that answers with a referral', () => {
  const entry = (id: number) => [
    searchEntry(id, 'uid=zoe,dc=example,dc=com', {
      uid: ['zoe'],
      entryUUID: ['33333333-3333-4333-8333-333333333333'],
    }),
    searchDone(id),
  ];
  const isOfZoe = ({ operation, bytes }: Asked) => operation === 'bind' && bytes.includes('uid=zoe');
  it.each<[string, string, (asked: Asked, url: string) => readonly Buffer[] | undefined]>([
    [
      'in a search',
      wrong,
      ({ id, operation }, url) =>
        operation === 'search' ? [searchReference(id, url), searchDone(id)] : undefined,
    ],
    [
      'in the place of a search',
      'unavailable',
      ({ id, operation }, url) => (operation === 'search' ? [searchDone(id, 10, [url])] : undefined),
    ],
    [
      'for a password',
      'unavailable',
      (asked, url) => {
        if (asked.operation === 'search') return entry(asked.id);
        return isOfZoe(asked) ? [bindResult(asked.id, 10, [url])] : undefined;
      },
    ],
  ])('T206: %s is not followed', async (_where, expected, refer) => {
    const { liar, authority, outcome } = world();
    const elsewhere = await startFalseDirectory({ certificate: await authority.issue('localhost') });
    onTestFinished(() => elsewhere.close());
    const url = `${elsewhere.url}/${suffix}??sub`;
    await withLiar(async () => {
      liar.answer((asked, socket) => refer(asked, url) ?? obliging(asked, socket));
      const referred = await outcome('zoe');
      failIfAttackSucceeded(elsewhere.connections > 0, 'the directory elsewhere is asked');
      expect(referred).toBe(expected);
      // Nor is there an answer where it does not say where.
      liar.answer((asked, socket) =>
        asked.operation === 'search' ? [searchDone(asked.id, 10)] : obliging(asked, socket),
      );
      expect(await outcome('zoe')).toBe('unavailable');
      liar.answer((asked, socket) =>
        asked.operation === 'search' ? entry(asked.id) : obliging(asked, socket),
      );
      expect(await outcome('zoe')).toBe('in');
    });
  });
});

describe('T207: a directory that hangs, floods or breaks off', () => {
  it('T207: counts no failed attempt, and users with a local password log in meanwhile', async () => {
    const { slapd, outcome, service } = world();
    slapd.freeze();
    try {
      // More often than wrong guesses are taken.
      const outcomes = await Promise.all(Array.from({ length: 24 }, () => outcome('bert')));
      failIfAttackSucceeded(outcomes.includes(wrong), 'what is not answered counts as a wrong guess');
      expect(new Set(outcomes)).toEqual(new Set(['unavailable']));
      expect((await service.logIn('carl')).body.code).toBe(200);
    } finally {
      slapd.thaw();
    }
    expect(await outcome('bert')).toBe('in');
  });
  const entryUUID = ['44444444-4444-4444-8444-444444444444'];
  it.each([
    [
      'answers megabytes',
      (id: number) => [
        searchEntry(id, 'uid=zoe,dc=x', { uid: ['zoe'], entryUUID, cn: ['x'.repeat(2_000_000)] }),
        searchDone(id),
      ],
    ],
    [
      'answers without end',
      (id: number) => [
        ...Array.from({ length: 50_000 }, () => searchEntry(id, 'uid=zoe,dc=x', { uid: ['zoe'], entryUUID })),
        searchDone(id),
      ],
    ],
    [
      'answers what leads out of its message',
      () => [
        Buffer.from('30840000002002010364840000001704037a6f6530840000000c300a040375696431ff', 'hex'),
        Buffer.alloc(40, 0xff),
      ],
    ],
    [
      'hangs up',
      (_id: number, socket: { destroy(): void }) => {
        socket.destroy();
        return [];
      },
    ],
  ])('T207: %s, and the service lives', async (_what, answer) => {
    const { liar, outcome } = world();
    await withLiar(async () => {
      liar.answer((asked, socket) =>
        asked.operation === 'search' ? answer(asked.id, socket) : obliging(asked, socket),
      );
      const outcomeOfLie = await outcome('zoe');
      failIfAttackSucceeded(['in', wrong].includes(outcomeOfLie), 'the answer is read');
      expect(outcomeOfLie).toBe('unavailable');
      liar.answer(obliging);
      expect(await outcome('zoe')).toBe(wrong);
    });
    expect(await outcome('anna')).toBe('in');
  });
});

describe('T208: a person who cannot sign in by the directory', () => {
  /** For the rest of the test. */
  async function admit(provisioning: 'linked' | 'invited'): Promise<void> {
    const { byAdmin } = world();
    await byAdmin('PUT', `/providers/${providerId}`, { provisioning });
    onTestFinished(async () => {
      await byAdmin('PUT', `/providers/${providerId}`, { provisioning: 'created' });
    });
  }
  it.each(['linked', 'invited'] as const)(
    'T208: gets no account where only people who are %s sign in',
    async (provisioning) => {
      const { byAdmin, slapd, outcome } = world();
      await slapd.add(personEntry(`not-${provisioning}`));
      await admit(provisioning);
      expectRefused(await outcome(`not-${provisioning}`));
      expect(await outcome('anna')).toBe('in');
      await byAdmin('PUT', `/providers/${providerId}`, { provisioning: 'created' });
      expect(await outcome(`not-${provisioning}`)).toBe('in');
    },
  );
  it('T208: is refused with an invitation that was never made, or without the password', async () => {
    const { slapd, outcome } = world();
    await slapd.add(personEntry('guest1'));
    await admit('invited');
    const invitation = await invite(5);
    expect(await outcome('guest1', 'wrong', { invitation })).toBe(wrong);
    expectRefused(await outcome('guest1', directoryPassword, { invitation: 'AAAA-AAAA-AAAA-AAAA' }));
    expectRefused(await outcome('guest1'));
  });
  it('T208: is refused with the invitation of another person', async () => {
    const { slapd, outcome, logIn } = world();
    await slapd.add(personEntry('guest2'), personEntry('guest3'));
    await admit('invited');
    const invitation = await invite(5);
    const { body } = await logIn('guest2', directoryPassword, { invitation });
    expect(decodeToken(String(body.token)).claims.nice).toBe('gina');
    expectRefused(await outcome('guest3', directoryPassword, { invitation }));
    // The stored link decides from now on.
    expect((await world().service.logIn('gina')).body.code).not.toBe(200);
    expect(await outcome('gina')).toBe('in');
  });
  async function invite(userId: number): Promise<string> {
    const path = `/users/${userId}/link-invitations`;
    const { data } = (await world().byAdmin('POST', path, { providerId })).body;
    return (data as { invitation: string }).invitation;
  }
  async function link(
    who: string,
    username: string,
    { here = password, there = directoryPassword } = {},
  ): Promise<unknown> {
    const { service, byAdmin } = world();
    const headers = { authorization: `Bearer ${await service.tokenOf(who as Username)}` };
    const { key } = (await byAdmin('GET', `/providers/${providerId}`)).body.data as { key: string };
    const body = { provider: key, oldPassword: here, username, password: there };
    const request = { method: 'POST', path: '/api/v1/user/provider-links/directory', headers, body };
    return (await service.send(request)).body.code;
  }
  it.each([
    ['here', 'bela', { here: 'wrong' }],
    ['there', 'alba', { there: 'wrong' }],
  ] as const)('T208: does not link by oneself without the password %s', async (_where, who, passwords) => {
    await world().slapd.add(personEntry(`${who}.d`));
    expectAttackFails(await link(who, `${who}.d`, passwords), { success: 200, failure: 400 });
    expect(await link(who, `${who}.d`)).toBe(200);
    expect(await world().outcome(who, directoryPassword)).toBe('in');
  });
  it('T208: cannot link an entry of the directory that is linked to another account', async () => {
    const { slapd, service, outcome } = world();
    const [linked, other] = [await addPerson(service.database), await addPerson(service.database)];
    // A recheck of later rows must not find two accounts of one person.
    onTestFinished(async () => {
      await service.database.query('delete from sessions where user_id = $1', [other.id]);
    });
    await slapd.add(personEntry('shared'));
    expect(await link(linked.username, 'shared')).toBe(200);
    expectAttackFails(await link(other.username, 'shared'), { success: 200, failure: 409 });
    expect(await outcome(linked.username, directoryPassword)).toBe('in');
  });
});

describe('T209: guesses', () => {
  it('T209: are counted as guesses at a password are', async () => {
    const { slapd, outcome } = world();
    await slapd.add(personEntry('target'));
    const outcomes = [];
    for (let guess = 0; guess < 22; guess += 1) outcomes.push(await outcome('target', `guess ${guess}`));
    expect(outcomes[0]).toBe(wrong);
    failIfAttackSucceeded(!outcomes.includes('rate_limited'), `${outcomes.length} guesses are taken`);
    expect(outcomes.at(-1)).toBe('rate_limited');
    expect(await outcome('target')).toBe('rate_limited');
    expect(await outcome('anna')).toBe('in');
  });
});

describe('T210: a person who left', () => {
  it.each([
    ['is removed', (dn: string) => world().slapd.remove(dn)],
    ['expires', (dn: string) => world().slapd.replace(dn, 'shadowExpire', ['1'])],
  ])('T210: %s, and is out when the call returns', async (_how, authorizationUrl) => {
    const { slapd, logIn, isLive, byAdmin } = world();
    const name = `leaver${Math.random().toString(36).slice(2, 8)}`;
    await slapd.add(personEntry(name));
    const leaver = String((await logIn(name)).body.token);
    const stayer = String((await logIn('anna')).body.token);
    expect(await isLive(leaver)).toBe(true);
    await byAdmin('POST', `/providers/${providerId}/recheck`);
    const before = (await byAdmin('POST', `/providers/${providerId}/recheck`)).body.data;
    expect(before).toMatchObject({ gone: 0, disabled: 0 });
    expect(await isLive(leaver)).toBe(true);
    await authorizationUrl(dnOf(name));
    // The control: nothing but the look ends it.
    expect(await isLive(leaver)).toBe(true);
    await byAdmin('POST', `/providers/${providerId}/recheck`);
    failIfAttackSucceeded(await isLive(leaver), 'the session goes on');
    expect(await isLive(stayer)).toBe(true);
  });
  it('T210: keeps the session while the directory is unreachable', async () => {
    const { slapd, logIn, isLive, call } = world();
    const token = String((await logIn('anna')).body.token);
    slapd.freeze();
    onTestFinished(() => slapd.thaw());
    const { body } = await call('POST', `/providers/${providerId}/recheck`);
    failIfAttackSucceeded(!(await isLive(token)), 'a directory that is away ends sessions');
    expect(body.code).toBe(503);
  });
  it.each([
    ['and has a session', 'racer'],
    ['and has none', 'sprinter'],
  ])('T210: %s, has no login that was verified before and is stored after', async (_what, name) => {
    const { service, slapd, logIn } = world();
    await slapd.add(personEntry(name));
    await logIn(name);
    const [link] = await service.database.query<{
      id: number;
      user_id: number;
      provider_id: number;
      subject: string;
    }>('select id::int, user_id::int, provider_id::int, subject from credentials where name = $1', [name]);
    const [{ epoch, began } = { epoch: 0, began: new Date() }] = await service.database.query<{
      epoch: number;
      began: Date;
    }>('select epoch::int, clock_timestamp() as began from providers where id = $1', [providerId]);
    const insert = (jti: string) =>
      service.database.query(
        `insert into sessions (jti, user_id, role_key, kid, epoch, issued_at, expires_at, method, factor, credential_id, provider_id, provider_epoch, link_id, began_at)
         select $1, $2, 'guest', (select kid from keys limit 1), 1, now(), now() + interval '1 hour', 'ldap', 1, $3, $4, $5, $3, $6`,
        [jti, link?.user_id, link?.id, providerId, epoch, began],
      );
    await insert(`before-the-look-of-${name}`);
    if (name === 'sprinter')
      await service.database.query('delete from sessions where link_id = $1', [link?.id]);
    await slapd.remove(dnOf(name));
    await world().byAdmin('POST', `/providers/${providerId}/recheck`);
    const stored = await insert(`after-the-look-of-${name}`).then(
      () => 'stored',
      ({ code }) => code,
    );
    expectAttackFails(stored, { success: 'stored', failure: 'PF002' });
  });
});

it('T200: a group with a filter in its name is a group and nothing else', async () => {
  const { service, slapd, outcome } = world();
  await slapd.add(
    personEntry('grouped'),
    groupEntry('x\\29\\28cn=\\2a\\29\\28cn=y', [dnOf('grouped')]),
    groupEntry('outer', [groupDn('staff')]),
  );
  expect(await outcome('grouped')).toBe('in');
  const [link] = await service.database.query<{ groups: string[] }>(
    `select groups from credentials where name = 'grouped'`,
  );
  failIfAttackSucceeded((link?.groups.length ?? 0) > 1, 'the name of the group finds other groups');
  expect(link?.groups).toEqual([`cn=x)(cn\\=*)(cn\\=y,ou=groups,${suffix}`]);
});
