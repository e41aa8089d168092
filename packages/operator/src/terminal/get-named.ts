// Finds a user or a department by the name that the operator gives.
import { type Department, listDepartmentsEndpoint, listUsersEndpoint, type User } from '@portcullis/contract';
import { canonicalUsername } from '@portcullis/server/base/values/canonical-username.ts';
import type { Operator } from '../compose-operator.ts';
import { CommandFailure } from './exit-codes.ts';
import { listAll } from './list-all.ts';

export async function getUserNamed(operator: Operator, username: string): Promise<User> {
  const name = canonicalUsername(username);
  // The list is sorted by name, so the exact name is the first with this prefix.
  const query = { username: name, limit: 1 };
  const { data } = name === '' ? { data: { items: [] } } : await operator.call(listUsersEndpoint, { query });
  const [user] = data.items;
  if (user === undefined || canonicalUsername(user.username) !== name)
    throw new CommandFailure(`There is no user ${username}. \`portcullis user list\` lists the users.`);
  return user;
}

/** By id, or by name if only one department has it. */
export async function getDepartmentNamed(operator: Operator, text: string): Promise<Department> {
  const found: Department[] = [];
  const departments = listAll(
    async (query) => (await operator.call(listDepartmentsEndpoint, { query })).data,
  );
  for await (const department of departments) {
    if (String(department.id) === text) return department;
    if (department.name === text) found.push(department);
  }
  const [department, ...others] = found;
  if (department === undefined)
    throw new CommandFailure(`There is no department ${text}. Give its id, or its name as it is written.`);
  if (others.length > 0)
    throw new CommandFailure(
      `${found.length} departments are called ${text}. Give one by its id: ${found.map(({ id }) => id).join(', ')}.`,
    );
  return department;
}
