import type { AuditItem, LoginLogItem } from '@portcullis/contract';
import { expect, it } from 'vitest';
import { mergeLogs } from '../../../src/people/activity/merge-logs.ts';

const logins = (...ids: string[]) => ids.map((id) => ({ id, at: `at ${id}` }) as LoginLogItem);
const changes = (...ids: string[]) => ids.map((id) => ({ id, at: `at ${id}` }) as AuditItem);
const idsOf = (logs: Parameters<typeof mergeLogs>[0]) => {
  const { items, next } = mergeLogs(logs);
  return [items.map(({ id }) => id).join(''), next];
};

it('keeps changes back where logins between them may be missing', () => {
  expect(idsOf({ logins: logins('h'), loginsEnd: 'f', changes: changes('i', 'g', 'b'), limit: 5 })).toEqual([
    'ihg',
    'f',
  ]);
  expect(idsOf({ logins: [], loginsEnd: 'f', changes: changes('b', 'a'), limit: 5 })).toEqual(['', 'f']);
});

it('goes on after the last that it shows', () => {
  expect(
    idsOf({ logins: logins('h', 'f', 'd'), loginsEnd: 'd', changes: changes('g', 'e', 'c', 'a'), limit: 3 }),
  ).toEqual(['hgf', 'f']);
  expect(idsOf({ logins: [], loginsEnd: undefined, changes: changes('c', 'b', 'a'), limit: 2 })).toEqual([
    'cb',
    'b',
  ]);
});

it('ends where both logs end, also where that fills the page', () => {
  expect(
    idsOf({ logins: logins('d', 'b'), loginsEnd: undefined, changes: changes('c', 'a'), limit: 4 }),
  ).toEqual(['dcba', undefined]);
});

it('names the log of each record', () => {
  const { items } = mergeLogs({
    logins: logins('b'),
    loginsEnd: undefined,
    changes: changes('a'),
    limit: 4,
  });
  expect(items).toEqual([
    { id: 'b', at: 'at b', login: { id: 'b', at: 'at b' }, change: null },
    { id: 'a', at: 'at a', login: null, change: { id: 'a', at: 'at a' } },
  ]);
});
