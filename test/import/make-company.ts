// A go-admin of a given size, with a few of everything that does not fit.
import type { Rows } from '../../packages/operator/test/go-admin/source-schema.ts';

export interface Size {
  readonly users: number;
  readonly roles: number;
  readonly rules: number;
}

const departments = 500;
export function makeCompany(size: Size, passwordHash: string): Record<string, Rows> {
  const perRole = Math.ceil(size.rules / (size.roles - 1));
  return {
    sys_dept: many(departments, (index) => ({
      dept_id: index,
      parent_id: Math.floor(index / 8),
      dept_name: `Department ${index}`,
      status: '2',
    })),
    sys_role: [
      { role_id: 1, role_name: 'Administrator', role_key: 'admin', status: '2', data_scope: '' },
      ...many(size.roles - 1, (index) => ({
        role_id: index + 1,
        role_name: `Role ${index}`,
        role_key: `role_${index}`,
        status: '2',
        data_scope: String((index % 5) + 1),
      })),
    ],
    sys_role_dept: many(size.roles - 1, (index) => ({
      role_id: index + 1,
      dept_id: (index % departments) + 1,
    })),
    sys_casbin_rule: many(size.rules, (index) => ({
      ptype: 'p',
      v0: `role_${Math.ceil(index / perRole)}`,
      v1: `/api/v1/service-${index % 50}/items-${index}/:id`,
      v2: ['GET', 'POST', 'PUT', 'DELETE'][index % 4] ?? '*',
    })),
    sys_user: many(size.users, (index) => ({
      user_id: index,
      username: `user.${index}`,
      password: passwordHash,
      nick_name: `User ${index}`,
      role_id: (index % (size.roles - 1)) + 2,
      dept_id: (index % departments) + 1,
      status: index % 50 === 0 ? '1' : '2',
    })),
  };
}

/** Has `role_10`, which can list orders. */
export const clerk = 'user.9';

/** What does not fit, beside that rule: five users, of whom one is deleted, and three rules. */
export const misfits: Record<string, Rows> = {
  sys_user: [
    { user_id: 10_000_001, username: 'User.7', role_id: 2, dept_id: 1, status: '2' },
    { user_id: 10_000_002, username: 'no role', role_id: 2, dept_id: 1, status: '2' },
    { user_id: 10_000_003, username: 'nobody', role_id: 999_999, dept_id: 1, status: '2' },
    { user_id: 10_000_004, username: 'nowhere', role_id: 2, dept_id: 999_999, status: '2' },
    {
      user_id: 10_000_005,
      username: 'gone',
      role_id: 2,
      dept_id: 1,
      status: '2',
      deleted_at: '2021-06-01 10:00:00',
    },
  ],
  sys_casbin_rule: [
    { ptype: 'p', v0: 'role_10', v1: '/api/v1/orders', v2: 'GET' },
    { ptype: 'p', v0: 'role_1', v1: '/api/v1/(x+x+)+y', v2: 'GET' },
    { ptype: 'p', v0: 'nobody', v1: '/api/v1/x', v2: 'GET' },
    { ptype: 'g', v0: 'ann', v1: 'role_1', v2: '' },
  ],
};

function many<Row>(count: number, rowOf: (index: number) => Row): Row[] {
  return Array.from({ length: count }, (_, index) => rowOf(index + 1));
}
