// One full login of a client: a captcha fetched and solved, then name and password.
import { errorTable } from '@portcullis/contract';
import { captchaAnswer, solveCaptcha } from '../../test/rig/captcha.ts';
import type { Database } from '../../test/rig/create-database.ts';
import type { HttpClient } from '../../test/rig/http-client.ts';
import { password, passwordHash, userCount } from './fixture.ts';

/** Not where the turn of its hash did not come within a second, as on a machine that stood still so long. */
export async function logIn(database: Database, client: HttpClient, username: string): Promise<boolean> {
  const { body: captcha } = await client.send({ path: '/api/v1/getCaptcha' });
  const uuid = String(captcha.id);
  await solveCaptcha(database, uuid);
  const { body, text } = await client.send({
    method: 'POST',
    path: '/api/v1/login',
    body: { username, password, uuid, code: captchaAnswer },
  });
  if (body.code !== 200 && body.code !== errorTable.rate_limited.code)
    throw new Error(`${username} cannot log in: ${text}`);
  return body.code === 200;
}

export async function seedUsers(database: Database): Promise<void> {
  await database.query(`insert into departments (name) values ('Head office')`);
  await database.query(`insert into roles (id, role_key, name) values (2, 'clerk', 'clerk')`);
  await database.query(
    `insert into users (username, canonical_username, department_id, role_id, password_hash)
     select 'user-' || n, 'user-' || n, departments.id, 2, $2 from departments, generate_series(0, $1::int - 1) as n`,
    [userCount, passwordHash],
  );
}
