// The company's directory as a provider that is stored and enabled, with people who are linked to it: for suites that do not
// make it by hand.
import { createHash } from 'node:crypto';
import { encrypt } from '../../packages/server/src/base/secrets/encryption.ts';
import type { Database } from './create-database.ts';
import { sealingKey } from './master-key.ts';
import { type NewEntry, personEntry, reader, type Slapd, suffix } from './slapd.ts';

/** Who a person is in the directory, by the name there. */
function subjectOf(uid: string): string {
  const hex = createHash('sha256').update(uid).digest('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
}

/** For the start of the directory: later it assigns the ids. */
export function knownEntry(uid: string, more: NewEntry['attributes'] = {}): NewEntry {
  return personEntry(uid, { ...more, entryUUID: subjectOf(uid) });
}

interface DirectoryProvider {
  readonly key: string;
  readonly name: string;
  /** Users, who are called the same in the directory. */
  readonly linked: readonly string[];
}

/** Its id. It is not looked at again automatically while a suite runs. */
export async function addDirectoryProvider(
  database: Database,
  { url, ca }: Pick<Slapd, 'url' | 'ca'>,
  { key, name, linked }: DirectoryProvider,
): Promise<number> {
  const settings = { url, ca, dialect: 'ldap', bindDn: reader.dn, baseDn: suffix, recheckMinutes: 1440 };
  const [row] = await database.query<{ id: number }>(
    `insert into providers (key, kind, name, enabled, settings) values ($1, 'ldap', $2, true, $3) returning id::int`,
    [key, name, JSON.stringify(settings)],
  );
  const id = row?.id ?? 0;
  const sealed = encrypt(Buffer.from(reader.password), sealingKey, `secret of provider ${id}`);
  await database.query('update providers set sealed_secret = $2 where id = $1', [id, sealed]);
  for (const username of linked)
    await database.query(
      `insert into credentials (user_id, kind, factor, provider_id, subject, name, confirmed_at, used_at)
       select id, 'link', 1, $2, $3, username, clock_timestamp(), clock_timestamp() from users where username = $1`,
      [username, id, subjectOf(username)],
    );
  return id;
}
