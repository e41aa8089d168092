// SQL of the data that go-admin's front end shows: the copy of go-admin's menus, which roles see which menus, and the name and logo
// of the application.
import { sql } from 'kysely';
import type { Store, StoreTransaction } from '../../cluster/store/store.ts';

/** A directory, a page or a button. */
export const menuKinds = ['M', 'C', 'F'] as const;
export type MenuKind = (typeof menuKinds)[number];

export interface StoredMenu {
  /** The id in go-admin. */
  readonly id: number;
  readonly parentId: number;
  readonly kind: MenuKind;
  readonly name: string;
  readonly title: string;
  readonly icon: string;
  readonly path: string;
  readonly component: string;
  /** The name by which the front end decides whether to show a button. */
  readonly permission: string;
  readonly visible: string;
  readonly noCache: boolean;
  readonly sort: number;
}

export async function listMenus(store: Store | StoreTransaction): Promise<StoredMenu[]> {
  return await store
    .selectFrom('go_admin_menus')
    .select(['id', 'parent_id as parentId', 'kind', 'name', 'title', 'icon', 'path', 'component'])
    .select(['permission', 'visible', 'no_cache as noCache', 'sort'])
    .orderBy('id')
    .execute();
}

export async function listMenusOfRole(store: Store, roleId: number): Promise<Set<number>> {
  const rows = await store
    .selectFrom('go_admin_role_menus')
    .select('menu_id')
    .where('role_id', '=', roleId)
    .execute();
  return new Set(rows.map(({ menu_id }) => menu_id));
}

/** Permission names of pages and buttons alike, as in go-admin. */
export async function listPermissionNames(store: Store, roleId: number): Promise<string[]> {
  const rows = await store
    .selectFrom('go_admin_role_menus')
    .innerJoin('go_admin_menus', 'go_admin_menus.id', 'menu_id')
    .select('permission')
    .distinct()
    .where('role_id', '=', roleId)
    .where('permission', '!=', '')
    .orderBy('permission')
    .execute();
  return rows.map(({ permission }) => permission);
}

/** The only settings of go-admin that are copied: its front end reads them, and they are public. */
export const configNames = ['sys_app_name', 'sys_app_logo'] as const;
export type FrontEndConfig = Partial<Record<(typeof configNames)[number], string>>;

export async function readFrontEndConfig(store: Store | StoreTransaction): Promise<FrontEndConfig> {
  const rows = await store.selectFrom('go_admin_config').selectAll().execute();
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
}

export interface MenuCopy {
  readonly menus: readonly StoredMenu[];
  readonly ofRoles: readonly { readonly roleId: number; readonly menuId: number }[];
  readonly config: FrontEndConfig;
}

export async function readMenuCopy(transaction: StoreTransaction): Promise<MenuCopy> {
  const ofRoles = await transaction
    .selectFrom('go_admin_role_menus')
    .select(['role_id as roleId', 'menu_id as menuId'])
    .execute();
  return { menus: await listMenus(transaction), ofRoles, config: await readFrontEndConfig(transaction) };
}

/** Replaces the whole previous copy. */
export async function replaceMenus(
  transaction: StoreTransaction,
  { menus, ofRoles, config }: MenuCopy,
): Promise<void> {
  for (const table of ['go_admin_role_menus', 'go_admin_menus', 'go_admin_config'] as const)
    await transaction.deleteFrom(table).execute();
  await sql`
    insert into go_admin_menus
    select * from jsonb_to_recordset(${JSON.stringify(menus)}::jsonb) as menu (id bigint, "parentId" bigint, kind text,
      name text, title text, icon text, path text, component text, permission text, visible text, "noCache" boolean,
      sort bigint)`.execute(transaction);
  await sql`
    insert into go_admin_role_menus
    select * from unnest(${ofRoles.map(({ roleId }) => roleId)}::bigint[], ${ofRoles.map(({ menuId }) => menuId)}::bigint[])
    on conflict do nothing`.execute(transaction);
  await sql`
    insert into go_admin_config
    select * from unnest(${Object.keys(config)}::text[], ${Object.values(config)}::text[])`.execute(
    transaction,
  );
}
