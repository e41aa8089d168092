import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAuthority } from '../../../../../../test/rig/certificates.ts';
import {
  directoryPassword,
  dnOf,
  groupDn,
  groupEntry,
  type NewEntry,
  personEntry,
  reader,
  type Slapd,
  startSlapd,
  suffix,
} from '../../../../../../test/rig/slapd.ts';
import { anyAddress } from '../../../../src/base/outbound/allowed-addresses.ts';
import { createConnect } from '../../../../src/base/outbound/checked-connection.ts';
import { createHostResolver } from '../../../../src/base/outbound/host-resolver.ts';
import { createDirectory, type GroupedPerson } from '../../../../src/sign-in/providers/ldap/directory.ts';
import type { DirectorySettings } from '../../../../src/sign-in/providers/ldap/directory-settings.ts';
import { canonicalDn } from '../../../../src/sign-in/providers/ldap/distinguished-name.ts';

let slapd: Slapd;
beforeAll(async () => {
  slapd = await startSlapd();
  await slapd.add(
    personEntry('anna'),
    personEntry('bert', { shadowExpire: '1' }),
    personEntry('cora', { shadowExpire: String(Math.ceil(Date.now() / 86_400_000) + 10) }),
    personEntry('eva braun'),
    personEntry('twin'),
    { ...personEntry('twin'), dn: `uid=twin,ou=groups,${suffix}` },
    personEntry('many', { uid: ['many', 'alias'] }),
    groupEntry('staff', [dnOf('anna'), dnOf('cora')]),
    groupEntry('everybody', [groupDn('staff')]),
    groupEntry('loop', [groupDn('everybody')]),
  );
  await slapd.replace(groupDn('staff'), 'member', [dnOf('anna'), dnOf('cora'), groupDn('loop')]);
});
afterAll(() => slapd?.stop());

const connect = createConnect({ addresses: anyAddress, resolve: createHostResolver() });
function open(
  more: Partial<DirectorySettings> = {},
  readerPassword = reader.password,
  times: { connectMilliseconds?: number; loginMilliseconds?: number } = {},
  reportLimits: (people: readonly GroupedPerson[]) => void = () => {},
) {
  const settings: DirectorySettings = {
    url: slapd.url,
    dialect: 'ldap',
    ca: slapd.ca,
    bindDn: reader.dn,
    baseDn: suffix,
    ...more,
  };
  return createDirectory({ settings, readerPassword, connect, now: Date.now, reportLimits, ...times });
}
const logIn = (username: string, password = directoryPassword) => open().authenticate({ username }, password);

describe('a login', () => {
  it.each([
    ['a wrong password', 'anna', 'wrong'],
    ['an empty password', 'anna', ''],
    ['an unknown name', 'nobody', directoryPassword],
    ['a name that two have', 'twin', directoryPassword],
    ['a star', '*', directoryPassword],
    ['the beginning of a name', 'ann*', directoryPassword],
    ['a filter in the name', 'x)(|(uid=anna)', directoryPassword],
    ['a name with more spaces than it has', 'eva  braun', directoryPassword],
    ['a name with a NUL', 'anna\0', directoryPassword],
    ['one of several names', 'alias', directoryPassword],
    ['a distinguished name', dnOf('anna'), directoryPassword],
  ])('refuses %s', async (_what, username, password) => {
    expect(await logIn(username, password)).toBeUndefined();
  });

  it('refuses an invalid subject, and an unknown one', async () => {
    for (const subject of ['', '*', 'anna', '00000000-0000-0000-0000-000000000000'])
      expect(await open().authenticate({ subject }, directoryPassword)).toBeUndefined();
  });
});

describe('a directory with a wrong certificate', () => {
  it('is not asked where the name in its certificate is another one', async () => {
    const other = open({ serverName: 'other.example' });
    await expect(other.check()).rejects.toMatchObject({ reason: 'certificate' });
    const byStartTls = open({ url: slapd.startTlsUrl, serverName: 'other.example' });
    await expect(byStartTls.check()).rejects.toMatchObject({ reason: 'certificate' });
  });

  it('is not asked where another authority signed it', async () => {
    const { certificate } = await createAuthority(await mkdtemp(join(tmpdir(), 'portcullis-ca-')), 'another');
    await expect(open({ ca: certificate }).check()).rejects.toMatchObject({ reason: 'certificate' });
  });

  it('is unavailable where the port refuses, where it hangs, and where it refuses the reader', async () => {
    await expect(open({ url: 'ldaps://localhost:1' }).check()).rejects.toMatchObject({
      reason: 'unreachable',
    });
    await expect(open({}, 'wrong').check()).rejects.toMatchObject({ reason: 'reader_refused' });
    await expect(open({}, '').check()).rejects.toMatchObject({ reason: 'reader_refused' });
    slapd.freeze();
    try {
      const startedAt = performance.now();
      await expect(open().check()).rejects.toMatchObject({ reason: 'slow' });
      expect(performance.now() - startedAt).toBeLessThan(2500);
    } finally {
      slapd.thaw();
    }
  });
});

describe('a person in the directory', () => {
  it('is found by name, whatever the capitals, with all groups above the own ones', async () => {
    const anna = await logIn('ANNA');
    expect(anna).toMatchObject({ username: 'anna', state: 'active', dn: dnOf('anna') });
    const groups = ['everybody', 'loop', 'staff'].map((name) => canonicalDn(groupDn(name)));
    expect(anna?.groups).toEqual(groups);
    expect(anna?.subject).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('is the same by subject, and after a change of name', async () => {
    await slapd.add(personEntry('gerd'));
    const subject = (await logIn('gerd'))?.subject ?? '';
    await slapd.rename(dnOf('gerd'), dnOf('gerda'));
    await slapd.add(personEntry('gerd', { userPassword: 'the other one' }));
    const found = await open().authenticate({ subject }, directoryPassword);
    expect(found).toMatchObject({ subject, username: 'gerda' });
    expect((await logIn('gerd', 'the other one'))?.subject).not.toBe(subject);
    expect(await open().authenticate({ subject }, 'the other one')).toBeUndefined();
  });

  it('is expired where the directory says so', async () => {
    expect((await logIn('bert'))?.state).toBe('expired');
    expect((await logIn('cora'))?.state).toBe('active');
    expect((await logIn('eva braun'))?.state).toBe('active');
  });

  it('is found by way of StartTLS', async () => {
    const found = await open({ url: slapd.startTlsUrl }).authenticate(
      { username: 'anna' },
      directoryPassword,
    );
    expect(found?.username).toBe('anna');
  });
});

it('lists every person, page by page, with the groups that a login finds', async () => {
  const entries = Array.from({ length: 1203 }, (_, n) => personEntry(`p${n}`));
  const large = await startSlapd({ entries });
  try {
    await large.add(groupEntry('staff', [dnOf('p0'), dnOf('p1202')]), groupEntry('all', [groupDn('staff')]));
    const directory = open({ url: large.url, ca: large.ca });
    const people = await directory.list();
    expect(people).toHaveLength(1203);
    const last = people.find(({ username }) => username === 'p1202');
    expect(last).toEqual(await directory.authenticate({ username: 'p1202' }, directoryPassword));
    expect(last?.groups).toEqual(['all', 'staff'].map((name) => canonicalDn(groupDn(name))));
  } finally {
    await large.stop();
  }
});

it('says when the certificate ends', async () => {
  const { certificateEndsAt } = await open().check();
  expect(certificateEndsAt.getTime()).toBeGreaterThan(Date.now() + 20 * 86_400_000);
});

describe('a person whose groups exceed a limit', () => {
  const nested = 12;
  const wide = 1001;
  const levels = 9;
  const perLevel = 40;
  /** With `memberOf`, as a directory computes it. */
  const group = (name: string, parents: readonly string[]): NewEntry => {
    const { dn, attributes } = groupEntry(name, [dnOf('other')]);
    return {
      dn,
      attributes: { ...attributes, ...(parents.length > 0 && { memberOf: parents.map(groupDn) }) },
    };
  };
  const person = (uid: string, groups: readonly string[]) =>
    personEntry(uid, { memberOf: groups.map(groupDn) });
  const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);
  const entries = [
    person('deep', ['n0']),
    person('deepest', ['n1']),
    person(
      'wide',
      numbers(wide).map((n) => `w${n}`),
    ),
    person(
      'almost',
      numbers(wide - 1).map((n) => `w${n}`),
    ),
    person(
      'lattice',
      numbers(perLevel).map((n) => `l0-${n}`),
    ),
    person('plain', ['plain']),
    group('plain', []),
    ...numbers(nested).map((n) => group(`n${n}`, n + 1 < nested ? [`n${n + 1}`] : [])),
    ...numbers(wide).map((n) => group(`w${n}`, [])),
    // Each group is in all of the next level: 40 to the power of 9 ways lead up, by 360 groups.
    ...numbers(levels).flatMap((level) =>
      numbers(perLevel).map((n) =>
        group(`l${level}-${n}`, level + 1 < levels ? numbers(perLevel).map((m) => `l${level + 1}-${m}`) : []),
      ),
    ),
  ];
  const expected = {
    deep: 'groups_too_deep',
    deepest: nested - 1,
    wide: 'too_many_groups',
    almost: wide - 1,
    lattice: levels * perLevel,
    plain: 1,
  };
  let large: Slapd;
  beforeAll(async () => {
    large = await startSlapd({ entries });
  });
  afterAll(() => large?.stop());
  const read = ({ groups }: GroupedPerson) => (typeof groups === 'string' ? groups : groups.length);
  const namesOf = (people: readonly GroupedPerson[]) => people.map(({ username }) => username).sort();

  it('returns the others with their groups, and reports the person and the limit', async () => {
    const reported: GroupedPerson[][] = [];
    const report = (people: readonly GroupedPerson[]) => void reported.push([...people]);
    const directory = open({ url: large.url, ca: large.ca }, reader.password, {}, report);
    const people = await directory.list();
    expect(Object.fromEntries(people.map((each) => [each.username, read(each)]))).toEqual(expected);
    const subjects = people.map(({ subject }) => subject);
    const found = await directory.findAll(subjects, { withGroups: true });
    expect(Object.fromEntries(found.map((each) => [each.username, read(each)]))).toEqual(expected);
    expect(reported.map(namesOf)).toEqual([
      ['deep', 'wide'],
      ['deep', 'wide'],
    ]);
    await directory.findAll(subjects, { withGroups: false });
    expect(reported).toHaveLength(2);
  });

  it('returns the same at a login', async () => {
    const reported: GroupedPerson[][] = [];
    const report = (people: readonly GroupedPerson[]) => void reported.push([...people]);
    const times = { loginMilliseconds: 60_000 };
    const directory = open({ url: large.url, ca: large.ca }, reader.password, times, report);
    for (const [username, groups] of Object.entries(expected)) {
      const found = await directory.authenticate({ username }, directoryPassword);
      expect(found && read(found)).toBe(groups);
    }
    expect(reported.map(namesOf)).toEqual([['deep'], ['wide']]);
  });
});
