// The copy of go-admin's menus, on the real MariaDB and the real Postgres.

import {
  listMenus,
  listMenusOfRole,
  readFrontEndConfig,
} from '@portcullis/server/people/go-admin/menu-store.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createImportWorld, type ImportWorld } from './import-world.ts';
import { shippedRows, type Value } from './source-schema.ts';

const menu = (menu_id: number, menu_type: string, title: string, more: Record<string, Value> = {}) => ({
  menu_id,
  menu_type,
  title,
  menu_name: `Name ${menu_id}`,
  path: '/admin',
  permission: '',
  parent_id: 0,
  component: 'Layout',
  sort: 10,
  visible: '0',
  ...more,
});
const editor = { role_id: 2, role_key: 'editor', role_name: 'Editor', status: '2', data_scope: '3' };

describe.each(['mysql', 'postgres'] as const)('from %s', (dialect) => {
  let world: ImportWorld;
  beforeEach(async () => {
    world = await createImportWorld(dialect);
    await world.source.insert({ ...shippedRows('current'), sys_menu: [menu(2, 'M', '系统管理')] });
  });
  afterEach(() => world.drop());
  const titles = async () => (await listMenus(world.database.store)).map(({ title }) => title);

  it('leaves out invalid and deleted menus', async () => {
    await world.source.insert({
      sys_menu: [
        menu(3, 'X', 'of no kind'),
        menu(-4, 'M', 'of no number'),
        menu(5, 'C', 'deleted', { deleted_at: '2021-06-01 10:00:00' }),
      ],
    });
    const { menus, findings } = await world.run();
    expect(menus).toMatchObject({ read: 4, imported: 1, deleted: 1, leftOut: 2 });
    expect(findings.find(({ kind }) => kind === 'menu_unfit')?.items.map(({ what }) => what)).toEqual([
      '-4 of no number',
      '3 of no kind',
    ]);
    expect(await titles()).toEqual(['系统管理']);
  });

  it('shows a role its menus from go-admin, and reports roles that do not exist here', async () => {
    await world.source.insert({
      sys_role: [editor, { ...editor, role_id: 3, role_key: 'Unfit Key' }],
      sys_menu: [menu(3, 'C', '用户管理', { parent_id: 2 }), menu(4, 'F', '新增', { parent_id: 3 })],
      sys_role_menu: [
        { role_id: 2, menu_id: 3 },
        { role_id: 3, menu_id: 4 },
        { role_id: 2, menu_id: 99 },
      ],
    });
    const { findings } = await world.run();
    expect(findings.find(({ kind }) => kind === 'menu_role_missing')?.items).toEqual([
      { what: '4 新增', reason: 'Its role is 3.' },
    ]);
    const { store } = world.database;
    const role = await store
      .selectFrom('roles')
      .select('id')
      .where('role_key', '=', 'editor')
      .executeTakeFirst();
    expect(await listMenusOfRole(store, role?.id ?? 0)).toEqual(new Set([3]));
  });

  it('reads every field', async () => {
    await world.source.run(
      `update sys_menu set icon = 'user', no_cache = ${dialect === 'mysql' ? 1 : true}, sort = 7, visible = '1', permission = 'a:b:c'`,
    );
    await world.run();
    expect(await listMenus(world.database.store)).toEqual([
      {
        id: 2,
        parentId: 0,
        kind: 'M',
        name: 'Name 2',
        title: '系统管理',
        icon: 'user',
        path: '/admin',
        component: 'Layout',
        permission: 'a:b:c',
        visible: '1',
        noCache: true,
        sort: 7,
      },
    ]);
  });

  it('applies with the next import what changed, appeared and disappeared in go-admin', async () => {
    await world.source.insert({ sys_menu: [menu(3, 'C', 'stays'), menu(4, 'C', 'goes')] });
    await world.run();
    const records = () => world.database.store.selectFrom('audit_log').select('action').execute();
    const before = (await records()).length;
    await world.run();
    expect(await records()).toHaveLength(before);
    await world.source.run(`update sys_menu set title = 'changed' where menu_id = 2`);
    await world.source.run(`delete from sys_menu where menu_id = 4`);
    const { menus } = await world.run();
    expect(menus).toMatchObject({ read: 2, imported: 1, thereAlready: 1 });
    expect(await titles()).toEqual(['changed', 'stays']);
    expect(await records()).toHaveLength(before + 1);
    await world.source.run(`delete from sys_menu where menu_id = 3`);
    expect((await world.run()).menus).toMatchObject({ read: 1, imported: 0, thereAlready: 1 });
    expect(await titles()).toEqual(['changed']);
    expect(await records()).toHaveLength(before + 2);
  });

  it('a dry run copies nothing', async () => {
    expect((await world.run({ isDryRun: true })).menus).toMatchObject({ read: 1, imported: 1 });
    expect(await titles()).toEqual([]);
  });

  it('imports the public name and logo, and no other setting', async () => {
    await world.source.insert({
      sys_config: [
        { config_key: 'sys_app_name', config_value: '管理系统', is_frontend: '1' },
        { config_key: 'sys_app_logo', config_value: 'https://logo.example/', is_frontend: '0' },
        { config_key: 'sys_user_initPassword', config_value: '123456', is_frontend: '1' },
      ],
    });
    await world.run();
    expect(await readFrontEndConfig(world.database.store)).toEqual({ sys_app_name: '管理系统' });
  });
});

it('a database without menus leaves the copy as it is', async () => {
  const world = await createImportWorld('postgres');
  try {
    await world.source.insert({ ...shippedRows('current'), sys_menu: [menu(2, 'M', 'kept')] });
    await world.run();
    await world.source.run('drop table sys_menu');
    expect((await world.run()).menus).toMatchObject({ read: 0 });
    expect(await listMenus(world.database.store)).toHaveLength(1);
  } finally {
    await world.drop();
  }
});
