import { expect, it } from 'vitest';
import type { MenuKind, StoredMenu } from '../../../src/people/go-admin/menu-store.ts';
import { type MenuNode, menuTree } from '../../../src/people/go-admin/menu-tree.ts';

const menu = (id: number, parentId: number, kind: MenuKind, sort = 0): StoredMenu => ({
  id,
  parentId,
  kind,
  name: '',
  title: `Title ${id}`,
  icon: '',
  path: '',
  component: '',
  permission: '',
  visible: '0',
  noCache: false,
  sort,
});
const shape = (nodes: readonly MenuNode[]): unknown[] =>
  nodes.map(({ menuId, children }) => (children.length === 0 ? menuId : [menuId, ...shape(children)]));

const menus = [
  menu(1, 0, 'M', 2),
  menu(2, 1, 'C', 9),
  menu(3, 1, 'C', 1),
  menu(4, 2, 'F'),
  menu(5, 0, 'M', 1),
];

it('a role that was given nothing sees nothing', () => {
  expect(menuTree(menus, new Set())).toEqual([]);
});

it('leaves out menus below a missing menu, or below themselves', () => {
  const lost = [menu(6, 99, 'C'), menu(7, 8, 'M'), menu(8, 7, 'M'), menu(9, 9, 'M')];
  expect(menuTree(lost, 'all')).toEqual([]);
  expect(menuTree(lost, new Set([6, 7, 8, 9]))).toEqual([]);
});

it('a button is no menu, but shows the page that it is on', () => {
  expect(shape(menuTree(menus, new Set([4])))).toEqual([[1, 2]]);
});

it('a page comes with the directory that it is in, and with nothing beside it', () => {
  expect(shape(menuTree(menus, new Set([3])))).toEqual([[1, 3]]);
});

it('all of them are in the order that go-admin gives them', () => {
  expect(shape(menuTree(menus, 'all'))).toEqual([5, [1, 3, 2]]);
});
