// The test data: 1,000 users in 100 roles with 100 rules each. Every role can call the benchmark's
// endpoint, by its last rule.
import { helloEndpoint } from './hello.ts';

export const userCount = 1000;
const roleCount = 100;
const rulesPerRole = 100;
const firstRoleId = 2;

export const roles = Array.from({ length: roleCount }, (_, index) => ({
  id: firstRoleId + index,
  roleKey: `bench-${index}`,
}));

export const rules = roles.flatMap(({ id, roleKey }) => [
  ...Array.from({ length: rulesPerRole - 1 }, (_, index) => ({
    roleId: id,
    roleKey,
    method: index % 2 === 0 ? 'GET' : 'POST',
    path: index % 3 === 0 ? `/api/v1/bench/item-${index}/:id` : `/api/v1/module-${index}/list`,
  })),
  { roleId: id, roleKey, method: helloEndpoint.method, path: helloEndpoint.path },
]);

export function accountOf(user: number) {
  const role = roles[user % roleCount] ?? { id: 0, roleKey: '' };
  return {
    userId: user + 1,
    username: `user-${user}`,
    roleId: role.id,
    roleKey: role.roleKey,
    dataScope: '5',
    epoch: 1,
  } as const;
}
