import { EventEmitter, once } from 'node:events';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Change } from '../../src/cluster/change.ts';
import { type Follower, type Replica, startFollower } from '../../src/cluster/follower.ts';
import { readCurrentRevision, writeRevision } from '../../src/cluster/revision-store.ts';
import { createFreshDatabase, type FreshDatabase } from '../fresh-database.ts';

const never = 3_600_000;
let database: FreshDatabase;
let follower: Follower | undefined;

beforeAll(async () => {
  database = await createFreshDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  await database.store.deleteFrom('revisions').execute();
  await database.store.updateTable('current_revision').set({ n: 0 }).execute();
});
afterEach(() => follower?.stop());

const revoke = (jti: string): Change => ({ kind: 'token_revoked', jti });
const write = (...changes: Change[]) =>
  database.store.transaction().execute((transaction) => writeRevision(transaction, changes));

/** Remembers what reaches it, in order: loads, swaps and changes. */
function createRecorder(name = '') {
  const seen: string[] = [];
  const replica: Replica = {
    async load(_transaction, revision) {
      seen.push(`${name}load ${revision}`);
      return () => seen.push(`${name}swap ${revision}`);
    },
    apply: (change) => void seen.push(`${name}${change.kind === 'token_revoked' ? change.jti : change.kind}`),
  };
  return { seen, replica };
}

async function follow(
  replicas: readonly Replica[],
  options: { every?: number; onFailure?: (cause: unknown) => void } = {},
) {
  follower = await startFollower({
    store: database.store,
    replicas,
    intervalMilliseconds: options.every ?? never,
    onFailure: options.onFailure ?? (() => {}),
  });
  return follower;
}

describe('the follower', () => {
  it('starts with a full load at the current revision', async () => {
    await write(revoke('a'));
    const { seen, replica } = createRecorder();
    const { revision } = await follow([replica]);
    expect(revision).toBe(1);
    expect(seen).toEqual(['load 1', 'swap 1']);
  });

  it('applies changes in the order of their revisions, each once, to every replica', async () => {
    const [one, two] = [createRecorder(), createRecorder()];
    const { catchUp } = await follow([one.replica, two.replica]);
    await write(revoke('a'), revoke('b'));
    await write(revoke('c'));
    await catchUp();
    await write(revoke('d'));
    await catchUp();
    await catchUp();
    expect(one.seen).toEqual(['load 0', 'swap 0', 'a', 'b', 'c', 'd']);
    expect(two.seen).toEqual(one.seen);
    expect(follower?.revision).toBe(3);
  });

  it('numbers changes without a gap when many write at once, and misses none', async () => {
    const { seen, replica } = createRecorder();
    const { catchUp } = await follow([replica]);
    const names = Array.from({ length: 40 }, (_, index) => `token-${index}`);
    await Promise.all(names.flatMap((name) => [write(revoke(name)), catchUp()]));
    await catchUp();
    expect(seen.slice(2).toSorted()).toEqual(names.toSorted());
    expect(seen.filter((line) => line.startsWith('load'))).toHaveLength(1);
    expect(follower?.revision).toBe(40);
  });

  it('loads everything after a gap', async () => {
    const { seen, replica } = createRecorder();
    const { catchUp } = await follow([replica]);
    await write(revoke('a'));
    await write(revoke('b'));
    await database.store.deleteFrom('revisions').where('n', '=', 1).execute();
    await catchUp();
    expect(seen).toEqual(['load 0', 'swap 0', 'load 2', 'swap 2']);
  });

  it('loads everything when the number went back', async () => {
    await write(revoke('a'));
    const { seen, replica } = createRecorder();
    const { catchUp } = await follow([replica]);
    await database.store.deleteFrom('revisions').execute();
    await database.store.updateTable('current_revision').set({ n: 0 }).execute();
    await catchUp();
    expect(seen).toEqual(['load 1', 'swap 1', 'load 0', 'swap 0']);
  });

  it('sees nothing of a change that is not committed', async () => {
    const { seen, replica } = createRecorder();
    const { catchUp } = await follow([replica]);
    await database.store.transaction().execute(async (transaction) => {
      await writeRevision(transaction, [revoke('a')]);
      await catchUp();
    });
    expect(seen).toEqual(['load 0', 'swap 0']);
    await catchUp();
    expect(seen).toEqual(['load 0', 'swap 0', 'a']);
  });

  it('has caught up with what was committed before the call, also when another call is under way', async () => {
    const { seen, replica } = createRecorder();
    const { catchUp } = await follow([replica]);
    const first = catchUp();
    await write(revoke('a'));
    await catchUp();
    expect(seen).toContain('a');
    await first;
  });

  it('says that it could not catch up, and catches up the next time', async () => {
    const { seen, replica } = createRecorder();
    const { catchUp } = await follow([replica]);
    await write(revoke('a'));
    await sql`alter table revisions rename to away`.execute(database.store);
    await expect(catchUp()).rejects.toThrow();
    await sql`alter table away rename to revisions`.execute(database.store);
    await catchUp();
    expect(seen).toEqual(['load 0', 'swap 0', 'a']);
  });
});

describe('a full load', () => {
  it('shows all replicas one moment, though somebody writes meanwhile', async () => {
    let laterSees: number | undefined;
    const writer: Replica = {
      async load() {
        await write(revoke('a'));
        return () => {};
      },
      apply() {},
    };
    const later: Replica = {
      async load(transaction) {
        laterSees = await readCurrentRevision(transaction);
        return () => {};
      },
      apply() {},
    };
    const { revision } = await follow([writer, later]);
    expect([revision, laterSees]).toEqual([0, 0]);
  });

  it('is put in force whole or not at all', async () => {
    const { seen, replica } = createRecorder();
    let fails = false;
    const failing: Replica = {
      async load() {
        if (fails) throw new Error('no');
        return () => {};
      },
      apply() {},
    };
    const { catchUp } = await follow([replica, failing]);
    fails = true;
    await write(revoke('a'));
    await database.store.deleteFrom('revisions').execute();
    await expect(catchUp()).rejects.toThrow('no');
    expect(seen).toEqual(['load 0', 'swap 0', 'load 1']);
    expect(follower?.revision).toBe(0);
  });
});

describe('by itself the follower', () => {
  it('applies what others wrote', async () => {
    const applied = new EventEmitter();
    const replica: Replica = {
      load: async () => () => {},
      apply: (change) => void applied.emit('change', change),
    };
    await follow([replica], { every: 5 });
    const change = once(applied, 'change');
    await write(revoke('a'));
    expect(await change).toEqual([revoke('a')]);
  });

  it('reports a failure and goes on', async () => {
    const events = new EventEmitter();
    const replica: Replica = {
      load: async () => () => {},
      apply: () => {
        if (events.emit('applied')) return;
        throw new Error('no');
      },
    };
    const failure = once(events, 'failure');
    await follow([replica], { every: 5, onFailure: (cause) => void events.emit('failure', cause) });
    await write(revoke('a'));
    expect(await failure).toEqual([expect.objectContaining({ message: 'no' })]);
    await once(events, 'applied');
  });
});
