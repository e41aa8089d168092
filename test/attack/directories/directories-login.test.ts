// Threats T200 to T210: directories, against the running service, a real slapd and one that lies. Every refusal has a control
// beside it that succeeds.
import { Client } from 'ldapts';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  bindResult,
  extendedResult,
  obliging,
  searchDone,
  searchEntry,
  searchReference,
} from '../../rig/false-directory.ts';
import { password } from '../../rig/seed.ts';
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
import { useDirectoryWorld } from './world.ts';

const world = useDirectoryWorld();
const wrong = 'credentials_wrong';
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

/** Where somebody lied, the truth is back. */
afterEach(() => world().liar.answer(obliging));

it('T200: the control of all: who is in the directory gets in, as an account of one’s own', async () => {
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
    'x)(|(uid=anna',
    'anna)(objectClass=*',
    'anna)(&',
    'an\\6ea',
    '(anna)',
    'anna\0',
    '\\2a',
  ])('T200: %j finds nobody', async (name) => {
    expect(await world().outcome(name)).toBe(wrong);
  });
  it('T200: while a filter that is put together of text finds somebody by them', async () => {
    const careless = (name: string) => naive(`(|(uid=${name})(mail=${name}))`);
    expect(await careless('*')).toBeGreaterThan(1);
    expect(await careless('ann*')).toBe(1);
    expect(await careless('x)(uid=anna')).toBe(1);
    expect(await world().outcome('x)(uid=anna')).toBe(wrong);
    expect(await world().outcome('anna')).toBe('in');
  });
});

describe('T201: no password', () => {
  it('T201: is refused before the directory is asked, which would have said yes', async () => {
    expect(await world().outcome('anna', '')).toBe('params_invalid');
    // The control: a bind without a password succeeds on a real slapd.
    const client = new Client({ url: plainUrl() });
    await client.bind(dnOf('anna'), '');
    await expect(client.bind(dnOf('anna'), 'wrong')).rejects.toThrow();
    await client.unbind();
  });
  it('T201: is refused where the reader has none', async () => {
    const { call, slapd } = world();
    const settings = { url: slapd.url, dialect: 'ldap', ca: slapd.ca, readerDn: reader.dn, baseDn: suffix };
    const body = { key: 'no-secret', kind: 'ldap', name: 'No secret', settings };
    const { id } = (await call('POST', '/providers', body)).body.data as { id: number };
    const enabled = await call('PUT', `/providers/${id}/enabled`, { enabled: true });
    expect(enabled.body.code).toBe(409);
    await world().byAdmin('PUT', `/providers/${id}`, { secret: reader.password });
    await world().byAdmin('PUT', `/providers/${id}/enabled`, { enabled: true });
    await world().byAdmin('DELETE', `/providers/${id}`);
  });
});

describe('T202: who is not one person, or not let in there', () => {
  it.each([
    ['two with one name', 'twin'],
    ['one whose account has expired', 'expired'],
    ['nobody', 'nobody'],
  ])('T202: %s is refused', async (_who, name) => {
    expect(await world().outcome(name)).toBe(wrong);
  });
  it('T202: and let in when that is over', async () => {
    const { slapd, outcome } = world();
    await slapd.remove(`uid=twin,ou=groups,${suffix}`);
    expect(await outcome('twin')).toBe('in');
    await slapd.replace(dnOf('expired'), 'shadowExpire', ['-1']);
    expect(await outcome('expired')).toBe('in');
  });
});

describe('T203: the name of a local account', () => {
  it('T203: is never verified by the directory, whatever password its namesake has there', async () => {
    expect(await world().outcome('ada')).toBe(wrong);
    expect(await world().outcome('ADA ')).toBe(wrong);
    expect(await world().outcome('carl')).toBe(wrong);
    expect(await world().outcome('anna')).toBe('in');
    expect((await world().service.logIn('carl')).body.code).toBe(200);
  });
  it('T203: gets no link by its mail address or its name', async () => {
    const { slapd, logIn } = world();
    await slapd.add(personEntry('mailer', { mail: 'ada@example.com', cn: 'Ada', displayName: 'ada' }));
    const { claims } = decodeToken(String((await logIn('mailer')).body.token));
    expect(claims.rolekey).toBe('guest');
    expect(claims.nice).toMatch(/^mailer@/);
  });
});

describe('T204: a name that somebody else has now', () => {
  it('T204: does not give the account of who had it before', async () => {
    const { slapd, logIn, outcome } = world();
    await slapd.add(personEntry('gerd'));
    const before = decodeToken(String((await logIn('gerd')).body.token)).claims;
    await slapd.rename(dnOf('gerd'), dnOf('gerda'));
    await slapd.add(personEntry('gerd', { userPassword: 'another person' }));
    const other = decodeToken(String((await logIn('gerd', 'another person')).body.token)).claims;
    expect(other.sub).not.toBe(before.sub);
    // By the name of the account the link decides, and it is the first person's.
    expect(await outcome(String(before.nice), 'another person')).toBe(wrong);
    const again = decodeToken(String((await logIn(String(before.nice))).body.token)).claims;
    expect(again.sub).toBe(before.sub);
    const renamed = decodeToken(String((await logIn('gerda')).body.token)).claims;
    expect(renamed.sub).toBe(before.sub);
  });
  it('T204: nor does an entry that was removed and made anew', async () => {
    const { slapd, logIn } = world();
    await slapd.add(personEntry('kurt'));
    const before = decodeToken(String((await logIn('kurt')).body.token)).claims;
    await slapd.remove(dnOf('kurt'));
    await slapd.add(personEntry('kurt'));
    const after = decodeToken(String((await logIn('kurt')).body.token)).claims;
    expect(after.sub).not.toBe(before.sub);
  });
});

describe('T205: somebody on the way to the directory', () => {
  const settingsOf = (more: object) => ({
    settings: {
      url: world().slapd.url,
      dialect: 'ldap',
      ca: world().slapd.ca,
      readerDn: reader.dn,
      baseDn: suffix,
      ...more,
    },
  });
  async function enable(more: object): Promise<number> {
    const { call, byAdmin } = world();
    const body = {
      key: `way${Math.random().toString(36).slice(2, 10)}`,
      kind: 'ldap',
      name: 'Way',
      secret: reader.password,
    };
    const created = await call('POST', '/providers', { ...body, ...settingsOf(more) });
    if (created.body.code !== 200) return Number(created.body.code);
    const { id } = created.body.data as { id: number };
    const { body: answer } = await call('PUT', `/providers/${id}/enabled`, { enabled: true });
    await byAdmin('DELETE', `/providers/${id}`);
    return Number(answer.code);
  }
  it('T205: finds no certificate that is taken: another name, another authority, none at all', async () => {
    const { authority, slapd, liar } = world();
    expect(await enable({ serverName: 'other.example' })).toBe(409);
    expect(await enable({ ca: authority.certificate })).toBe(409);
    expect(await enable({ url: liar.url })).toBe(409);
    expect(await enable({ url: slapd.startTlsUrl, serverName: 'other.example' })).toBe(409);
    expect(await enable({})).toBe(200);
    expect(await enable({ url: slapd.startTlsUrl })).toBe(200);
  });
  it.each([
    ['refuses StartTLS', [extendedResult(1, 2)]],
    ['adds an answer of its own behind it', [Buffer.concat([extendedResult(1), bindResult(2)])]],
    ['answers in plain text', [bindResult(1)]],
  ])('T205: %s, and hears no password', async (_what, answers) => {
    const { liar, authority } = world();
    const honest = { url: liar.startTlsUrl, ca: authority.certificate };
    liar.answer((asked, socket) => (asked.operation === 'extended' ? answers : obliging(asked, socket)));
    const before = liar.asked.length;
    expect(await enable(honest)).toBe(409);
    expect(liar.asked.slice(before).some(({ operation }) => operation === 'bind')).toBe(false);
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
    expect(await enable({ url })).toBe(400);
  });
});

describe('T206: a directory that refers elsewhere', () => {
  it('T206: is not followed, neither in a search nor for a password', async () => {
    const { liar, addProvider, authority, byAdmin, outcome, slapd } = world();
    await byAdmin('PUT', `/providers/${providerId}`, { isDefault: false });
    const id = await addProvider({}, { url: liar.url, ca: authority.certificate });
    const entry = (n: number) => [
      searchEntry(n, 'uid=zoe,dc=example,dc=com', {
        uid: ['zoe'],
        entryUUID: ['33333333-3333-4333-8333-333333333333'],
      }),
      searchDone(n),
    ];
    liar.answer((asked, socket) =>
      asked.operation === 'search'
        ? [searchReference(asked.id, `${slapd.url}/${suffix}??sub`), searchDone(asked.id)]
        : obliging(asked, socket),
    );
    expect(await outcome('anna')).toBe(wrong);
    liar.answer((asked, socket) =>
      asked.operation === 'search' ? [searchDone(asked.id, 10)] : obliging(asked, socket),
    );
    expect(await outcome('anna')).toBe('unavailable');
    liar.answer((asked, socket) =>
      asked.operation === 'search' ? entry(asked.id) : obliging(asked, socket),
    );
    expect(await outcome('zoe')).toBe('in');
    await byAdmin('DELETE', `/providers/${id}`);
    await byAdmin('PUT', `/providers/${providerId}`, { isDefault: true });
  });
});

describe('T207: a directory that hangs, floods or breaks off', () => {
  it('T207: is away, which is no wrong guess, and whoever has a password here gets in meanwhile', async () => {
    const { slapd, outcome, service } = world();
    slapd.freeze();
    try {
      // More often than wrong guesses are taken.
      const outcomes = await Promise.all(Array.from({ length: 24 }, () => outcome('bert')));
      expect(new Set(outcomes)).toEqual(new Set(['unavailable']));
      expect((await service.logIn('carl')).body.code).toBe(200);
    } finally {
      slapd.thaw();
    }
    expect(await outcome('bert')).toBe('in');
  });
  it.each([
    [
      'answers megabytes',
      (id: number) => [searchEntry(id, 'uid=zoe,dc=x', { uid: ['x'.repeat(2_000_000)] })],
    ],
    [
      'answers without end',
      (id: number) => Array.from({ length: 50_000 }, () => searchEntry(id, 'uid=zoe,dc=x', { uid: ['zoe'] })),
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
    const { liar, addProvider, authority, byAdmin, outcome } = world();
    await byAdmin('PUT', `/providers/${providerId}`, { isDefault: false });
    const id = await addProvider({}, { url: liar.url, ca: authority.certificate });
    liar.answer((asked, socket) =>
      asked.operation === 'search' ? answer(asked.id, socket) : obliging(asked, socket),
    );
    expect(await outcome('zoe')).toBe('unavailable');
    liar.answer(obliging);
    expect(await outcome('zoe')).toBe(wrong);
    await byAdmin('DELETE', `/providers/${id}`);
    await byAdmin('PUT', `/providers/${providerId}`, { isDefault: true });
    expect(await outcome('anna')).toBe('in');
  });
});

describe('T208: who may not come in by the directory', () => {
  it('T208: is not created where only who is linked or invited is let in', async () => {
    const { byAdmin, slapd, outcome } = world();
    await slapd.add(personEntry('late'));
    for (const admission of ['linked', 'invited']) {
      await byAdmin('PUT', `/providers/${providerId}`, { admission });
      expect(await outcome('late')).toBe(wrong);
      expect(await outcome('anna')).toBe('in');
    }
    await byAdmin('PUT', `/providers/${providerId}`, { admission: 'created' });
    expect(await outcome('late')).toBe('in');
  });
  it('T208: links by an invitation once, to the one who was invited', async () => {
    const { byAdmin, slapd, outcome, logIn } = world();
    await slapd.add(personEntry('guest1'), personEntry('guest2'));
    await byAdmin('PUT', `/providers/${providerId}`, { admission: 'invited' });
    const { invitation } = (await byAdmin('POST', '/users/5/link-invitations', { providerId })).body.data as {
      invitation: string;
    };
    expect(await outcome('guest1', 'wrong', { invitation })).toBe(wrong);
    expect(await outcome('guest1', directoryPassword, { invitation: 'AAAA-AAAA-AAAA-AAAA' })).toBe(wrong);
    const { body } = await logIn('guest1', directoryPassword, { invitation });
    expect(decodeToken(String(body.token)).claims.nice).toBe('gina');
    expect(await outcome('guest2', directoryPassword, { invitation })).toBe(wrong);
    // The stored link decides from now on.
    expect((await world().service.logIn('gina')).body.code).not.toBe(200);
    expect(await outcome('gina')).toBe('in');
    await byAdmin('PUT', `/providers/${providerId}`, { admission: 'created' });
  });
  it('T208: links by oneself with both passwords, and a person of the directory to one account', async () => {
    const { service, slapd, outcome } = world();
    await slapd.add(personEntry('bela.d'));
    const link = async (who: 'bela' | 'alba', oldPassword: string, ofDirectory: string) => {
      const headers = { authorization: `Bearer ${await service.tokenOf(who)}` };
      const { key } = ((await world().byAdmin('GET', `/providers/${providerId}`)).body.data ?? {}) as {
        key: string;
      };
      const body = { provider: key, oldPassword, username: 'bela.d', password: ofDirectory };
      return (await service.send({ method: 'POST', path: '/api/v1/user/links/directory', headers, body }))
        .body.code;
    };
    expect(await link('bela', 'wrong', directoryPassword)).toBe(400);
    expect(await link('bela', password, 'wrong')).toBe(400);
    expect(await link('bela', password, directoryPassword)).toBe(200);
    expect(await link('alba', password, directoryPassword)).toBe(409);
    expect(await outcome('bela', directoryPassword)).toBe('in');
  });
});

describe('T209: guesses', () => {
  it('T209: are counted as those of a password are', async () => {
    const { slapd, outcome } = world();
    await slapd.add(personEntry('target'));
    const outcomes = [];
    for (let guess = 0; guess < 22; guess += 1) outcomes.push(await outcome('target', `guess ${guess}`));
    expect(outcomes[0]).toBe(wrong);
    expect(outcomes.at(-1)).toBe('rate_limited');
    expect(await outcome('target')).toBe('rate_limited');
    expect(await outcome('anna')).toBe('in');
  });
});

describe('T210: somebody who left', () => {
  it.each([
    ['is removed', (dn: string) => world().slapd.remove(dn)],
    ['expires', (dn: string) => world().slapd.replace(dn, 'shadowExpire', ['1'])],
  ])('T210: %s, and is out when the call returns', async (_how, leave) => {
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
    await leave(dnOf(name));
    // The control: nothing but the look ends it.
    expect(await isLive(leaver)).toBe(true);
    await byAdmin('POST', `/providers/${providerId}/recheck`);
    expect(await isLive(leaver)).toBe(false);
    expect(await isLive(stayer)).toBe(true);
  });
  it('T210: stays in while the directory is away, which says nothing of anybody', async () => {
    const { slapd, logIn, isLive, call } = world();
    const token = String((await logIn('anna')).body.token);
    slapd.freeze();
    const { body } = await call('POST', `/providers/${providerId}/recheck`);
    slapd.thaw();
    expect(body.code).toBe(503);
    expect(await isLive(token)).toBe(true);
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
    }>(
      `select credentials.id::int, user_id::int, provider_id::int, subject from credentials join users on users.id = user_id where username like $1`,
      [`${name}@%`],
    );
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
    await expect(insert(`after-the-look-of-${name}`)).rejects.toMatchObject({ code: 'PF002' });
  });
});

it('T200: a group with a filter in its name is a group and nothing else', async () => {
  const { slapd, outcome } = world();
  await slapd.add(
    personEntry('grouped'),
    groupEntry('x\\29\\28uid=\\2a', [dnOf('grouped')]),
    groupEntry('outer', [groupDn('staff')]),
  );
  expect(await outcome('grouped')).toBe('in');
});
