// The people of the examples: five data scopes over a small tree of departments, and one user without permissions.
import { captchaAnswer, solveCaptcha } from '../rig/captcha.ts';
import { createDatabase, type Database } from '../rig/create-database.ts';
import type { HttpClient } from '../rig/http-client.ts';
import { addUser, hashPassword, password, seed } from '../rig/seed.ts';

const list = 'GET /api/v1/orders';
const create = 'POST /api/v1/orders';
const cancel = 'POST /api/v1/orders/:id/cancel';

/** `ada` and `mark` are administrators and see all, `gina` has no rule at all. */
const people = [
  { username: 'alba', role: 'auditor', department: 1, rules: [list] },
  { username: 'carl', role: 'clerk', department: 2, rules: [list, create, cancel] },
  { username: 'bela', role: 'branch', department: 2, rules: [list] },
  { username: 'sven', role: 'seller', department: 4, rules: [list, create, cancel] },
] as const;

/** Below 1: 2 and 4. Below 2: 3. The auditor's chosen departments are 3 and 4. */
export async function createWorld(): Promise<Database> {
  const database = await createDatabase({ migrated: true });
  await seed(database);
  await database.query(
    `insert into roles (id, role_key, name, data_scope) values (10, 'seller', 'Seller', '5')`,
  );
  const passwordHash = await hashPassword(password, 2);
  await addUser(database, { username: 'sven', role: 'seller', passwordHash });
  await addUser(database, { username: 'mark', role: 'admin', passwordHash });
  await database.query(
    `insert into departments (id, parent_id, name) values (2, 1, 'Sales'), (3, 2, 'Sales north'), (4, 1, 'Support')`,
  );
  await database.query(
    `insert into role_departments select roles.id, unnest(array[3, 4]) from roles where role_key = 'auditor'`,
  );
  for (const { username, role, department, rules } of people) {
    await database.query('update users set department_id = $2 where username = $1', [username, department]);
    for (const rule of rules)
      await database.query(
        `insert into rules select id, $2, $3 from roles where role_key = $1 on conflict do nothing`,
        [role, ...rule.split(' ')],
      );
  }
  return database;
}

export async function logIn(portcullis: HttpClient, database: Database, username: string): Promise<string> {
  const { body: captcha } = await portcullis.send({ path: '/api/v1/getCaptcha' });
  await solveCaptcha(database, String(captcha.id));
  const { body, text } = await portcullis.send({
    method: 'POST',
    path: '/api/v1/login',
    body: { username, password, uuid: captcha.id, code: captchaAnswer },
  });
  if (typeof body.token !== 'string') throw new Error(`${username} cannot log in: ${text}`);
  return body.token;
}
