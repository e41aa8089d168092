// Whom the load logs in as: enough accounts that no throttle closes them, with hashes of the least cost.
import { createHash } from 'node:crypto';
import { hash } from '@node-rs/argon2';
import type { Database } from '../../rig/create-database.ts';
import { password } from '../../rig/seed.ts';

export const people = { live: 200, idle: 60, retired: 60 } as const;
export type Group = keyof typeof people;

/** As the instances are set: a login shall cost the log, not the hash. */
export const leastCost = { memoryKibibytes: 64, passes: 1 } as const;

export function nameOf(group: Group, index: number): string {
  return `${group}${index}`;
}

/** Every name has a separate network, as far as there are any. */
export function networkOf(username: string): string {
  const [one = 0, two = 0, three = 0] = createHash('md5').update(username).digest();
  return `10.${one}.${two}.${three}`;
}

export async function seedPeople(database: Database): Promise<void> {
  const passwordHash = await hash(password, {
    memoryCost: leastCost.memoryKibibytes,
    timeCost: leastCost.passes,
    parallelism: 1,
  });
  await database.query(`insert into departments (name) values ('Head office')`);
  await database.query(
    `insert into roles (id, role_key, name, data_scope, enabled)
     values (1, 'admin', 'admin', '1', true), (2, 'clerk', 'clerk', '3', true), (3, 'retired', 'retired', '3', false)`,
  );
  for (const [group, count] of Object.entries(people))
    await database.query(
      `insert into users (username, canonical_username, nick_name, department_id, role_id, password_hash, enabled)
       select $1 || n, $1 || n, $1 || n, departments.id, $3, $4, $5
       from departments, generate_series(0, $2::int - 1) as n`,
      [group, count, group === 'retired' ? 3 : 2, passwordHash, group !== 'idle'],
    );
}
