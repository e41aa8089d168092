import { describe, expect, it } from 'vitest';
import { findCallers, isOnlyForAdmin } from '../../../src/pages/endpoints/find-callers.ts';
import type { MatrixRole, MatrixRoute } from '../../../src/pages/matrix/load-matrix.ts';

const route = (more: Partial<MatrixRoute> = {}): MatrixRoute => ({
  service: 'orders',
  method: 'GET',
  path: '/orders/:id',
  title: '',
  tag: null,
  access: 'permission',
  excluded: false,
  ...more,
});
const role = (roleKey: string, cells: string, enabled = true): MatrixRole => ({
  id: 1,
  roleKey,
  name: roleKey.toUpperCase(),
  enabled,
  revision: 0,
  cells,
});

describe('an endpoint only admin can call', () => {
  it.each([
    ['no role has a rule', [role('editor', '-')]],
    ['only a disabled role has one', [role('former', 'r', false)]],
    ['there is only admin', []],
    ['the cell is missing', [role('editor', '')]],
  ])('where %s', (_what, roles) => {
    const all = [role('admin', 'a'), ...roles];
    expect(findCallers(route(), 0, all)).toEqual({ kind: 'only-admin' });
    expect(isOnlyForAdmin(route(), 0, all)).toBe(true);
  });

  it('excludes endpoints that need no rule', () => {
    for (const open of [{ access: 'public' }, { access: 'identity' }, { excluded: true }] as const)
      expect(isOnlyForAdmin(route(open), 0, [])).toBe(false);
  });
});

describe('the callers of an endpoint', () => {
  it.each([
    ['anybody', { access: 'public', excluded: true }],
    ['signed-in', { access: 'identity' }],
    ['excluded', { excluded: true }],
  ] as const)('is %s', (kind, more) => {
    expect(findCallers(route(more), 0, [role('editor', 'r')])).toEqual({ kind });
  });

  it('are the enabled roles, whole ones first, by the cell of the endpoint', () => {
    const roles = [
      role('admin', 'aa'),
      role('clerk', '-s'),
      role('editor', '-r'),
      role('former', '-a', false),
      role('other', 'r-'),
      role('viewer', '-a'),
    ];
    expect(findCallers(route(), 1, roles)).toEqual({
      kind: 'roles',
      roles: [
        { id: 1, name: 'EDITOR', roleKey: 'editor', partly: false },
        { id: 1, name: 'VIEWER', roleKey: 'viewer', partly: false },
        { id: 1, name: 'CLERK', roleKey: 'clerk', partly: true },
      ],
    });
    expect(isOnlyForAdmin(route(), 1, roles)).toBe(false);
  });
});
