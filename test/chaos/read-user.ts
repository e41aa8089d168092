// What the tokens of a user carry now, as the database has it: whatever was done to the user before.
import type { Database } from '../rig/create-database.ts';

export interface UserState {
  readonly epoch: number;
  readonly roleId: number;
}

export async function readUser(database: Database, userId: number): Promise<UserState> {
  const [row] = await database.query<{ epoch: string; roleId: number }>(
    'select epoch, role_id::int as "roleId" from users where id = $1',
    [userId],
  );
  if (row === undefined) throw new Error(`There is no user ${userId}.`);
  return { epoch: Number(row.epoch), roleId: row.roleId };
}
