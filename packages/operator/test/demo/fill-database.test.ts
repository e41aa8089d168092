// The demo's company in a real database.

import { randomBytes } from 'node:crypto';
import { loadConfig } from '@portcullis/server/base/settings/config.ts';
import { findDeployment } from '@portcullis/server/cluster/store/deployment.ts';
import { verifyAudit, verifyLoginLog } from '@portcullis/server/logs/evidence/verify.ts';
import { createPasswordHashes } from '@portcullis/server/sign-in/login/credentials/password-hashes.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { masterKey } from '../../../../test/rig/master-key.ts';
import { createFreshDatabase, type FreshDatabase } from '../../../server/test/fresh-database.ts';
import { departments, people, roles } from '../../src/demo/company.ts';
import { fillDatabase } from '../../src/demo/fill-database.ts';

let database: FreshDatabase;
let deployment: string;
const passwords = { administrator: 'marble-tunnel-forty', others: 'lantern-orchard-nine' };
const settings = () =>
  loadConfig({
    values: {
      ...{ application: { mode: 'dev' }, database: { url: database.url }, auth: { masterKey } },
      hash: { memoryKibibytes: 8192, passes: 1 },
    },
    environment: {},
  });
beforeAll(async () => {
  database = await createFreshDatabase();
  deployment = await findDeployment(database.store);
  await fillDatabase(database.store, settings(), passwords);
});
afterAll(() => database.drop());
const rowsOf = async (statement: string) =>
  (await sql.raw<Record<string, unknown>>(statement).execute(database.store)).rows;

it('has every department, role and person of the company', async () => {
  expect(await rowsOf('select id, name, parent_id as "parentId" from departments order by id')).toEqual(
    departments.toSorted((a, b) => a.id - b.id).map(({ id, name, parentId }) => ({ id, name, parentId })),
  );
  const stored =
    await rowsOf(`select username, role_key as role, users.enabled, department_id as "departmentId"
    from users join roles on roles.id = role_id order by users.id`);
  expect(stored).toEqual(
    people
      .toSorted((a, b) => a.id - b.id)
      .map(({ username, role, isEnabled = true, departmentId }) => ({
        ...{ username, role, enabled: isEnabled, departmentId },
      })),
  );
});

it('has the password of the administrator, and another one of all others', async () => {
  const hashes = createPasswordHashes({
    ...{ cost: settings().hash, matchesBcrypt: async () => false, randomBytes },
  });
  const stored = await rowsOf(
    `select role_key as role, password_hash as hash from users join roles on roles.id = role_id`,
  );
  expect(new Set(stored.map(({ hash }) => hash)).size).toBe(2);
  for (const { role, hash } of stored) {
    const isAdministrator = role === 'admin';
    expect(await hashes.matches(passwords.administrator, String(hash))).toBe(isAdministrator);
    expect(await hashes.matches(passwords.others, String(hash))).toBe(!isAdministrator);
  }
});

it('has the rules of every role, and the endpoints of every service', async () => {
  const rules = await rowsOf(`select role_key as key, array_agg(method || ' ' || path) as rules from rules
    join roles on roles.id = role_id group by role_key`);
  const stored = Object.fromEntries(rules.map(({ key, rules: own }) => [key, (own as string[]).toSorted()]));
  const wanted = roles.filter((role) => role.rules.length > 0);
  expect(stored).toEqual(Object.fromEntries(wanted.map(({ key, rules: own }) => [key, own.toSorted()])));
  expect((await rowsOf('select distinct service from catalog')).length).toBeGreaterThan(0);
});

it('has logs that verify, under a deployment id other than the template’s', async () => {
  const { chainKeys: keys } = settings();
  expect((await verifyLoginLog(database.store, { keys, kept: undefined })).problems).toEqual([]);
  expect((await verifyAudit(database.store, { keys, kept: undefined })).problems).toEqual([]);
  expect(await findDeployment(database.store)).not.toBe(deployment);
  expect(await rowsOf('select settled_in = database_incarnation() as own from current_revision')).toEqual([
    { own: true },
  ]);
  expect(await rowsOf('select count(*)::int as heads from login_log_heads')).toEqual([{ heads: 1 }]);
});

it('stores the browsers of its logins and no location, and no name without an account', async () => {
  const [facts] =
    await rowsOf(`select bool_or(browser is not null) as browsers, bool_or(location is not null) as places,
    bool_or(user_id is null and username in ('root', 'oracle')) as names from login_log`);
  expect(facts).toEqual({ browsers: true, places: false, names: false });
});

it('has the month before this one, and gives new rows unused ids', async () => {
  const [month] = await rowsOf(`select to_regclass('login_log_'
    || to_char(date_trunc('month', now() at time zone 'UTC') - interval '1 month', 'YYYY_MM')) is not null as made`);
  expect(month).toEqual({ made: true });
  expect(await rowsOf(`insert into departments (name) values ('Next') returning id`)).toEqual([{ id: 1000 }]);
});
