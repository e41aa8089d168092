import { describe, expect, test } from 'vitest';
import { readCall, readQuestion, readSubject } from '../../../src/pages/explain/question.ts';

describe('readQuestion', () => {
  const call = { method: 'GET', path: '/orders' };

  test.each([
    ['nobody', call],
    ['no method', { roleKey: 'sales', path: '/orders' }],
    ['no path', { roleKey: 'sales', method: 'GET' }],
    ['an empty path', { roleKey: 'sales', method: 'GET', path: '' }],
    ['a path given twice', { roleKey: 'sales', method: 'GET', path: ['/a', '/b'] }],
    ['a role key that none can have', { ...call, roleKey: 'Sales team' }],
    ['a user id that none can have', { ...call, userId: '0' }],
  ])('asks nothing with %s', (_what, query) => {
    expect(readQuestion(query)).toBeUndefined();
  });

  test('asks for a role', () => {
    expect(readQuestion({ ...call, roleKey: 'sales' })).toEqual({ ...call, subject: { roleKey: 'sales' } });
  });

  test('takes the user where an address names a role as well', () => {
    expect(readSubject({ roleKey: 'sales', userId: '7' })).toEqual({ userId: 7 });
  });
});

describe('readCall', () => {
  test.each([
    ['/api/v1/orders/7', 'GET /api/v1/orders/7'],
    ['  /api/v1/orders/7\n', 'GET /api/v1/orders/7'],
    ['api/v1/orders', 'GET /api/v1/orders'],
    ['/api/v1/orders?page=2#top', 'GET /api/v1/orders'],
    ['https://shop.example:8443/api/v1/orders?page=2', 'GET /api/v1/orders'],
    ['https://shop.example', 'GET /'],
    ['DELETE /api/v1/orders/7', 'DELETE /api/v1/orders/7'],
    ['delete https://shop.example/api/v1/orders/7?force=1', 'DELETE /api/v1/orders/7'],
    ['POST /api/v1/orders HTTP/1.1', 'POST /api/v1/orders'],
    // What is not canonical stays so: the answer says what is wrong with it.
    ['/api/v1//orders/', 'GET /api/v1//orders/'],
    ['/api/../orders/%2e', 'GET /api/../orders/%2e'],
  ])('reads %j as %s', (pasted, expected) => {
    const { method, path } = readCall('GET', pasted);
    expect(`${method} ${path}`).toBe(expected);
  });
});
