import { expect, it } from 'vitest';
import { addRecord, mergeRecords, mostLive } from '../../../src/pages/login-log/merge-records.ts';

const records = (...ids: string[]) => ids.map((id) => ({ id }));

it('puts a new record on top, once', () => {
  const live = addRecord(records('b', 'a'), { id: 'c' });
  expect(live).toEqual(records('c', 'b', 'a'));
  expect(addRecord(live, { id: 'b' })).toBe(live);
});

it('lets the oldest go where there are too many', () => {
  const full = Array.from({ length: mostLive }, (_, place) => ({ id: String(place) }));
  const live = addRecord(full, { id: 'new' });
  expect(live).toHaveLength(mostLive);
  expect(live[0]).toEqual({ id: 'new' });
  expect(live.at(-1)).toEqual({ id: String(mostLive - 2) });
});

it('shows a record once that was told live and is listed', () => {
  expect(mergeRecords(records('d', 'c'), records('c', 'b'))).toEqual(records('d', 'c', 'b'));
});
