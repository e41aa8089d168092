import { type Change, createFollower, HistoryLost, type Replica } from '@portcullis/gate';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  readCurrentRevision,
  restartHistory,
  sweepRevisions,
  writeRevision,
} from '../../src/cluster/revision-store.ts';
import { createFreshDatabase, type FreshDatabase } from '../fresh-database.ts';
import { sourceOf } from '../load-replica.ts';

let database: FreshDatabase;

beforeAll(async () => {
  database = await createFreshDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  await sql`insert into revisions (n, changes) values (0, '[]') on conflict do nothing`.execute(
    database.store,
  );
  await setHistoryBack(0);
});

async function setHistoryBack(n: number): Promise<void> {
  await database.store.deleteFrom('revisions').where('n', '>', n).execute();
  const last = await database.store
    .selectFrom('revisions')
    .select('mark')
    .where('n', '=', n)
    .executeTakeFirst();
  await database.store
    .updateTable('current_revision')
    .set({ n, mark: last?.mark ?? sql<string>`gen_random_uuid()` })
    .execute();
}

const revoke = (jti: string): Change => ({ kind: 'token_revoked', jti, expiresAt: 1 });
const write = (...changes: Change[]) =>
  database.store.transaction().execute((transaction) => writeRevision(transaction, changes));

/** Remembers what reaches it, in order: loads, swaps and changes. */
function createRecorder() {
  const seen: string[] = [];
  const replica: Replica = {
    load: () => ({
      take() {},
      finish(revision) {
        seen.push(`load ${revision}`);
        return () => seen.push(`swap ${revision}`);
      },
    }),
    apply(changes) {
      for (const change of changes) seen.push(change.kind === 'token_revoked' ? change.jti : change.kind);
    },
  };
  return { seen, replica };
}

const unreadable: number[] = [];

/** A follower that has loaded, and catches up to the newest revision on a call. */
async function follow(...replicas: Replica[]) {
  unreadable.length = 0;
  const follower = createFollower(sourceOf(database.store), replicas, (n) => unreadable.push(n));
  await follower.advanceTo({ n: 0, mark: '' });
  return {
    follower,
    catchUp: async () => await follower.advanceTo(await readCurrentRevision(database.store)),
  };
}

describe('the follower', () => {
  it('refuses to go on when the number went back, and keeps what it enforces', async () => {
    await write(revoke('a'));
    await write(revoke('b'));
    const { seen, replica } = createRecorder();
    const { follower, catchUp } = await follow(replica);
    await setHistoryBack(1);
    await expect(catchUp()).rejects.toThrow(HistoryLost);
    expect(follower.revision.n).toBe(2);
    expect(seen).toEqual(['load 2', 'swap 2']);
  });

  it('refuses to go on when its number was used again for something else', async () => {
    await write(revoke('a'));
    const { follower, catchUp } = await follow(createRecorder().replica);
    await setHistoryBack(0);
    await write(revoke('b'));
    await expect(catchUp()).rejects.toThrow(HistoryLost);
    await write(revoke('c'));
    await expect(catchUp()).rejects.toThrow(/portcullis recover/);
    await expect(follower.follow()).rejects.toThrow(HistoryLost);
    expect(follower.revision.n).toBe(1);
  });

  it('loads everything after an operator has started a new history', async () => {
    await write(revoke('a'));
    const { seen, replica } = createRecorder();
    const { catchUp } = await follow(replica);
    await setHistoryBack(0);
    const { n } = await database.store.transaction().execute(restartHistory);
    await catchUp();
    await write(revoke('b'));
    await catchUp();
    expect(seen).toEqual(['load 1', 'swap 1', `load ${n}`, `swap ${n}`, 'b']);
  });

  it('finds a new history where no instance was, also where the clock went back since the last one', async () => {
    const ahead = Date.now() + 3_600_000;
    await database.store.updateTable('current_revision').set({ n: ahead }).execute();
    const { n } = await database.store.transaction().execute(restartHistory);
    expect(n).toBeGreaterThanOrEqual(ahead + 1_000_000_000);
  });

  it('starts with a full load at the current revision', async () => {
    await write(revoke('a'));
    const { seen, replica } = createRecorder();
    const { follower } = await follow(replica);
    expect(follower.revision).toEqual(await readCurrentRevision(database.store));
    expect(seen).toEqual(['load 1', 'swap 1']);
  });

  it('applies changes in the order of their revisions, each once, to every replica', async () => {
    const [one, two] = [createRecorder(), createRecorder()];
    const { follower, catchUp } = await follow(one.replica, two.replica);
    await write(revoke('a'), revoke('b'));
    await write(revoke('c'));
    await catchUp();
    await write(revoke('d'));
    await catchUp();
    await catchUp();
    expect(one.seen).toEqual(['load 0', 'swap 0', 'a', 'b', 'c', 'd']);
    expect(two.seen).toEqual(one.seen);
    expect(follower.revision.n).toBe(3);
  });

  it('differs in its generation after every change in memory', async () => {
    const { follower, catchUp } = await follow(createRecorder().replica);
    const before = follower.generation;
    await catchUp();
    expect(follower.generation).toBe(before);
    await write(revoke('a'));
    await catchUp();
    expect(follower.generation).not.toBe(before);
  });

  it('numbers changes without a gap when many write at once, and misses none', async () => {
    const { seen, replica } = createRecorder();
    const { follower, catchUp } = await follow(replica);
    const names = Array.from({ length: 40 }, (_, index) => `token-${index}`);
    await Promise.all(names.map((name) => write(revoke(name))));
    await catchUp();
    expect(seen.slice(2).toSorted()).toEqual(names.toSorted());
    expect(seen.filter((line) => line.startsWith('load'))).toHaveLength(1);
    expect(follower.revision.n).toBe(40);
  });

  it('applies more changes than one page holds', async () => {
    const { seen, replica } = createRecorder();
    const { catchUp } = await follow(replica);
    await database.store.transaction().execute(async (transaction) => {
      for (let index = 0; index < 1200; index += 1) await writeRevision(transaction, [revoke(String(index))]);
    });
    await catchUp();
    expect(seen.slice(2)).toEqual(Array.from({ length: 1200 }, (_, index) => String(index)));
  });

  it('loads everything after a gap', async () => {
    const { seen, replica } = createRecorder();
    const { catchUp } = await follow(replica);
    await write(revoke('a'));
    await write(revoke('b'));
    await database.store.deleteFrom('revisions').where('n', '=', 1).execute();
    await catchUp();
    expect(seen).toEqual(['load 0', 'swap 0', 'load 2', 'swap 2']);
  });

  it.each([
    '42',
    '"garbage"',
    '[null]',
    '[{"kind":"something_new"}]',
    '[{"kind":"epoch_raised","userId":7,"epoch":null}]',
    '[{"kind":"epoch_raised","userId":7,"epoch":"last"}]',
    '[{"kind":"role_set","id":2}]',
    '[{"kind":"token_revoked","jti":"a","expiresAt":1},{"kind":"rule_removed"}]',
  ])('loads everything, and says so, where a change cannot be read: %s', async (stored) => {
    const { seen, replica } = createRecorder();
    const { catchUp } = await follow(replica);
    await write(revoke('a'));
    await write(revoke('b'));
    await sql`update revisions set changes = ${stored}::jsonb where n = 2`.execute(database.store);
    await catchUp();
    expect(seen).toEqual(['load 0', 'swap 0', 'load 2', 'swap 2']);
    expect(unreadable).toEqual([2]);
  });

  it('loads everything when the revision was raised by hand', async () => {
    const { seen, replica } = createRecorder();
    const { catchUp } = await follow(replica);
    await sql`update current_revision set n = n + 1`.execute(database.store);
    await catchUp();
    await write(revoke('a'));
    await catchUp();
    await write(revoke('b'));
    await catchUp();
    expect(seen).toEqual(['load 0', 'swap 0', 'load 1', 'swap 1', 'load 2', 'swap 2', 'b']);
  });

  it('sees nothing of a change that is not committed', async () => {
    const { seen, replica } = createRecorder();
    const { follower, catchUp } = await follow(replica);
    await database.store.transaction().execute(async (transaction) => {
      await writeRevision(transaction, [revoke('a')]);
      await catchUp();
      expect(await follower.follow()).toBe(false);
    });
    expect(seen).toEqual(['load 0', 'swap 0']);
    await catchUp();
    expect(seen).toEqual(['load 0', 'swap 0', 'a']);
  });

  it('says that it could not catch up, and catches up the next time', async () => {
    const { seen, replica } = createRecorder();
    const { catchUp } = await follow(replica);
    await write(revoke('a'));
    await sql`alter table revisions rename to away`.execute(database.store);
    await expect(catchUp()).rejects.toThrow();
    await sql`alter table away rename to revisions`.execute(database.store);
    await catchUp();
    expect(seen).toEqual(['load 0', 'swap 0', 'a']);
  });

  it('loads everything after a change that could not be applied', async () => {
    const { seen, replica } = createRecorder();
    let fails = true;
    const failing: Replica = {
      load: () => ({ take() {}, finish: () => () => {} }),
      apply() {
        if (fails) throw new Error('no');
      },
    };
    const { catchUp } = await follow(replica, failing);
    await write(revoke('a'));
    await expect(catchUp()).rejects.toThrow('no');
    fails = false;
    await catchUp();
    expect(seen).toEqual(['load 0', 'swap 0', 'a', 'load 1', 'swap 1']);
  });
});

it('changes older than a day are forgotten, but for the newest', async () => {
  await write(revoke('a'));
  await write(revoke('b'));
  const kept = async () =>
    (await database.store.selectFrom('revisions').select('n').orderBy('n').execute()).map(({ n }) => n);
  await sweepRevisions(database.store);
  expect(await kept()).toEqual([0, 1, 2]);
  await sql`update revisions set at = now() - interval '25 hours'`.execute(database.store);
  await sweepRevisions(database.store);
  expect(await kept()).toEqual([2]);
});

describe('a full load', () => {
  it('shows all replicas the same moment, also during other writes', async () => {
    const seen: string[] = [];
    const { n } = await sourceOf(database.store).readAll(async (piece) => {
      seen.push(piece.kind);
      if (piece.kind === 'roles')
        expect(piece.roles.map(({ roleKey }) => roleKey)).not.toContain('meanwhile');
      if (piece.kind !== 'rules') return;
      await database.store
        .insertInto('roles')
        .values({ role_key: 'meanwhile', name: 'Meanwhile', data_scope: '5' })
        .execute();
      await write(revoke('a'));
    });
    await database.store.deleteFrom('roles').where('role_key', '=', 'meanwhile').execute();
    expect(n).toBe(0);
    expect(seen).toEqual(['rules', 'temporary_rules', 'epochs', 'roles', 'keys']);
  });

  it('is put in force whole or not at all', async () => {
    const { seen, replica } = createRecorder();
    let fails = false;
    const failing: Replica = {
      load: () => ({
        take() {},
        finish() {
          if (fails) throw new Error('no');
          return () => {};
        },
      }),
      apply() {},
    };
    const { follower, catchUp } = await follow(replica, failing);
    fails = true;
    await write(revoke('a'));
    await database.store.deleteFrom('revisions').execute();
    await expect(catchUp()).rejects.toThrow('no');
    expect(seen).toEqual(['load 0', 'swap 0', 'load 1']);
    expect(follower.revision.n).toBe(0);
  });
});
