import { AppError, type Caller } from '@portcullis/contract';
import { compile, parseRule, type Rule } from '@portcullis/policy';
import { describe, expect, it } from 'vitest';
import { createPermissionCheck } from '../../src/checks/permission-check.ts';

const rules = [
  ['editor', 'GET', '/api/v1/orders'],
  ['editor', 'PUT', '/api/v1/orders/:id'],
  ['editor', '*', '/api/v1/files/*'],
  ['viewer', 'GET', '/api/v1/orders/:id'],
].map(([roleKey = '', method = '', path = '']): Rule => {
  const parsed = parseRule({ roleKey, method, path });
  if ('reason' in parsed) throw new Error(parsed.reason);
  return parsed.rule;
});
const snapshot = compile(rules, 1);
const check = createPermissionCheck(new Set(['POST /api/v1/logout']), {
  snapshot,
});

const callerOf = (roleKey: string): Caller => ({
  userId: 7,
  username: 'mei',
  roleId: 2,
  roleKey,
  dataScope: '3',
  jti: 'j',
  expiresAt: 0,
});

/** `passed`, or the kind of the refusal. */
function outcomeOf(
  caller: Caller | undefined,
  method: string,
  path: string,
  route = `${method} ${path}`,
): string {
  try {
    check({ caller, method, path, route });
    return 'passed';
  } catch (error) {
    if (error instanceof AppError) return error.kind;
    throw error;
  }
}

// biome-ignore format: One row a decision.
const decisions = [
  // role      method    path                        outcome
  ['viewer',   'GET',    '/api/v1/orders',           'permission_denied'],
  ['viewer',   'PUT',    '/api/v1/orders/7',         'permission_denied'],
  ['viewer',   'HEAD',   '/api/v1/orders/7',         'permission_denied'],
  ['viewer',   'get',    '/api/v1/orders/7',         'permission_denied'],
  ['viewer',   'GET',    '/api/v1/orders/',          'permission_denied'],
  ['viewer',   'GET',    '/api/v1/orders/7/lines',   'permission_denied'],
  ['viewer',   'GET',    '/API/v1/orders/7',         'permission_denied'],
  ['editor',   'GET',    '/api/v1/orders/7',         'permission_denied'],
  ['editor',   'GET',    '/api/v1/files',            'permission_denied'],
  ['nobody',   'GET',    '/api/v1/orders',           'permission_denied'],
  ['',         'GET',    '/api/v1/orders',           'permission_denied'],
  // What looks like admin is a role like any other.
  ['Admin',    'GET',    '/api/v1/orders',           'permission_denied'],
  ['ADMIN',    'GET',    '/api/v1/orders',           'permission_denied'],
  ['admin ',   'GET',    '/api/v1/orders',           'permission_denied'],
  ['\u0430dmin', 'GET',  '/api/v1/orders',           'permission_denied'],
  ['__proto__', 'GET',   '/api/v1/orders',           'permission_denied'],
  // The exclusion list names a method and a path: nothing below it, nothing above it, nothing that begins like it.
  ['nobody',   'POST',   '/api/v1/logout/all',       'permission_denied'],
  ['nobody',   'POST',   '/api/v1/logout/',          'permission_denied'],
  ['nobody',   'POST',   '/api/v1/logouts',          'permission_denied'],
  ['nobody',   'POST',   '/api/v1',                  'permission_denied'],
  ['nobody',   'GET',    '/api/v1/logout',           'permission_denied'],
  ['nobody',   'post',   '/api/v1/logout',           'permission_denied'],
  // Spec, Authentication 5d.
  ['viewer',   'GET',    '/api/v1/orders/7',         'passed'],
  ['editor',   'GET',    '/api/v1/orders',           'passed'],
  ['editor',   'PUT',    '/api/v1/orders/7',         'passed'],
  ['editor',   'DELETE', '/api/v1/files/a/b',        'passed'],
  // Spec, Authentication 5a and 5b.
  ['admin',    'GET',    '/api/v1/anything',         'passed'],
  ['admin',    'DELETE', '/api/v1/orders/7',         'passed'],
  ['nobody',   'POST',   '/api/v1/logout',           'passed'],
] as const;

describe('the permission check', () => {
  it.each(['/api/v1/orders', '/api/v1/logout'])(
    'refuses a call of %s without a caller, whatever else holds',
    (path) => {
      expect(outcomeOf(undefined, 'GET', path)).toBe('token_missing');
      expect(outcomeOf(undefined, 'POST', path)).toBe('token_missing');
    },
  );

  it.each(decisions)('for %j, %s %s: %s', (roleKey, method, path, outcome) => {
    expect(outcomeOf(callerOf(roleKey), method, path)).toBe(outcome);
  });

  it('looks up exclusions by the matched route, not by the path of the request', () => {
    expect(outcomeOf(callerOf('viewer'), 'POST', '/api/v1/logout', 'POST /api/v1/:name')).toBe(
      'permission_denied',
    );
  });

  it('reads the current rules on every call', () => {
    let current = snapshot;
    const following = createPermissionCheck(new Set(), {
      get snapshot() {
        return current;
      },
    });
    const call = {
      caller: callerOf('editor'),
      method: 'GET',
      path: '/api/v1/orders',
      route: 'GET /api/v1/orders',
    };
    expect(() => following(call)).not.toThrow();
    current = compile([], 2);
    expect(() => following(call)).toThrow(AppError);
  });
});

it('reports requests that the exclusion list accepted, and no other', () => {
  const counted: string[] = [];
  const count = (route: string) => void counted.push(route);
  const counting = createPermissionCheck(new Set(['POST /api/v1/logout']), { snapshot }, count);
  const call = (roleKey: string, method: string, path: string) =>
    counting({ caller: callerOf(roleKey), method, path, route: `${method} ${path}` });
  call('editor', 'GET', '/api/v1/orders');
  call('admin', 'POST', '/api/v1/logout');
  expect(() => call('viewer', 'GET', '/api/v1/orders')).toThrow(AppError);
  expect(counted).toEqual([]);
  call('viewer', 'POST', '/api/v1/logout');
  call('editor', 'POST', '/api/v1/logout');
  expect(counted).toEqual(Array(2).fill('POST /api/v1/logout'));
});
