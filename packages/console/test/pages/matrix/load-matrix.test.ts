import { describe, expect, test } from 'vitest';
import { isEnough, loadMatrix, type Matrix, type MatrixPage } from '../../../src/pages/matrix/load-matrix.ts';
import { matrix, role, route } from './matrix-samples.ts';

const [orders, items] = [route('GET', '/orders'), route('GET', '/items')];

function page(part: Partial<MatrixPage>): MatrixPage {
  return { routes: { count: 2, items: [orders, items] }, items: [], next: null, complete: true, ...part };
}

function pagesOf(...pages: readonly MatrixPage[]) {
  const asked: (string | undefined)[] = [];
  const fetchPage = async (after: string | undefined) => {
    asked.push(after);
    const found = pages[asked.length - 1];
    if (found === undefined) throw new Error('There is no such page.');
    return found;
  };
  return { asked, fetchPage };
}

describe('loadMatrix', () => {
  test('reads all pages of roles, each from the end of the previous one', async () => {
    const { asked, fetchPage } = pagesOf(
      page({ items: [role('a', 'r-')], next: 'x' }),
      page({ items: [], next: 'y' }),
      page({ items: [role('bb', '-r')] }),
    );
    const { roles, hasMoreRoles } = await loadMatrix(fetchPage);
    expect(asked).toEqual([undefined, 'x', 'y']);
    expect(roles.map(({ roleKey }) => roleKey)).toEqual(['a', 'bb']);
    expect(hasMoreRoles).toBe(false);
  });

  test('reports the first page before it requests the next one, and no other page', async () => {
    const { asked, fetchPage } = pagesOf(
      page({ items: [role('a', 'r-')], next: 'x' }),
      page({ items: [role('bb', '-r')], next: 'y' }),
      page({ items: [role('ccc', '--')] }),
    );
    const parts: [asked: number, part: Matrix][] = [];
    const whole = await loadMatrix(fetchPage, (part) => parts.push([asked.length, part]));
    expect(parts).toEqual([[1, { ...whole, roles: [role('a', 'r-')], isPart: true }]]);
    expect([whole.roles.length, whole.isPart]).toEqual([3, false]);
  });

  test('reports no part where one page is all', async () => {
    const { fetchPage } = pagesOf(page({ items: [role('a', 'r-')] }));
    const parts: Matrix[] = [];
    await loadMatrix(fetchPage, (part) => parts.push(part));
    expect(parts).toEqual([]);
  });

  test('stops after ten pages and says that there are more roles', async () => {
    const { asked, fetchPage } = pagesOf(...Array.from({ length: 11 }, () => page({ next: 'x' })));
    expect((await loadMatrix(fetchPage)).hasMoreRoles).toBe(true);
    expect(asked).toHaveLength(10);
  });

  test('puts the cells of a page in the order of the first one where routes were imported meanwhile', async () => {
    const more = { count: 3, items: [route('GET', '/new'), items, orders] };
    const { fetchPage } = pagesOf(
      page({ items: [role('a', 'r-')], next: 'x' }),
      page({ routes: more, items: [role('bb', 'asr')] }),
    );
    expect((await loadMatrix(fetchPage)).roles[1]?.cells).toBe('rs');
  });

  test('takes a route that a later page does not know for one that is not allowed', async () => {
    const { fetchPage } = pagesOf(
      page({ next: 'x' }),
      page({ routes: { count: 1, items: [items] }, items: [role('a', 'r')] }),
    );
    expect((await loadMatrix(fetchPage)).roles[0]?.cells).toBe('-r');
  });

  test('is incomplete where one page is', async () => {
    const { fetchPage } = pagesOf(page({ complete: false, next: 'x' }), page({}));
    expect((await loadMatrix(fetchPage)).isComplete).toBe(false);
  });
});

test('accepts a part for a filter without roles or with roles that the part contains', () => {
  const part = { ...matrix([orders], [role('a', 'r'), role('bb', '-')]), isPart: true };
  expect([[], ['bb'], ['a', 'bb'], ['a', 'ccc']].map((keys) => isEnough(part, keys))).toEqual([
    true,
    true,
    true,
    false,
  ]);
  expect(isEnough({ ...part, isPart: false }, ['gone'])).toBe(true);
});
