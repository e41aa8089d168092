// The people, roles and rules that the suites work with, written by SQL before the server starts.
import { hash } from '@node-rs/argon2';
import type { Database } from './create-database.ts';

export const password = 'Rig-password-4711';

interface SeededRole {
  readonly key: string;
  readonly dataScope: string;
  readonly enabled?: false;
  /** As `METHOD /path`. */
  readonly rules: readonly string[];
}

/** `admin` has no rule at all: what it may, it may by its key. */
export const roles: readonly SeededRole[] = [
  { key: 'admin', dataScope: '1', rules: [] },
  {
    key: 'clerk',
    dataScope: '3',
    rules: [
      'GET /api/v1/orders',
      'POST /api/v1/orders',
      'GET /api/v1/orders/:id',
      'POST /api/v1/faults',
      '* /api/v1/refresh_token',
    ],
  },
  { key: 'auditor', dataScope: '2', rules: ['GET /api/v1/reports/*', '* /api/v1/orders/:id'] },
  { key: 'branch', dataScope: '4', rules: [] },
  { key: 'guest', dataScope: '5', rules: [] },
  { key: 'retired', dataScope: '5', enabled: false, rules: ['GET /api/v1/orders'] },
];

export const users = [
  { username: 'ada', role: 'admin', enabled: true },
  { username: 'carl', role: 'clerk', enabled: true },
  { username: 'alba', role: 'auditor', enabled: true },
  { username: 'bela', role: 'branch', enabled: true },
  { username: 'gina', role: 'guest', enabled: true },
  { username: 'dora', role: 'clerk', enabled: false },
  { username: 'otto', role: 'retired', enabled: true },
] as const;
export type Username = (typeof users)[number]['username'];

const passwordHash = hashPassword(password, 2);

/** The product's parameters but for the time cost, which a suite may raise to make a hash that shows. */
export function hashPassword(text: string, timeCost: number): Promise<string> {
  return hash(text, { memoryCost: 19_456, timeCost, parallelism: 1 });
}

export async function seed(database: Database): Promise<void> {
  await database.query(`insert into departments (name) values ('Head office')`);
  for (const [index, role] of roles.entries()) {
    await database.query(
      'insert into roles (id, role_key, name, data_scope, enabled) values ($1, $2, $2, $3, $4)',
      [index + 1, role.key, role.dataScope, role.enabled ?? true],
    );
    for (const rule of role.rules)
      await database.query('insert into rules (role_id, method, path) values ($1, $2, $3)', [
        index + 1,
        ...rule.split(' '),
      ]);
  }
  await database.query('alter table roles alter column id restart with 100');
  for (const user of users) await addUser(database, { ...user, passwordHash: await passwordHash });
}

interface NewUser {
  readonly username: string;
  readonly role: string;
  readonly enabled?: boolean;
  readonly passwordHash: string;
}

export async function addUser(database: Database, user: NewUser): Promise<void> {
  await database.query(
    `insert into users (username, canonical_username, nick_name, department_id, role_id, password_hash, enabled)
     select $1, $1, initcap($1), departments.id, roles.id, $3, $4 from departments, roles where role_key = $2`,
    [user.username, user.role, user.passwordHash, user.enabled ?? true],
  );
}
