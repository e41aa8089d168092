// Puts rules into the database past the product, and sees how long checks take.
import type { Database } from '../../rig/create-database.ts';
import { bytesOf } from './probe.ts';
import { sendAll } from './raw-client.ts';

/** As rows and as a revision, so that a running instance meets them as well as one that starts. */
export async function forceRules(
  database: Database,
  roleKey: string,
  paths: readonly string[],
): Promise<void> {
  const changes = paths.map((path) => ({ kind: 'rule_added', roleKey, method: 'GET', path }));
  await database.query(
    `insert into rules (role_id, method, path)
     select roles.id, 'GET', unnest($2::text[]) from roles where role_key = $1 on conflict do nothing`,
    [roleKey, paths],
  );
  await forceChanges(database, changes);
}

/** A revision that no instance wrote. */
export async function forceChanges(database: Database, changes: readonly object[]): Promise<void> {
  await database.query(
    `with next as (update current_revision set n = n + 1, mark = gen_random_uuid() returning n, mark)
     insert into revisions (n, mark, changes) select n, mark, $1 from next`,
    [JSON.stringify(changes)],
  );
}

/** Milliseconds of the slowest of these checks, each at its fastest: a pattern that hangs does so every time. */
export async function slowestCheck(port: number, token: string, targets: readonly string[]): Promise<number> {
  const fastest = targets.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < 20; round += 1)
    for (const [index, target] of targets.entries()) {
      const startedAt = performance.now();
      await sendAll(port, [bytesOf({ method: 'GET', target }, token)]);
      fastest[index] = Math.min(fastest[index] ?? 0, performance.now() - startedAt);
    }
  return Math.max(...fastest);
}
