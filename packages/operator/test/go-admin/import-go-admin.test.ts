// The import from go-admin's own tables, on the real MariaDB and the real Postgres.

import { publishedPasswordHashes } from '@portcullis/server/people/passwords/published-passwords.ts';
import { findAccount, listAdministratorsWithHash } from '@portcullis/server/people/users/user-store.ts';
import { hashSync } from 'bcryptjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ImportReport } from '../../src/go-admin/import-go-admin.ts';
import { createImportWorld, type ImportWorld } from './import-world.ts';
import { publishedHash, shippedRows } from './source-schema.ts';

/** As Go writes it. */
const hash = hashSync('An old password', 4).replace('$2b$', '$2a$');
const user = (username: string, more: Record<string, string | number | null> = {}) => ({
  username,
  password: hash,
  nick_name: `Name of ${username}`,
  role_id: 2,
  dept_id: 7,
  status: '2',
  ...more,
});
const role = (role_id: number, role_key: string, more: Record<string, string | number | null> = {}) => ({
  role_id,
  role_key,
  role_name: `Role ${role_key}`,
  status: '2',
  data_scope: '3',
  ...more,
});
const rule = (v0: string, v1: string, v2: string) => ({ ptype: 'p', v0, v1, v2 });

/** Of each kind, whom it names. */
function namesOf(report: ImportReport): Record<string, string[]> {
  return Object.fromEntries(report.findings.map(({ kind, items }) => [kind, items.map(({ what }) => what)]));
}

function expectSums(report: ImportReport): void {
  for (const name of ['departments', 'roles', 'users', 'rules', 'menus'] as const) {
    const { read, ...others } = report[name];
    const sum = Object.values(others).reduce((total, count) => total + count, 0);
    expect({ name, sum }).toEqual({ name, sum: read });
  }
}

describe.each(['mysql', 'postgres'] as const)('from %s', (dialect) => {
  let world: ImportWorld;
  beforeEach(async () => {
    world = await createImportWorld(dialect);
    await world.source.insert(shippedRows('current'));
  });
  afterEach(() => world.drop());
  const rows = async (table: 'users' | 'roles' | 'departments' | 'rules' | 'audit_log' | 'rule_history') =>
    await world.database.store.selectFrom(table).selectAll().execute();

  it('users that do not fit are left out with the reason', async () => {
    await world.source.insert({
      sys_role: [role(2, 'editor'), role(3, 'gone', { deleted_at: '2021-06-01 10:00:00' })],
      sys_user: [
        user('', { user_id: 10 }),
        user('has space', { user_id: 11 }),
        user('<b>', { user_id: 12 }),
        user('Anna', { user_id: 13 }),
        user('ａｎｎａ', { user_id: 14 }),
        user('roleless', { user_id: 15, role_id: 0 }),
        user('unroled', { user_id: 16, role_id: null }),
        user('formerly', { user_id: 17, role_id: 3 }),
        user('homeless', { user_id: 18, dept_id: 0 }),
        user('plain', { user_id: 19, password: '123456' }),
        user('dear', { user_id: 20, password: hash.replace('$04$', '$31$') }),
        user('former', { user_id: 21, deleted_at: '2021-06-01 10:00:00' }),
        user('bob', { user_id: 22 }),
      ],
    });
    const report = await world.run();
    expectSums(report);
    expect(namesOf(report)).toMatchObject({
      user_name_unfit: ['10 ', '11 has space', '12 <b>'],
      user_name_twice: ['14 ａｎｎａ', 'Anna'],
      user_role_missing: ['15 roleless', '16 unroled', '17 formerly'],
      user_department_missing: ['18 homeless'],
      user_hash_unfit: ['19 plain', '20 dear'],
    });
    expect(report.users).toMatchObject({ deleted: 1, imported: 2, leftOut: 11 });
    expect((await rows('users')).map(({ username }) => username)).toEqual(['admin', 'bob']);
  });

  it('the password that go-admin ships opens nothing', async () => {
    await world.source.insert({
      sys_role: [role(2, 'editor')],
      sys_user: [user('eve', { password: publishedHash })],
    });
    const report = await world.run();
    expect(namesOf(report).user_published_password).toEqual(['1 admin', '2 eve']);
    expect(report.hasAdministrator).toBe(false);
    expect((await rows('users')).map(({ enabled }) => enabled)).toEqual([false, false]);
    expect(await listAdministratorsWithHash(world.database.store, publishedPasswordHashes)).toEqual([]);
  });

  it('a status that go-admin does not write opens nothing', async () => {
    await world.source.insert({
      sys_role: [role(2, 'editor', { status: '1' }), role(3, 'odd', { status: '' })],
      sys_user: [
        user('off', { status: '1' }),
        user('old', { status: '0' }),
        user('on'),
        user('none', { status: null }),
      ],
    });
    const report = await world.run();
    expect(namesOf(report)).toMatchObject({
      role_status_unknown: ['3 odd'],
      user_status_unknown: [expect.stringContaining('old'), expect.stringContaining('none')],
    });
    const enabled = (await rows('users')).filter((each) => each.enabled).map(({ username }) => username);
    expect(enabled).toEqual(['on']);
    expect(report.hasAdministrator).toBe(false);
    const roles = (await rows('roles')).map(({ role_key, enabled }) => [role_key, enabled]);
    expect(roles).toEqual([
      ['admin', true],
      ['editor', false],
      ['odd', false],
    ]);
  });

  it('users of a disabled admin are disabled, because the role cannot be', async () => {
    await world.source.run(`update sys_role set status = '1'`);
    await world.source.insert({ sys_role: [role(2, 'editor')], sys_user: [user('boss', { role_id: 1 })] });
    const report = await world.run();
    expect(namesOf(report).user_admin_disabled).toContain('2 boss');
    expect((await rows('users')).some(({ enabled }) => enabled)).toBe(false);
  });

  it('roles that do not fit are left out with their users and rules', async () => {
    await world.source.insert({
      sys_role: [
        role(2, 'Tester'),
        role(3, 'adm1n'),
        role(4, 'twin'),
        role(5, 'twin'),
        role(6, '测试'),
        role(7, 'editor', { data_scope: '9', role_name: '' }),
        role(8, 'wide', { data_scope: '' }),
      ],
      sys_user: [user('tess'), user('rob', { role_id: 3 }), user('ed', { role_id: 7 })],
      sys_casbin_rule: [
        rule('Tester', '/api/v1/x', 'GET'),
        rule('adm1n', '/api/v1/x', 'GET'),
        rule('nobody', '/api/v1/x', 'GET'),
        rule('editor', '/api/v1/x', 'GET'),
        rule('admin', '/api/v1/x', 'GET'),
      ],
    });
    const report = await world.run();
    expectSums(report);
    expect(namesOf(report)).toMatchObject({
      role_key_unfit: ['2 Tester', '6 测试'],
      role_key_admin_alike: ['3 adm1n'],
      role_key_twice: ['4 twin', '5 twin'],
      role_scope_unknown: ['7 editor', '8 wide'],
      role_name_replaced: ['7 editor'],
      rule_role_missing: [
        'p, Tester, /api/v1/x, GET',
        'p, adm1n, /api/v1/x, GET',
        'p, nobody, /api/v1/x, GET',
      ],
    });
    expect(report.rules).toMatchObject({ imported: 1, notNeeded: 1 });
    const scopes = (await rows('roles')).map(({ role_key, data_scope }) => [role_key, data_scope]);
    expect(scopes).toEqual([
      ['admin', '1'],
      ['editor', '5'],
      ['wide', '5'],
    ]);

    const renamed = await world.run({ roleKeys: new Map([['Tester', 'tester']]) });
    expect(renamed).toMatchObject({ roles: { imported: 1 }, users: { imported: 1 }, rules: { imported: 1 } });
  });

  it('departments that do not fit are left out with what is below them', async () => {
    await world.source.insert({
      sys_role: [role(2, 'editor', { data_scope: '2' })],
      sys_dept: [
        { dept_id: 20, parent_id: 1, dept_name: 'Twin' },
        { dept_id: 21, parent_id: 1, dept_name: 'Twin' },
        { dept_id: 22, parent_id: 21, dept_name: 'Below a twin' },
        { dept_id: 23, parent_id: 404, dept_name: 'Orphan' },
        { dept_id: 24, parent_id: 25, dept_name: 'Egg' },
        { dept_id: 25, parent_id: 24, dept_name: 'Hen' },
        { dept_id: 26, parent_id: 25, dept_name: 'Chick' },
        { dept_id: 27, parent_id: 27, dept_name: 'Self' },
        { dept_id: 28, parent_id: 1, dept_name: ' ' },
        { dept_id: 29, parent_id: 1, dept_name: 'x'.repeat(65) },
        { dept_id: 30, parent_id: 7, dept_name: 'Twin' },
      ],
      sys_role_dept: [
        { role_id: 2, dept_id: 7 },
        { role_id: 2, dept_id: 23 },
      ],
      sys_user: [user('low', { dept_id: 22 })],
    });
    const report = await world.run();
    expectSums(report);
    expect(namesOf(report)).toMatchObject({
      department_name_unfit: ['28  ', `29 ${'x'.repeat(65)}`],
      department_name_twice: ['20 Twin', '21 Twin'],
      department_parent_missing: ['22 Below a twin', '23 Orphan', '26 Chick'],
      department_circle: ['24 Egg', '25 Hen', '27 Self'],
      department_disabled: ['10 人力资源'],
      role_scope_departments: ['2 editor'],
      user_department_missing: ['2 low'],
    });
    const departments = await rows('departments');
    expect(departments).toHaveLength(6);
    const development = departments.find(({ name }) => name === '研发部');
    expect(departments.find(({ name }) => name === 'Twin')?.parent_id).toBe(development?.id);
    const chosen = await world.database.store.selectFrom('role_departments').selectAll().execute();
    expect(chosen.map(({ department_id }) => department_id)).toEqual([development?.id]);
  });

  it('prints the same in a dry run, and changes nothing', async () => {
    await world.source.insert({
      sys_role: [role(2, 'editor')],
      sys_user: [user('bob')],
      sys_casbin_rule: [rule('editor', '/api/v1/x', 'GET')],
    });
    const { revision: none, isDryRun, ...trial } = await world.run({ isDryRun: true });
    expect([none, isDryRun]).toEqual([null, true]);
    for (const table of ['users', 'roles', 'departments', 'rules', 'audit_log'] as const)
      expect(await rows(table)).toEqual([]);
    const { revision, isDryRun: _, ...done } = await world.run();
    expect(done).toEqual(trial);
    expect(revision).toBe(1);
  });

  it('adds everything in one revision, with history and audit records', async () => {
    await world.source.insert({
      sys_role: [role(2, 'editor'), role(3, 'off', { status: '1' })],
      sys_user: [user('Bob.M', { nick_name: '' })],
      sys_casbin_rule: [
        rule('editor', '/api/v1/x/:id', 'GET'),
        rule('editor', '/api/v1/x/:id', 'GET'),
        rule('off', '/api/v1/y', '*'),
      ],
    });
    const report = await world.run();
    expectSums(report);
    expect(namesOf(report).rule_narrowed).toEqual(['p, off, /api/v1/y, *']);
    const [editor, off] = (await rows('roles'))
      .filter(({ role_key }) => role_key !== 'admin')
      .map(({ id }) => id);
    expect(world.access.takeWritten()).toEqual([
      [
        'give',
        [
          { kind: 'role_set', id: 1, roleKey: 'admin', dataScope: '1' },
          { kind: 'role_set', id: editor, roleKey: 'editor', dataScope: '3' },
          { kind: 'rule_added', roleKey: 'editor', method: 'GET', path: '/api/v1/x/:id' },
          { kind: 'rule_added', roleKey: 'off', method: '*', path: '/api/v1/y' },
        ],
      ],
    ]);
    expect(await rows('rule_history')).toMatchObject([
      { role_id: editor, revision: report.revision, username: 'command line: ada' },
      { role_id: off, revision: report.revision },
    ]);
    const records = (await rows('audit_log')).map(({ action, actor_name }) => `${actor_name} ${action}`);
    expect(records.sort()).toEqual(
      ['import.go-admin', 'role.create', 'role.create', 'role.create', 'rules.update', 'rules.update'].map(
        (action) => `command line: ada ${action}`,
      ),
    );
    expect(JSON.stringify(await rows('audit_log'))).not.toContain('$2a$');
    const account = await findAccount(world.database.store, 'BOB.m');
    expect(account).toMatchObject({
      account: { username: 'Bob.M', roleKey: 'editor' },
      passwordHash: hash,
      userEnabled: true,
    });
    expect(account?.account.passwordDue).toBeUndefined();
    expect((await rows('users')).at(-1)?.nick_name).toBe('Bob.M');
  });

  it('a second run doubles nothing and writes nothing', async () => {
    await world.source.insert({
      sys_role: [role(2, 'editor')],
      sys_user: [user('bob'), user('Anna'), user('anna')],
      sys_casbin_rule: [rule('editor', '/api/v1/x', 'GET')],
    });
    const first = await world.run();
    const before = [await rows('users'), await rows('roles'), await rows('departments'), await rows('rules')];
    const second = await world.run();
    expectSums(second);
    expect([
      await rows('users'),
      await rows('roles'),
      await rows('departments'),
      await rows('rules'),
    ]).toEqual(before);
    expect(second).toMatchObject({
      departments: { imported: 0, thereAlready: 5 },
      roles: { imported: 0, thereAlready: 2 },
      users: { imported: 0, thereAlready: 2, leftOut: 2 },
      rules: { imported: 0, thereAlready: 1 },
      revision: first.revision,
    });
    expect((await rows('audit_log')).filter(({ action }) => action === 'import.go-admin')).toHaveLength(1);
  });

  it('leaves existing users, roles and rules unchanged, and deleted ones deleted', async () => {
    await world.source.insert({
      sys_role: [role(2, 'editor')],
      sys_user: [user('bob'), user('carl')],
      sys_casbin_rule: [rule('editor', '/api/v1/x', 'GET')],
    });
    await world.run();
    const { store } = world.database;
    await store
      .updateTable('users')
      .set({ nick_name: 'Robert', enabled: false })
      .where('username', '=', 'bob')
      .execute();
    await store.updateTable('users').set({ deleted_at: new Date() }).where('username', '=', 'carl').execute();
    await store.updateTable('roles').set({ data_scope: '5' }).where('role_key', '=', 'editor').execute();
    await store.deleteFrom('rules').execute();
    const second = await world.run();
    expect(namesOf(second)).toMatchObject({
      user_deleted_here: ['3 carl'],
      rule_role_there: ['p, editor, /api/v1/x, GET'],
    });
    expect(await rows('rules')).toEqual([]);
    expect((await rows('users')).find(({ username }) => username === 'bob')).toMatchObject({
      nick_name: 'Robert',
      enabled: false,
    });
    expect((await rows('roles')).at(-1)?.data_scope).toBe('5');

    const third = await world.run({ addsToRoles: true });
    expect(third.rules).toMatchObject({ imported: 1, leftOut: 0 });
    expect(await rows('rules')).toMatchObject([{ path: '/api/v1/x', method: 'GET' }]);
  });
});

describe.each(['mysql', 'postgres'] as const)('other versions of go-admin on %s', (dialect) => {
  it('one from before 2021 has casbin_rule, p_type, and 0 for enabled', async () => {
    const world = await createImportWorld(dialect, 'old');
    try {
      await world.source.insert(shippedRows('old'));
      await world.source.insert({
        sys_role: [role(2, 'common', { status: '0', data_scope: '' })],
        sys_user: [user('zhaosi', { status: '0' }), user('off', { status: '1' })],
        casbin_rule: [{ p_type: 'p', v0: 'common', v1: '/api/v1/menulist', v2: 'GET' }],
      });
      const report = await world.run();
      expectSums(report);
      expect(report).toMatchObject({ source: { rulesTable: 'casbin_rule' }, rules: { imported: 1 } });
      const users = await world.database.store.selectFrom('users').select(['username', 'enabled']).execute();
      expect(users).toEqual([
        { username: 'admin', enabled: false },
        { username: 'zhaosi', enabled: true },
        { username: 'off', enabled: false },
      ]);
    } finally {
      await world.drop();
    }
  });

  it('the newest marks deleted rows by a number', async () => {
    const world = await createImportWorld(dialect, 'marked');
    try {
      await world.source.insert({
        sys_dept: [{ dept_id: 7, parent_id: 0, dept_name: 'Only', deleted_at: 0 }],
        sys_role: [role(2, 'editor', { deleted_at: 0 }), role(3, 'gone', { deleted_at: 1_786_700_003_000 })],
        sys_user: [user('bob', { deleted_at: 0 }), user('carl', { deleted_at: 1_786_700_003_000 })],
      });
      const report = await world.run();
      expect(report).toMatchObject({
        departments: { imported: 1, deleted: 0 },
        roles: { imported: 1, deleted: 1 },
        users: { imported: 1, deleted: 1 },
      });
    } finally {
      await world.drop();
    }
  });
});
