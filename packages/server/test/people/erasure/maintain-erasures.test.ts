// What `portcullis migrate` does with erasures, after a change of the master key too.
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { verifyAudit } from '../../../src/logs/evidence/verify.ts';
import { maintainErasures } from '../../../src/people/erasure/maintain-erasures.ts';
import { type ErasureWorld, mei, startErasureWorld, writeRest } from './erasure-world.ts';

let world: ErasureWorld;
beforeAll(async () => {
  world = await startErasureWorld();
});
beforeEach(() => world.reset());
afterAll(() => world.close());

async function maintain(keys: readonly [Buffer, ...Buffer[]]): Promise<string[]> {
  const lines: string[] = [];
  await maintainErasures(world.store, { keys, work: world.work, report: (line) => void lines.push(line) });
  return lines;
}
const problemsBy = async (keys: readonly [Buffer, ...Buffer[]]) =>
  (await verifyAudit(world.store, { keys, kept: undefined })).problems;

it('seals erased records of the audit log with the new master key, except those that no key verifies', async () => {
  await writeRest(world.store, mei);
  await world.erase(7);
  await sql`update audit_log_chain set seal = ${randomBytes(32)} where seq = 2`.execute(world.store);
  const [current, previous] = world.keys;
  const next = randomBytes(32);
  expect(await problemsBy([current, previous])).toMatchObject([{ seq: 2, what: 'changed' }]);
  expect(await maintain([next, current])).toEqual([
    'Sealed 2 erased records of the audit log with the new master key.',
  ]);
  expect(await problemsBy([next])).toMatchObject([{ seq: 2, what: 'changed' }]);
  expect(await maintain([next, current])).toEqual([]);
});

const readable = async () =>
  (await sql`select id from login_log where user_id = ${mei.id} and erasure is null`.execute(world.store))
    .rows;

it('erases again where records of an erased person are readable, and no other person', async () => {
  await world.writeLogins(mei);
  await world.erase(7);
  expect(await maintain([world.keys[0]])).toEqual([]);
  // As an instance of the version before stores it: without a look at the erasures.
  await world.writeLogins(mei);
  await sql`update erasures set finished_at = now()`.execute(world.store);
  expect(await readable()).toHaveLength(4);
  expect(await maintain([world.keys[0]])).toEqual([
    'Erased again: 1 of whom records came after they were erased.',
  ]);
  expect(await readable()).toEqual([]);
});

it('reports no records that arrive during an erasure, and none of other people with the same index entry', async () => {
  await world.writeLogins(mei);
  await world.erase(7);
  await world.writeLogins({ ...mei, id: mei.id + 1024 });
  expect(await maintain([world.keys[0]])).toEqual([]);
  await world.writeLogins(mei);
  expect(await maintain([world.keys[0]])).toEqual([]);
  expect(await readable()).toEqual([]);
});

it('seals no record again that was erased without a seal', async () => {
  await writeRest(world.store, mei);
  await sql`update audit_log set action = 'user.update' where action = 'user.create'`.execute(world.store);
  expect(await world.erase(7)).toMatchObject({ unsealed: 1 });
  const [current] = world.keys;
  expect(await maintain([randomBytes(32), current])).toEqual([
    'Sealed 2 erased records of the audit log with the new master key.',
  ]);
});

it('ends with an error where a seal cannot be replaced', async () => {
  await writeRest(world.store, mei);
  await world.erase(7);
  await sql
    .raw(`create function refuse_write() returns trigger language plpgsql as 'begin raise exception ''refused''; end';
      create trigger refuse_write before update on audit_log_chain for each row execute function refuse_write()`)
    .execute(world.store);
  try {
    await expect(maintain([randomBytes(32), world.keys[0]])).rejects.toThrow('refused');
  } finally {
    await sql.raw('drop function refuse_write cascade').execute(world.store);
  }
});
