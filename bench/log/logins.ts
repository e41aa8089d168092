// Logins over HTTP on a service in dev mode, which requires no captcha: the benchmark does not measure its picture.
import { hashSync, type Options } from '@node-rs/argon2';
import type { Database } from '../../test/rig/create-database.ts';
import type { HttpClient } from '../../test/rig/http-client.ts';
import { password, userCount, usernameOf } from '../login/fixture.ts';

export { usernameOf };
export const administrator = 'ada';

export interface HashCost {
  readonly memoryKibibytes: number;
  readonly passes: number;
}

export const defaultCost: HashCost = { memoryKibibytes: 19_456, passes: 2 };
export const leastCost: HashCost = { memoryKibibytes: 64, passes: 1 };

export function settingsFor({ memoryKibibytes, passes }: HashCost): Record<string, string> {
  return {
    APPLICATION_MODE: 'dev',
    HASH_MEMORY_KIBIBYTES: String(memoryKibibytes),
    HASH_PASSES: String(passes),
  };
}

export async function seedUsers(database: Database, { memoryKibibytes, passes }: HashCost): Promise<void> {
  const options: Options = { memoryCost: memoryKibibytes, timeCost: passes, parallelism: 1 };
  await database.query(`insert into departments (name) values ('Head office')`);
  await database.query(
    `insert into roles (id, role_key, name, data_scope) values (1, 'admin', 'admin', '1'), (2, 'clerk', 'clerk', '3')`,
  );
  await database.query(`insert into rules (role_id, method, path) values (2, 'GET', '/api/v1/login-logs')`);
  await database.query(
    `insert into users (username, canonical_username, department_id, role_id, password_hash)
     select 'user-' || n, 'user-' || n, departments.id, 2, $2 from departments, generate_series(0, $1::int - 1) as n
     union all select $3, $3, departments.id, 1, $2 from departments`,
    [userCount, hashSync(password, options), administrator],
  );
}

/** Returns the duration in milliseconds. */
export async function logIn(client: HttpClient, username: string): Promise<number> {
  const startedAt = performance.now();
  await tokenOf(client, username);
  return performance.now() - startedAt;
}

export async function tokenOf(client: HttpClient, username: string): Promise<string> {
  const { body, text } = await client.send({
    method: 'POST',
    path: '/api/v1/login',
    body: { username, password, uuid: 'none', code: 'NONE' },
  });
  if (body.code !== 200) throw new Error(`${username} cannot log in: ${text}`);
  return String(body.token);
}
