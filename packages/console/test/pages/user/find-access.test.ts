import { expect, test } from 'vitest';
import { type AccessRoute, findAccess } from '../../../src/pages/user/find-access.ts';

const route = (path: string, by: AccessRoute['by'], rule?: string): AccessRoute => ({
  service: 'shop',
  method: 'GET',
  path,
  title: `Show ${path}`,
  by,
  rules: rule === undefined ? [] : [{ method: '*', path: rule }],
});
const routes = [
  route('/login', 'public'),
  route('/orders/:id', 'rule', '/orders/*'),
  route('/stock', 'rule', '/stock'),
];
const pathsOf = (search: string) => findAccess(routes, search).map(({ path }) => path);

test('finds nothing where one of the words is missing', () => {
  expect(pathsOf('orders stock')).toEqual([]);
});

test('finds by path, title and rule, in any case', () => {
  expect(pathsOf('ORDERS')).toEqual(['/orders/:id']);
  expect(pathsOf('* /orders/*')).toEqual(['/orders/:id']);
  expect(pathsOf('show shop')).toHaveLength(3);
});

test('lists paths of a rule first, then paths that every user can call', () => {
  expect(pathsOf('')).toEqual(['/orders/:id', '/stock', '/login']);
});
