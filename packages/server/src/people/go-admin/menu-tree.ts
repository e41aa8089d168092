// Builds the tree of menus that a role sees, without buttons. Menus below a missing menu are not shown.
import type { StoredMenu } from './menu-store.ts';

export interface MenuNode extends Omit<StoredMenu, 'id' | 'kind' | 'name'> {
  readonly menuId: number;
  readonly menuType: string;
  readonly menuName: string;
  readonly children: readonly MenuNode[];
}

const root = 0;

/** Adds the ancestors of the given menus: go-admin gives a role pages and buttons, and often not the directories that hold them. */
export function menuTree(menus: readonly StoredMenu[], given: ReadonlySet<number> | 'all'): MenuNode[] {
  const seen = given === 'all' ? undefined : withThoseAbove(menus, given);
  const shown = menus.filter(({ id, kind }) => kind !== 'F' && seen?.has(id) !== false);
  const below = Map.groupBy(
    shown.toSorted((a, b) => a.sort - b.sort || a.id - b.id),
    ({ parentId }) => parentId,
  );
  const childrenOf = (parentId: number): MenuNode[] => (below.get(parentId) ?? []).map(nodeOf);
  const nodeOf = ({ id, kind, name, ...menu }: StoredMenu): MenuNode => ({
    ...menu,
    menuId: id,
    menuType: kind,
    menuName: name,
    children: childrenOf(id),
  });
  return childrenOf(root);
}

function withThoseAbove(menus: readonly StoredMenu[], given: ReadonlySet<number>): Set<number> {
  const parents = new Map(menus.map(({ id, parentId }) => [id, parentId]));
  const seen = new Set<number>();
  for (const id of given)
    for (let at: number | undefined = id; at !== undefined && at !== root && !seen.has(at); ) {
      seen.add(at);
      at = parents.get(at);
    }
  return seen;
}
