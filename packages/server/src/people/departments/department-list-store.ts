// SQL of the list of departments: paginated, sorted by name, each with its parent, limited to what the caller can see. Clients
// read the tree level by level, so they need not load 100,000 departments to show the first ten.
import type { Department } from '@portcullis/contract';
import { type RawBuilder, sql } from 'kysely';
import { Type } from 'typebox';
import { createCursor } from '../../cluster/store/cursor.ts';
import { createPage } from '../../cluster/store/page.ts';
import type { Store } from '../../cluster/store/store.ts';
import { isVisible, ownDepartment, type Scoped, visibleDepartments } from './data-scope-store.ts';

interface DepartmentQuery {
  readonly after: string | undefined;
  readonly limit: number;
  /** 0: the topmost departments that the caller can see. Undefined: all that the caller can see. */
  readonly parentId: number | undefined;
}

interface Row {
  readonly id: number;
  readonly name: string;
  readonly parentId: number | null;
  readonly hasChildren: boolean;
  readonly createdAt: Date;
  readonly revision: number;
}

const cursor = createCursor(
  Type.Object({ name: Type.String({ pattern: '^[^\\u0000]*$' }), id: Type.Integer() }),
);

/** The page is selected first, so that only its rows are checked for children. */
export async function listDepartments(store: Store, scoped: Scoped, query: DepartmentQuery) {
  const after = cursor.read(query.after);
  const { rows } = await sql<Row>`
    with page as materialized (
      select id, name, parent_id, created_at, revision from ${searched(scoped, query.parentId)}
      where ${after === undefined ? sql`true` : sql`(name, id) > (${after.name}, ${after.id})`}
        and ${isAskedFor(scoped, query.parentId)}
      order by name, id limit ${query.limit + 1})
    select id, name, parent_id as "parentId", created_at as "createdAt", revision,
      exists (select from departments as child where child.parent_id = page.id and ${isChildVisible(scoped)})
        as "hasChildren"
    from page order by name, id`.execute(store);
  return createPage(rows, query.limit, { itemOf, positionOf: ({ name, id }) => ({ name, id }), cursor });
}

/** Undefined if the caller cannot see the department. `parentName` is null if the caller cannot see the parent. */
export async function findDepartment(store: Store, scoped: Scoped, id: number) {
  const { rows } = await sql<Row>`
    select id, name, parent_id as "parentId", created_at as "createdAt", revision,
      exists (select from departments as child where child.parent_id = ${id} and ${isChildVisible(scoped)})
        as "hasChildren"
    from departments where id = ${id} and ${isVisible(scoped, id)}`.execute(store);
  const [row] = rows;
  return row && { ...itemOf(row), parentName: await findName(store, scoped, row.parentId) };
}

async function findName(store: Store, scoped: Scoped, id: number | null): Promise<string | null> {
  if (id === null) return null;
  const { rows } = await sql<{ name: string }>`
    select name from departments where id = ${id} and ${isVisible(scoped, id)}`.execute(store);
  return rows[0]?.name ?? null;
}

/** For a caller with data scope 4 the visible subtree is collected first: filtering all departments by it takes longer. */
function searched(scoped: Scoped, parentId: number | undefined) {
  if (parentId !== undefined || scoped.dataScope !== '4') return sql`departments`;
  return sql`(with recursive below (id, name, parent_id, created_at, revision) as (
      select id, name, parent_id, created_at, revision from departments where id = (${ownDepartment(scoped)})
      union select child.id, child.name, child.parent_id, child.created_at, child.revision
      from departments as child join below on child.parent_id = below.id
    ) select * from below) as tree`;
}

function isAskedFor(scoped: Scoped, parentId: number | undefined): RawBuilder<boolean> {
  const visible = visibleDepartments(scoped);
  if (parentId === 0) return isTop(scoped);
  const isBelow = parentId === undefined ? sql<boolean>`true` : sql<boolean>`parent_id = ${parentId}`;
  if (visible === undefined) return isBelow;
  if (scoped.dataScope !== '4') return sql`${isBelow} and id in (${visible})`;
  return parentId === undefined ? isBelow : sql`${isBelow} and ${isVisible(scoped, parentId)}`;
}

/** Whether the department is visible and its parent is not. */
function isTop(scoped: Scoped): RawBuilder<boolean> {
  const visible = visibleDepartments(scoped);
  if (visible === undefined) return sql`parent_id is null`;
  if (scoped.dataScope === '4') return sql`id = (${ownDepartment(scoped)})`;
  return sql`id in (${visible}) and (parent_id is null or parent_id not in (${visible}))`;
}

/** Data scope 4 contains everything below the own department, so each child of a visible department is visible too. */
function isChildVisible(scoped: Scoped): RawBuilder<boolean> {
  const visible = visibleDepartments(scoped);
  return visible === undefined || scoped.dataScope === '4' ? sql`true` : sql`child.id in (${visible})`;
}

function itemOf({ createdAt, ...row }: Row): Department {
  return { ...row, createdAt: createdAt.toISOString() };
}
