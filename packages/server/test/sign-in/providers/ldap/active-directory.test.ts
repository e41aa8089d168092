// Active Directory, as Samba speaks it. It needs a separate network namespace, and so it is run by `.ci/nightly check` alone:
// PORTCULLIS_TEST_SAMBA=true unshare -n bash -c 'ip link set lo up && npx vitest run --project unit <this file>'
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SambaAd, startSambaAd } from '../../../../../../test/rig/samba-ad.ts';
import { anyAddress } from '../../../../src/base/outbound/allowed-addresses.ts';
import { createConnect } from '../../../../src/base/outbound/checked-connection.ts';
import { createHostResolver } from '../../../../src/base/outbound/host-resolver.ts';
import { createDirectory } from '../../../../src/sign-in/providers/ldap/directory.ts';
import type { DirectorySettings } from '../../../../src/sign-in/providers/ldap/directory-settings.ts';

const password = 'Directory-pass-4711';
let samba: SambaAd;

describe.runIf(process.env.PORTCULLIS_TEST_SAMBA === 'true')('a Samba domain controller', () => {
  beforeAll(async () => {
    samba = await startSambaAd();
    for (const name of ['anna', 'bert', 'reader']) await samba.tool('user', 'create', name, password);
    for (const name of ['inner', 'outer']) await samba.tool('group', 'add', name);
    await samba.tool('group', 'addmembers', 'inner', 'anna');
    await samba.tool('group', 'addmembers', 'outer', 'inner');
  }, 300_000);
  afterAll(() => samba?.stop());

  const open = (more: Partial<DirectorySettings> = {}) =>
    createDirectory({
      settings: {
        url: 'ldaps://127.0.0.1',
        dialect: 'ad',
        ca: samba.ca,
        serverName: samba.serverName,
        bindDn: 'CN=reader,CN=Users,DC=ad,DC=example,DC=com',
        baseDn: 'DC=ad,DC=example,DC=com',
        ...more,
      },
      readerPassword: password,
      connect: createConnect({ addresses: anyAddress, resolve: createHostResolver() }),
      now: Date.now,
    });
  const logIn = (username: string, typed = password) => open().authenticate({ username }, typed);

  it.each([
    ['a wrong password', 'anna', 'wrong'],
    ['an empty password', 'anna', ''],
    ['a star', '*', password],
    ['the account of a computer', 'VM$', password],
  ])('refuses %s', async (_what, username, typed) => {
    expect(await logIn(username, typed)).toBeUndefined();
  });

  it('is not asked where the name in its certificate is another one', async () => {
    await expect(open({ serverName: 'other.example' }).check()).rejects.toMatchObject({
      reason: 'certificate',
    });
  });

  it('finds a person with nested groups, by name and by objectGUID, by ldaps and StartTLS', async () => {
    const anna = await logIn('anna');
    const below = (name: string) => `cn=${name},cn=users,dc=ad,dc=example,dc=com`;
    expect(anna).toMatchObject({ username: 'anna', state: 'active', groups: ['inner', 'outer'].map(below) });
    const subject = anna?.subject ?? '';
    expect(await open().authenticate({ subject }, password)).toEqual(anna);
    expect(await open({ url: 'ldap://127.0.0.1' }).authenticate({ subject }, password)).toEqual(anna);
  });

  it('lists people with the groups that a login finds, and no computers', async () => {
    const people = await open().list();
    expect(people.find(({ username }) => username === 'anna')).toEqual(await logIn('anna'));
    expect(people.map(({ username }) => username).filter((name) => name.endsWith('$'))).toEqual([]);
  });

  it('reports disabled accounts', async () => {
    const subject = (await logIn('bert'))?.subject ?? '';
    await samba.tool('user', 'disable', 'bert');
    expect(await logIn('bert')).toBeUndefined();
    const [bert] = await open().findAll([subject], { withGroups: false });
    expect(bert?.state).toBe('disabled');
  });
});
