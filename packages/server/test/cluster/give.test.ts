// A change that gives access waits for no member, and is still notified: without the notification it would arrive with the next report.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAccessWriter } from '../../src/cluster/access-writer.ts';
import { unchecked } from '../access-stand-in.ts';
import { createFreshDatabase, type FreshDatabase } from '../fresh-database.ts';

let database: FreshDatabase;
beforeAll(async () => {
  database = await createFreshDatabase();
});
afterAll(() => database.drop());

it('a change that gives is announced under its revision, and passes no barrier', async () => {
  const announced: number[] = [];
  const access = createAccessWriter(database.store, {
    pass: () => Promise.reject(new Error('It waits.')),
    announce: (revision) => void announced.push(revision),
  });
  const revision = await access.give(unchecked, async () => [
    { kind: 'role_set', id: 9, roleKey: 'clerk', dataScope: '5' },
  ]);
  expect(announced).toEqual([revision]);
});
