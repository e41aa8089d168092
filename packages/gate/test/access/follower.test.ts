import { expect, it } from 'vitest';
import type { Change } from '../../src/access/change.ts';
import {
  type AccessSource,
  createFollower,
  HistoryLost,
  type Replica,
  type Revision,
} from '../../src/access/follower.ts';

const change: Change = { kind: 'role_disabled', id: 2 };

/** A history of one change a revision; a full load finds the newest. */
function createSource() {
  let revisions: (Revision & { readonly changes: readonly Change[] })[] = [];
  const source: AccessSource = {
    listRevisionsFrom: async (n) => revisions.filter((revision) => revision.n >= n),
    readAll: async () => newest(),
  };
  const newest = () => revisions.at(-1) ?? { n: 0, mark: '' };
  return {
    source,
    newest,
    write() {
      const n = newest().n + 1;
      revisions.push({ n, mark: `mark ${n}`, changes: [change] });
    },
    /** Drops the older revisions: a follower that is behind must load everything. */
    forget() {
      revisions = revisions.slice(-1);
    },
  };
}

/** Calls the function with every change or swap that reaches it. */
const watching = (see: (what: 'change' | 'swap') => void): Replica => ({
  load: () => ({ take() {}, finish: () => () => see('swap') }),
  apply: () => see('change'),
});

it.each([
  ['an older state', { n: 1, mark: 'mark 1' }],
  ['another history of its number', { n: 2, mark: 'other' }],
])('%s is never loaded over what is in force, though the report before it was newer', async (_, loaded) => {
  const { source, newest, write, forget } = createSource();
  let readAll = source.readAll;
  const swaps: string[] = [];
  const follower = createFollower(
    { ...source, readAll: (take) => readAll(take) },
    [watching((what) => swaps.push(what))],
    () => {},
  );
  write();
  write();
  await follower.advanceTo(newest());
  write();
  forget();
  // Once: a follower that applied it would continue to the newest.
  readAll = async () => {
    readAll = source.readAll;
    return loaded;
  };
  await expect(follower.advanceTo(newest())).rejects.toThrow(HistoryLost);
  expect([follower.revision.n, swaps]).toEqual([2, ['swap']]);
});

it('refuses an older state also after an update that failed half-way', async () => {
  const { source, newest, write } = createSource();
  let readAll = source.readAll;
  let fails = false;
  const follower = createFollower(
    { ...source, readAll: (take) => readAll(take) },
    [
      watching(() => {
        if (fails) throw new Error('no');
      }),
    ],
    () => {},
  );
  write();
  await follower.advanceTo(newest());
  write();
  fails = true;
  await expect(follower.advanceTo(newest())).rejects.toThrow('no');
  fails = false;
  readAll = async () => {
    readAll = source.readAll;
    return { n: 1, mark: 'mark 1' };
  };
  await expect(follower.advanceTo(newest())).rejects.toThrow(HistoryLost);
});

it.each(['change', 'swap'] as const)(
  'the generation differs while a %s is put in force, and after a replica threw at it: the others have made it',
  async (thrownAt) => {
    const { source, newest, write, forget } = createSource();
    const generations: number[] = [];
    let fails = false;
    const follower = createFollower(
      source,
      [
        watching(() => generations.push(follower.generation)),
        watching((what) => {
          if (fails && what === thrownAt) throw new Error('no');
        }),
      ],
      () => {},
    );
    write();
    await follower.advanceTo(newest());
    const before = follower.generation;
    fails = true;
    write();
    if (thrownAt === 'swap') forget();
    await expect(follower.advanceTo(newest())).rejects.toThrow('no');
    expect(generations.at(-1)).not.toBe(before);
    expect(follower.generation).not.toBe(before);
    fails = false;
    await follower.advanceTo(newest());
    expect(follower.revision).toMatchObject({ n: 2, mark: 'mark 2' });
  },
);
