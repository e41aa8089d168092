// T287 in numbers: some people of a company are in groups that exceed the limits, and one recheck of the directory still signs out
// all people who have left. Small in `.ci/run`, and of full size at night.
import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { dnOf, groupDn, groupEntry, type NewEntry, personEntry } from '../../rig/slapd.ts';
import { size } from '../size.ts';
import { useDirectoryWorld } from './world.ts';

const people = size({ small: 1000, full: 100_000 });
/** Of a hundred people one is gone, one disabled, and one in groups that are made to be too many. */
const kindOf = (n: number) => ({ 7: 'gone', 8: 'disabled', 9: 'hostile' })[n % 100] ?? 'stays';
const hostility = (n: number) => (['deep', 'wide', 'lattice'] as const)[Math.floor(n / 100) % 3] ?? 'deep';

/** In milliseconds: rows by the hundred thousand. */
const preparation = 600_000;
const nested = 12;
const wide = 1001;
const levels = 9;
const perLevel = 40;
const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);

function groupsOf(n: number): string[] {
  if (kindOf(n) !== 'hostile') return ['plain'];
  if (hostility(n) === 'deep') return ['deep0'];
  if (hostility(n) === 'wide') return numbers(wide).map((m) => `wide${m}`);
  // Of 40, in several combinations: what was climbed for one of them says nothing of the next.
  return numbers(perLevel).flatMap((m) => (m === Math.floor(n / 300) % perLevel ? [] : [`level0-${m}`]));
}

function group(name: string, parents: readonly string[]): NewEntry {
  const { dn, attributes } = groupEntry(name, [dnOf('p0')]);
  return { dn, attributes: { ...attributes, ...(parents.length > 0 && { memberOf: parents.map(groupDn) }) } };
}

const subjects = numbers(people).map(() => randomUUID());
const entries: NewEntry[] = [
  ...subjects.flatMap((entryUUID, n) => {
    if (kindOf(n) === 'gone') return [];
    const state = kindOf(n) === 'disabled' ? { shadowExpire: '1' } : {};
    return [personEntry(`p${n}`, { entryUUID, memberOf: groupsOf(n).map(groupDn), ...state })];
  }),
  group('plain', []),
  ...numbers(nested).map((n) => group(`deep${n}`, n + 1 < nested ? [`deep${n + 1}`] : [])),
  ...numbers(wide).map((n) => group(`wide${n}`, [])),
  // Each is in all of the next level.
  ...numbers(levels).flatMap((level) => {
    const parents = level + 1 < levels ? numbers(perLevel).map((m) => `level${level + 1}-${m}`) : [];
    return numbers(perLevel).map((n) => group(`level${level}-${n}`, parents));
  }),
];

const world = useDirectoryWorld({ entries });
let providerId = 0;
beforeAll(async () => {
  const { service, addProvider } = world();
  const { database } = service;
  providerId = await addProvider({}, { recheckMinutes: 1440 });
  await database.query(`update providers set role_source = 'every_login' where id = $1`, [providerId]);
  await database.query(
    `insert into provider_mappings (provider_id, position, group_name, role_id) values ($1, 1, '*', 5)`,
    [providerId],
  );
  // Every session would hold its locks until all are stored.
  await database.query('alter table sessions disable trigger user');
  await database.query(
    `with made as (
       insert into users (username, canonical_username, nick_name, department_id, role_id, password_hash)
       select 'linked' || n, 'linked' || n, 'Linked', 1, 5, '!' from generate_series(0, $1::int - 1) as n returning id, username
     ), linked as (
       insert into credentials (user_id, kind, factor, provider_id, subject, name, confirmed_at)
       select id, 'link', 1, $2, ($3::text[])[substr(username, 7)::int + 1], username, now() from made
       returning id, user_id, name
     )
     insert into sessions (jti, user_id, role_key, kid, epoch, issued_at, expires_at, method, factor, credential_id,
       provider_id, provider_epoch, link_id, began_at)
     select 'session-of-' || name, user_id, 'guest', (select kid from keys limit 1), 1, now(), now() + interval '1 hour',
       'ldap', 1, id, $2, (select epoch from providers where id = $2), id, now() from linked`,
    [people, providerId, subjects],
  );
  await database.query('alter table sessions enable trigger user');
  // As Postgres does automatically a minute after so many rows.
  await database.query('analyze users, credentials, sessions');
}, preparation);

it('T287: ends the sessions of all people who left or whose groups exceed a limit, by one call, and keeps all others', async () => {
  const { service, byAdmin } = world();
  const startedAt = performance.now();
  const { data } = (await byAdmin('POST', `/providers/${providerId}/recheck`)).body;
  const seconds = (performance.now() - startedAt) / 1000;
  console.log(`${people} people, ${people / 100} in hostile groups: looked for in ${seconds.toFixed(1)} s`);
  const all = numbers(people);
  const count = (is: (n: number) => boolean) => all.filter(is).length;
  const isBeyond = (n: number) => kindOf(n) === 'hostile' && hostility(n) !== 'lattice';
  expect(data).toEqual({
    people,
    gone: count((n) => kindOf(n) === 'gone'),
    disabled: count((n) => kindOf(n) === 'disabled'),
    unmapped: count(isBeyond),
    moved: 0,
  });
  const left = await service.database.query<{ n: number }>(
    `select substr(jti, 18)::int as n from sessions where jti like 'session-of-linked%'`,
  );
  const expected = all.filter((n) => !['gone', 'disabled'].includes(kindOf(n)) && !isBeyond(n));
  expect(left.map(({ n }) => n).sort((a, b) => a - b)).toEqual(expected);
});
