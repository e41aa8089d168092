import { describe, expect, test } from 'vitest';
import { findEndpoints } from '../../src/search/find-endpoints.ts';

const routes = [
  { method: 'GET', path: '/shop/orders', title: 'List orders' },
  { method: 'GET', path: '/shop/orders/:id', title: 'View an order' },
  { method: 'GET', path: '/shop/orders/open', title: 'Orders that wait' },
  { method: 'DELETE', path: '/shop/orders/:id', title: 'Delete an order' },
  { method: 'GET', path: '/shop/customers/:id', title: '客户' },
  { method: 'GET', path: '/:anything/:id', title: '' },
];
const find = (typed: string) =>
  findEndpoints(routes, typed, 10).map(({ method, path }) => `${method} ${path}`);

describe('no endpoint is found', () => {
  test.each(['', '   ', '/shop/orders/7/lines', 'PATCH /shop/orders/7', '7', '/anything/at/all'])(
    'by “%s”',
    (typed) => {
      expect(find(typed)).toEqual([]);
    },
  );

  test('by parameters alone, where something is left out', () => {
    expect(find('/7')).toEqual([]);
  });
});

describe('an endpoint is found', () => {
  test.each([
    ['by the call that reaches it', 'DELETE /shop/orders/1042', 'DELETE /shop/orders/:id'],
    ['by the exact path before one with parameters', 'GET /shop/orders/open', 'GET /shop/orders/open'],
    ['without what stands in front of all paths', 'DELETE /orders/1042', 'DELETE /shop/orders/:id'],
    [
      'by a whole address with a query',
      'https://shop.example/shop/customers/7?x=1',
      'GET /shop/customers/:id',
    ],
    ['whatever the case of the method', 'delete /shop/orders/1', 'DELETE /shop/orders/:id'],
    ['by words of its title', 'order delete', 'DELETE /shop/orders/:id'],
    ['by a Chinese title', '客户', 'GET /shop/customers/:id'],
    ['by a part of its path', 'custom', 'GET /shop/customers/:id'],
  ])('%s', (_what, typed, first) => {
    expect(find(typed)[0]).toBe(first);
  });

  test('once, and no more than are shown', () => {
    expect(find('GET /shop/orders')[0]).toBe('GET /shop/orders');
    expect(new Set(find('GET /shop/orders')).size).toBe(find('GET /shop/orders').length);
    expect(findEndpoints(routes, 'shop', 2)).toHaveLength(2);
  });
});
