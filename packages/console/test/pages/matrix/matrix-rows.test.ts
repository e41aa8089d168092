import { describe, expect, test } from 'vitest';
import { countAllowed, groupRoutes, listRows, type Row } from '../../../src/pages/matrix/matrix-rows.ts';
import { matrix, role, route } from './matrix-samples.ts';

const routes = [
  route('GET', '/api/v1/users', { service: 'portcullis' }),
  route('GET', '/shop/orders', { tag: 'Orders', title: 'List orders' }),
  route('GET', '/api/v1/login', { service: 'portcullis' }),
  route('DELETE', '/api/v1/users/:id', { service: 'portcullis' }),
  route('POST', '/shop/items', { tag: 'Items' }),
  route('POST', '/shop/orders', { tag: 'Orders', title: 'Create an order' }),
];
const groups = groupRoutes(matrix(routes, []));
const all = { text: '', service: '', differing: [] };

function brief(rows: readonly Row[]): string[] {
  return rows.map((row) => (row.kind === 'group' ? `${row.service}/${row.tag}` : row.rule));
}

describe('groupRoutes', () => {
  test('keeps services together, and their tags, in the order they come', () => {
    expect(
      groups.map(({ service, tag, members }) => [service, tag, members.map(({ place }) => place)]),
    ).toEqual([
      ['portcullis', 'users', [0, 3]],
      ['portcullis', null, [2]],
      ['shop', 'Orders', [1, 5]],
      ['shop', 'Items', [4]],
    ]);
  });

  test('takes no parameter, version or service name for a group', () => {
    const found = groupRoutes(
      matrix([route('GET', '/shop/v2/:id'), route('PUT', '/shop/:id'), route('GET', '/shop')], []),
    );
    expect(found.map(({ tag }) => tag)).toEqual([null]);
  });
});

describe('listRows', () => {
  test('puts a group before its routes', () => {
    expect(brief(listRows(groups, { ...all, service: 'shop' }, new Set()))).toEqual([
      'shop/Orders',
      'GET /shop/orders',
      'POST /shop/orders',
      'shop/Items',
      'POST /shop/items',
    ]);
  });

  test('leaves out the routes of a collapsed group, but still counts them', () => {
    const rows = listRows(groups, { ...all, service: 'shop' }, new Set(groups.map(({ key }) => key)));
    expect(brief(rows)).toEqual(['shop/Orders', 'shop/Items']);
    expect(rows.map((row) => row.kind === 'group' && row.members.length)).toEqual([2, 1]);
  });

  test('finds every word in method, path or title, also in a collapsed group', () => {
    const collapsed = new Set(groups.map(({ key }) => key));
    expect(brief(listRows(groups, { ...all, text: ' post ORDER' }, collapsed))).toEqual([
      'shop/Orders',
      'POST /shop/orders',
    ]);
    expect(listRows(groups, { ...all, text: 'nothing like it' }, collapsed)).toEqual([]);
  });

  test('shows only where roles may do differently much', () => {
    const differing = [role('a', 'rrr-ss'), role('bb', 'ararrs')];
    expect(
      brief(listRows(groups, { ...all, differing }, new Set())).filter((text) => !text.includes('null')),
    ).toEqual(['portcullis/users', 'DELETE /api/v1/users/:id', 'shop/Items', 'POST /shop/items']);
  });
});

test('countAllowed counts what a role may call whole', () => {
  const [orders] = listRows(groups, { ...all, service: 'shop' }, new Set());
  if (orders?.kind !== 'group') throw new Error('A group comes first.');
  expect(countAllowed(orders, role('a', '-r---a'))).toBe(2);
  expect(countAllowed(orders, role('a', '-s----'))).toBe(0);
});
