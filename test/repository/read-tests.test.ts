// The pages that list tests name them as their sources do.
import { describe, expect, it } from 'vitest';
import { findTests, showTitle } from '../../scripts/read-tests.ts';

describe('the title of a test', () => {
  it.each([
    'it(',
    'it.concurrent(',
    'it.only(',
    "it.each(['(a', 'b)'])(",
    'it.concurrent.each([\n  [1, f(2)],\n])(\n  ',
    'it.for([1])(',
    'it.skipIf(has(1))(',
    'it.runIf(a && (b || c))(',
    "it.skipIf(!judges(1)).each(['(a', 'b)'])(",
  ])('is found behind %j', (call) => {
    expect(findTests(`${call}'is so', async () => { f('not this'); });`)).toEqual([
      { group: '', title: 'is so' },
    ]);
  });

  it('has ‹names› for what varies', () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: As it stands in a source.
    const title = 'at most ${limit} of %i by $name, ${a.b} in "%s"';
    expect(showTitle(title)).toBe('at most ‹limit› of ‹…› by ‹name›, ‹a.b› in ‹…›');
  });
});

it.each(['describe(', 'describe.concurrent(', "describe.each(['x'])(", 'describe.runIf(has(1))('])(
  'a test is of the group before it, behind %j too',
  (call) => {
    const source = `
      describe('first', () => {
        it('one', () => {});
      });
      ${call}'second', () => {
        it.each([1])('two %i', () => {});
        it('three', () => {});
      });`;
    expect(findTests(source)).toEqual([
      { group: 'first', title: 'one' },
      { group: 'second', title: 'two %i' },
      { group: 'second', title: 'three' },
    ]);
  },
);
