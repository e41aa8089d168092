import { describe, expect, test } from 'vitest';
import { loadMatrix, type MatrixPage } from '../../../src/pages/matrix/load-matrix.ts';
import { role, route } from './matrix-samples.ts';

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
  test('reads all pages of roles, each from where the one before it ended', async () => {
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
