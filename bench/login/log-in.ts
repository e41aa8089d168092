// One complete login of a client: it fetches and solves a captcha, then sends username and password.
import { errorTable } from '@portcullis/contract';
import { captchaAnswer, solveCaptcha } from '../../test/rig/captcha.ts';
import type { Database } from '../../test/rig/create-database.ts';
import type { HttpClient } from '../../test/rig/http-client.ts';
import { password, passwordHash, userCount } from './fixture.ts';

/** Returns false if the login got no hash slot within a second, for example because the machine paused. */
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
