import { describe, expect, it } from 'vitest';
import {
  addView,
  findNameProblem,
  isSameQuery,
  longestName,
  mostViews,
  parseViews,
  removeView,
  renameView,
} from '../../src/logs/named-views.ts';

const view = (name: string, query: Record<string, string> = { ip: '10.0.0.1' }) => ({ name, query });

describe('what a browser has kept', () => {
  it.each([
    null,
    '',
    'null',
    '{}',
    '[',
    '"views"',
    '[1, null, "x"]',
    '[{"name": 1, "query": {}}]',
    '[{"name": "", "query": {}}]',
    `[{"name": "${'x'.repeat(longestName + 1)}", "query": {}}]`,
    '[{"name": "a"}]',
    '[{"name": "a", "query": null}]',
    '[{"name": "a", "query": []}]',
    '[{"name": "a", "query": {"ip": 7}}]',
  ])('%s holds no view', (text) => {
    expect(parseViews(text)).toEqual([]);
  });

  it('is read as it was written, as far as there may be so many', () => {
    const views = Array.from({ length: mostViews + 1 }, (_, place) => view(`view ${place}`));
    expect(parseViews(JSON.stringify(views))).toEqual(views.slice(0, mostViews));
  });
});

it.each([
  ['', 'empty'],
  ['x'.repeat(longestName + 1), 'long'],
  ['my view', 'taken'],
  ['Another', undefined],
])('the name «%s» is %s', (name, problem) => {
  expect(findNameProblem(name, ['My View'])).toBe(problem);
});

it('filters are the same in any order, and not where one has more', () => {
  expect(isSameQuery({ a: '1', b: '2' }, { b: '2', a: '1' })).toBe(true);
  expect(isSameQuery({ a: '1' }, { a: '1', b: '2' })).toBe(false);
  expect(isSameQuery({ a: '1' }, { b: '1' })).toBe(false);
  expect(isSameQuery({}, {})).toBe(true);
});

it('sorts views by name, and renames and removes one at a time', () => {
  const views = addView(addView([], view('b')), view('a'));
  expect(views.map(({ name }) => name)).toEqual(['a', 'b']);
  expect(renameView(views, 'a', 'c')).toEqual([view('b'), view('c')]);
  expect(renameView(views, 'nobody', 'c')).toEqual(views);
  expect(removeView(views, 'a')).toEqual([view('b')]);
});
