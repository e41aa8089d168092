// `portcullis user erase`, `erased` and `export` on a real database, also after a backup was restored.
import type { ErasureReceipt } from '@portcullis/contract';
import { insertLoginRows } from '@portcullis/server/logs/login-log/login-log-store.ts';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { failIfAttackSucceeded } from '../../../../test/weaknesses/attack.ts';
import { createFreshDatabase, type FreshDatabase } from '../../../server/test/fresh-database.ts';
import { rowWith } from '../../../server/test/logs/login-log/write-chain.ts';
import { seedDirectory } from '../../../server/test/seed-directory.ts';
import { performCommand } from './perform-command.ts';

let database: FreshDatabase;
beforeEach(async () => {
  database = await createFreshDatabase();
  await seedDirectory(database.store);
});
afterEach(() => database.drop());

const run = (command: readonly string[], input?: string) =>
  performCommand(['user', ...command], { url: database.url, ...(input === undefined ? {} : { input }) });
const again = (...receipts: readonly object[]) =>
  run(['erase', '--again', '-', '--yes'], receipts.map((receipt) => JSON.stringify(receipt)).join('\n'));
const nameOf = async (id: number) =>
  (await database.store.selectFrom('users').select('username').where('id', '=', id).executeTakeFirst())
    ?.username;

async function erase(username: string): Promise<ErasureReceipt> {
  const { code, stdout, stderr } = await run(['erase', username, '--yes', '--json']);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as ErasureReceipt;
}

/** As a backup has it that was made before the erasure. */
async function restore(id: number, username: string): Promise<void> {
  await sql`update users set username = ${username}, canonical_username = ${username}, deleted_at = null, enabled = true
    where id = ${id}`.execute(database.store);
  await sql`delete from erasures where user_id = ${id}`.execute(database.store);
}

it('erases one person, and prints the receipts of all', async () => {
  await insertLoginRows(database.store, [
    JSON.stringify({ ...rowWith({ username: 'mei', user_id: 7 }), hash: null }),
  ]);
  const receipt = await erase('mei');
  expect(receipt).toMatchObject({ userId: 7, loginRecords: 1, unsealed: 0 });
  expect(receipt.finishedAt).not.toBeNull();
  expect(await nameOf(7)).toBe('[erased:7]');
  expect(await nameOf(8)).toBe('kim');
  const { stdout } = await run(['erased']);
  expect(
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual([receipt]);
});

it('`log maintain` erases what came late before it ends, and says so', async () => {
  await erase('mei');
  await insertLoginRows(database.store, [
    JSON.stringify({ ...rowWith({ username: 'mei', user_id: 7 }), hash: null }),
  ]);
  await sql`update erasures set finished_at = now()`.execute(database.store);
  const { code, stdout } = await performCommand(['log', 'maintain'], { url: database.url });
  expect([code, stdout]).toEqual([
    0,
    expect.stringContaining('Erased again: 1 of whom records came after they were erased.'),
  ]);
  expect((await sql`select from login_log where erasure is null`.execute(database.store)).rows).toEqual([]);
});

it.each([
  ['no user', ['erase', '--yes'], 64, 'Give a username, --id or --again.'],
  ['a name and a number', ['erase', 'mei', '--id', '7', '--yes'], 64, 'Give a username, --id or --again.'],
  ['an unknown id', ['erase', '--id', '999', '--yes'], 1, 'There is no account 999'],
  ['an answer that is missing', ['erase', 'mei'], 64, 'give --yes'],
  ['no user to export', ['export'], 64, 'Give a username or --id.'],
])('%s: is refused with what to do', async (_what, command, code, reason) => {
  const ended = await run(command);
  expect(ended).toMatchObject({ code, stdout: '' });
  expect(ended.stderr).toContain(reason);
  expect(await nameOf(7)).toBe('mei');
});

describe('after a backup was restored', () => {
  it('erases every other person where one cannot be erased, and names that person', async () => {
    const receipts = [await erase('mei'), await erase('kim')];
    await restore(7, 'mei');
    await restore(8, 'kim');
    // The only administrator.
    await sql`update users set role_id = 1 where id = 7`.execute(database.store);
    const ended = await again(...receipts);
    failIfAttackSucceeded((await nameOf(8)) === 'kim', 'the second person is not erased');
    expect(ended).toEqual({
      code: 1,
      stdout: expect.stringMatching(/1 person is erased again/),
      stderr: expect.stringMatching(/Not erased: account 7\./),
    });
    expect([await nameOf(7), await nameOf(8)]).toEqual(['mei', '[erased:8]']);
  });

  it('erases the people of the receipts again, also those whose erasure the backup has', async () => {
    const receipts = [await erase('mei'), await erase('kim')];
    await restore(7, 'mei');
    await insertLoginRows(database.store, [
      JSON.stringify({ ...rowWith({ username: 'kim', user_id: 8 }), hash: null }),
    ]);
    await sql`update erasures set finished_at = now()`.execute(database.store);
    const { code, stdout } = await again(...receipts);
    expect([code, stdout]).toEqual([0, '2 people are erased again.\n']);
    expect([await nameOf(7), await nameOf(8)]).toEqual(['[erased:7]', '[erased:8]']);
    const readable = sql`select from login_log where erasure is null`.execute(database.store);
    expect((await readable).rows).toEqual([]);
  });

  it('erases those of the receipts alone', async () => {
    const [receipt, other] = [await erase('mei'), await erase('kim')];
    expect(await again(receipt)).toMatchObject({ code: 0 });
    const { stdout } = await run(['erased']);
    const [mei, kim] = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as ErasureReceipt)
      .toSorted((a, b) => a.userId - b.userId);
    expect(kim).toEqual(other);
    expect(mei?.finishedAt).not.toBe(receipt.finishedAt);
  });

  it('names a person whose erasure cannot be begun again, as Postgres says', async () => {
    const receipt = await erase('mei');
    await sql
      .raw(`create function refuse_write() returns trigger language plpgsql as 'begin raise exception ''refused''; end';
        create trigger refuse_write before update on erasures for each row
        when (new.finished_at is null) execute function refuse_write()`)
      .execute(database.store);
    expect(await again(receipt)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('refused'),
    });
  });

  it('leaves an account alone that was given the number since, and one that is not there', async () => {
    const receipts = [await erase('mei'), await erase('kim')];
    await restore(7, 'ann');
    await sql`update users set created_at = created_at + interval '1 microsecond' where id = 7`.execute(
      database.store,
    );
    await sql`delete from erasures`.execute(database.store);
    await sql`delete from users where id = 8`.execute(database.store);
    const { code, stdout } = await again(...receipts);
    expect(code).toBe(0);
    expect(stdout).toContain('0 people are erased again.');
    expect(stdout).toContain('Left unchanged: 1 whose number another user has now.');
    expect(stdout).toContain('Not there: 1.');
    expect(await nameOf(7)).toBe('ann');
  });

  it('erases no person where one of the receipts is not from this database', async () => {
    const receipt = await erase('mei');
    await restore(7, 'mei');
    const forged = { ...receipt, userId: 8 };
    const refused = await again(receipt, forged);
    expect(refused).toMatchObject({ code: 78, stdout: '' });
    expect(refused.stderr).toContain('Nothing was erased.');
    const rubbish = await again(receipt, {});
    expect(rubbish).toMatchObject({ code: 64, stdout: '' });
    expect([await nameOf(7), await nameOf(8)]).toEqual(['mei', 'kim']);
  });
});
