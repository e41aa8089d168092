// Faults that are planted in a directory, which doctor must find; before each it is well.

import { createSealedSecrets } from '@portcullis/server/base/secrets/sealed-secrets.ts';
import { openStore, type Store } from '@portcullis/server/cluster/store/store.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDatabase, type Database } from '../../../../test/rig/create-database.ts';
import { sealingKey } from '../../../../test/rig/master-key.ts';
import { reader, type Slapd, startSlapd, suffix } from '../../../../test/rig/slapd.ts';
import { checkDirectories } from '../../src/doctor/directory-checks.ts';

let slapd: Slapd;
let ending: Slapd;
let database: Database;
let store: Store;
beforeAll(async () => {
  [slapd, ending, database] = await Promise.all([
    startSlapd(),
    startSlapd({ certificateDays: 3 }),
    createDatabase({ migrated: true }),
  ]);
  store = openStore({ url: database.url, poolSize: 2, onConnectionLost: () => {} });
});
afterAll(async () => {
  await store?.destroy();
  await Promise.all([slapd?.stop(), ending?.stop(), database?.drop()]);
});

async function look(settings: object = {}, { secret = reader.password, key = sealingKey } = {}) {
  await database.query('delete from providers');
  const stored = {
    url: slapd.url,
    dialect: 'ldap',
    ca: slapd.ca,
    bindDn: reader.dn,
    baseDn: suffix,
    ...settings,
  };
  const [row] = await database.query<{ id: number }>(
    `insert into providers (key, kind, name, enabled, settings) values ('company', 'ldap', 'Company', true, $1) returning id::int`,
    [JSON.stringify(stored)],
  );
  const sealed = createSealedSecrets('provider', [key]).seal(row?.id ?? 0, Buffer.from(secret));
  await database.query('update providers set sealed_secret = $1', [sealed]);
  return await checkDirectories({ store, sealingKeys: [sealingKey] });
}

it('is well without directories, and where each accepts its reader', async () => {
  await database.query('delete from providers');
  expect((await checkDirectories({ store, sealingKeys: [sealingKey] })).status).toBe('well');
  expect(await look()).toMatchObject({ status: 'well', text: '1, and each lets its reader in' });
});

it.each([
  ['the port refuses', { url: 'ldaps://localhost:1' }, {}, /host, port and firewall/],
  ['its certificate has another name', { serverName: 'other.example' }, {}, /another name than the address/],
  ['its reader has another password', {}, { secret: 'wrong' }, /`bindDn` and the secret/],
  ['its base is not there', { baseDn: 'dc=nowhere' }, {}, /baseDn/],
  ['its secret cannot be decrypted', {}, { key: Buffer.alloc(32, 7) }, /signing-keys reseal/],
])('is wrong where %s', async (_what, settings, secret, remedy) => {
  const found = await look(settings, secret);
  expect(found.status).toBe('wrong');
  expect(found.text).toMatch(/^company: /);
  expect(found.remedies.join(' ')).toMatch(remedy);
});

it('warns of a certificate that ends soon', async () => {
  const found = await look({ url: ending.url, ca: ending.ca });
  expect(found).toMatchObject({ status: 'warning', text: 'company: its certificate ends soon' });
  expect(found.remedies.join(' ')).toMatch(/ends in 2 days.*Renew it/);
});
