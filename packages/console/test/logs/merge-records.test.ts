import { expect, it } from 'vitest';
import { addRecord, mergeRecords, mostLive } from '../../src/logs/merge-records.ts';

const records = (...ids: string[]) => ids.map((id) => ({ id }));

it('puts a new record on top, once', () => {
  const live = addRecord(records('b', 'a'), { id: 'c' });
  expect(live).toEqual(records('c', 'b', 'a'));
  expect(addRecord(live, { id: 'b' })).toBe(live);
});

it('lets the older half go where there are too many, so that it shows', () => {
  const full = Array.from({ length: mostLive }, (_, place) => ({ id: String(place) }));
  const live = addRecord(full, { id: 'new' });
  expect(live).toHaveLength(mostLive / 2 + 1);
  expect(live[0]).toEqual({ id: 'new' });
  expect(live.at(-1)).toEqual({ id: String(mostLive / 2 - 1) });
});

it('shows a record once that was told live and is listed', () => {
  expect(mergeRecords(records('d', 'c'), records('c', 'b'))).toEqual(records('d', 'c', 'b'));
});

it('has the newest first, also where one comes late', () => {
  expect(mergeRecords(records('b', 'd'), records('c', 'a'))).toEqual(records('d', 'c', 'b', 'a'));
});
