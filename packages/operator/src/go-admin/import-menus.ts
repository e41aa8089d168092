// Copies the menus of go-admin's front end and their roles. Nothing edits menus here and no decision depends on them,
// so every import replaces the previous copy.
import { isDeepStrictEqual } from 'node:util';
import {
  configNames,
  type FrontEndConfig,
  type MenuCopy,
  menuKinds,
  readMenuCopy,
  replaceMenus,
  type StoredMenu,
} from '@portcullis/server/people/go-admin/menu-store.ts';
import type { ImportedRoles } from './import-roles.ts';
import { createTally, type ImportWork, type Tally } from './import-work.ts';
import type { Source, SourceRow } from './source.ts';
import { hasMenus, isDeleted, readConfig, readRoleMenus, readTable } from './source-tables.ts';

interface ImportedMenus {
  readonly tally: Tally;
  /** True also if only a menu was removed or its roles changed. */
  readonly isChanged: boolean;
}

export async function importMenus(work: ImportWork, roles: ImportedRoles): Promise<ImportedMenus> {
  const { transaction, source, findings } = work;
  const tally = createTally();
  if (!(await hasMenus(source))) return { tally, isChanged: false };
  const menus = await readMenus(work, tally);
  const ofRoles = await readMenusOfRoles(work, menus, roles);
  const copy = { menus: [...menus.values()], ofRoles, config: await readFrontEndConfig(source) };
  const stored = await readMenuCopy(transaction);
  const isChanged = !isDeepStrictEqual(comparable(stored), comparable(copy));
  if (isChanged) await replaceMenus(transaction, copy);

  const before = new Map(stored.menus.map((menu) => [menu.id, menu]));
  for (const menu of copy.menus)
    if (isDeepStrictEqual(before.get(menu.id), menu)) tally.thereAlready += 1;
    else tally.imported += 1;
  tally.leftOut = findings.countLeftOut('menus');
  work.onProgress(`${menus.size} menus`);
  return { tally, isChanged };
}

/** Normalises a copy for comparison: menus are sorted by number; the order of the others does not matter. */
function comparable({ menus, ofRoles, config }: MenuCopy) {
  return {
    menus,
    ofRoles: new Set(ofRoles.map(({ roleId, menuId }) => `${roleId} ${menuId}`)),
    config,
  };
}

async function readMenus(work: ImportWork, tally: Tally): Promise<Map<number, StoredMenu>> {
  const menus = new Map<number, StoredMenu>();
  for await (const page of await readTable(work.source, 'sys_menu'))
    for (const row of page) {
      tally.read += 1;
      const menu = menuOf(row);
      if (isDeleted(row)) tally.deleted += 1;
      else if (menu === undefined) work.findings.add('menu_unfit', whatOf(row));
      else menus.set(menu.id, menu);
    }
  return menus;
}

function menuOf(row: SourceRow): StoredMenu | undefined {
  const id = Number(row.menu_id);
  const kind = menuKinds.find((known) => known === row.menu_type);
  if (kind === undefined || !Number.isSafeInteger(id) || id <= 0) return undefined;
  return {
    id,
    parentId: Number(row.parent_id ?? 0),
    kind,
    name: row.menu_name ?? '',
    title: row.title ?? '',
    icon: row.icon ?? '',
    path: row.path ?? '',
    component: row.component ?? '',
    permission: row.permission ?? '',
    visible: row.visible ?? '0',
    noCache: /^(1|t|true)$/.test(row.no_cache ?? ''),
    sort: Number(row.sort ?? 0),
  };
}

async function readMenusOfRoles(
  { source, findings }: ImportWork,
  menus: ReadonlyMap<number, StoredMenu>,
  roles: ImportedRoles,
): Promise<{ roleId: number; menuId: number }[]> {
  const given: { roleId: number; menuId: number }[] = [];
  const unseen = new Map<number, string>();
  for await (const page of readRoleMenus(source))
    for (const { role_id: role, menu_id: menu } of page) {
      const menuId = Number(menu);
      const roleId = roles.byId.get(role ?? '')?.id;
      if (!menus.has(menuId)) continue;
      if (roleId === undefined) unseen.set(menuId, `Its role is ${role}.`);
      else given.push({ roleId, menuId });
    }
  for (const [id, reason] of unseen)
    findings.add('menu_role_missing', `${id} ${menus.get(id)?.title ?? ''}`, reason);
  return given;
}

async function readFrontEndConfig(source: Source): Promise<FrontEndConfig> {
  const config: FrontEndConfig = {};
  for await (const page of readConfig(source))
    for (const row of page) {
      const name = configNames.find((known) => known === row.config_key);
      if (name !== undefined && row.is_frontend === '1' && !isDeleted(row))
        config[name] = row.config_value ?? '';
    }
  return config;
}

function whatOf(row: SourceRow): string {
  return `${row.menu_id} ${row.title}`;
}
