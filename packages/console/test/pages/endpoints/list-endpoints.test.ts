import { describe, expect, it } from 'vitest';
import { readFilter, writeFilter } from '../../../src/pages/endpoints/endpoint-filter.ts';
import { listEndpoints } from '../../../src/pages/endpoints/list-endpoints.ts';
import { listServices } from '../../../src/pages/endpoints/list-services.ts';
import type { MatrixRole, MatrixRoute } from '../../../src/pages/matrix/load-matrix.ts';
import { groupRoutes } from '../../../src/pages/matrix/matrix-rows.ts';

const route = (service: string, method: MatrixRoute['method'], path: string, tag: string): MatrixRoute => {
  const title = `Title of ${path}`;
  return { service, method, path, title, tag, access: 'permission', excluded: false };
};
const routes = [
  route('billing', 'GET', '/bills', 'Bills'),
  route('orders', 'GET', '/orders', 'Sales'),
  route('orders', 'PUT', '/orders/:id', 'Sales'),
  route('orders', 'GET', '/stock', 'Goods'),
];
const editor: MatrixRole = {
  id: 2,
  roleKey: 'editor',
  name: 'Editor',
  enabled: true,
  revision: 0,
  cells: '-r-s',
};
const groups = groupRoutes({
  routes,
  routeCount: 4,
  roles: [editor],
  hasMoreRoles: false,
  isComplete: true,
  isPart: false,
});
const all = { text: '', service: '', onlyAdmin: false };
const listed = (filter: Partial<typeof all>, limit = 100) => {
  const list = listEndpoints(groups, [editor], { ...all, ...filter }, limit);
  return { paths: list.groups.map(({ members }) => members.map((row) => row.route.path)), count: list.count };
};

describe('the endpoints', () => {
  it('are none where a word is not found, or the service is not known', () => {
    expect(listed({ text: 'orders nothing' })).toEqual({ paths: [], count: 0 });
    expect(listed({ service: 'other' })).toEqual({ paths: [], count: 0 });
  });

  it.each([
    [{}, [['/bills'], ['/orders', '/orders/:id'], ['/stock']]],
    [{ text: 'put ORDERS' }, [['/orders/:id']]],
    [{ text: 'title of /bi' }, [['/bills']]],
    [{ service: 'orders' }, [['/orders', '/orders/:id'], ['/stock']]],
    [{ onlyAdmin: true }, [['/bills'], ['/orders/:id']]],
    [{ onlyAdmin: true, service: 'orders' }, [['/orders/:id']]],
  ])('are filtered by %o', (filter, paths) => {
    expect(listed(filter)).toEqual({ paths, count: paths.flat().length });
  });

  it.each([
    ['/orders/1042', [['/orders/:id']], '/orders/1042'],
    ['put /orders/1042', [['/orders/:id']], '/orders/1042'],
    ['DELETE /orders/1042', [], '/orders/1042'],
    ['PUT /orders/:id', [['/orders/:id']], undefined],
    ['/orders', [['/orders', '/orders/:id']], undefined],
  ])('are found by a called path: %s', (text, paths, calledPath) => {
    expect(listed({ text }).paths).toEqual(paths);
    expect(listEndpoints(groups, [editor], { ...all, text }, 100).calledPath).toBe(calledPath);
  });

  it('are drawn up to a limit, and all counted', () => {
    expect(listed({}, 2)).toEqual({ paths: [['/bills'], ['/orders']], count: 4 });
  });
});

it('the filter is the same after it was in an address', () => {
  const filter = { text: '/orders', service: 'orders', onlyAdmin: true };
  expect(readFilter(writeFilter(filter))).toEqual(filter);
  expect(writeFilter(all)).toEqual({});
  expect(readFilter({ q: ['a', 'b'], only: '1' })).toEqual(all);
});

it('services are counted in the order of their endpoints', () => {
  expect(listServices({ routes })).toEqual([
    { name: 'billing', routes: 1 },
    { name: 'orders', routes: 3 },
  ]);
});
