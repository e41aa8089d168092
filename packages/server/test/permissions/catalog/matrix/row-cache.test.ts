import type { HttpMethod, MatrixRoute } from '@portcullis/contract';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { buildMatrix, type MatrixInput } from '../../../../src/permissions/catalog/matrix/build-matrix.ts';
import { createRowCache } from '../../../../src/permissions/catalog/matrix/row-cache.ts';

const routeOf = (text: string): MatrixRoute => {
  const [method = '', path = ''] = text.split(' ');
  const name = { service: 'orders', method: method as HttpMethod, path };
  return { ...name, title: '', tag: null, access: 'permission', excluded: false };
};
const routes = ['GET /a', 'POST /a', 'GET /b/:id'].map(routeOf);
const texts = { all: ['* /*'], one: ['GET /a'], none: [] as string[] };
const input = (more: Partial<MatrixInput> = {}): MatrixInput => ({
  routes: routes.map((route) => ({ ...route })),
  roleKeys: ['admin', 'editor', 'viewer'],
  rules: [
    { roleKey: 'admin', texts: texts.none },
    { roleKey: 'editor', texts: texts.one },
    { roleKey: 'viewer', texts: texts.none },
  ],
  ...more,
});

function watched() {
  const built: (readonly string[])[] = [];
  const build = createRowCache(async (asked) => {
    built.push(asked.roleKeys);
    return await buildMatrix(asked);
  });
  return { build, built };
}

it('builds a row once, and that of `admin` always', async () => {
  const { build, built } = watched();
  for (let time = 0; time < 2; time += 1) expect(await build(input())).toEqual(await buildMatrix(input()));
  expect(built).toEqual([['admin', 'editor', 'viewer'], ['admin']]);
});

it('builds the row of a role whose rules changed', async () => {
  const { build, built } = watched();
  await build(input());
  const changed = input({
    roleKeys: ['editor', 'viewer'],
    rules: [
      { roleKey: 'editor', texts: texts.all },
      { roleKey: 'viewer', texts: texts.none },
    ],
  });
  expect(await build(changed)).toEqual(await buildMatrix(changed));
  expect(built[1]).toEqual(['editor']);
});

it('builds all rows of other routes', async () => {
  const { build, built } = watched();
  await build(input());
  for (const first of ['DELETE /a', 'GET /c']) {
    const other = input({ routes: [routeOf(first), ...routes] });
    expect(await build(other)).toEqual(await buildMatrix(other));
    expect(built.at(-1)).toEqual(['admin', 'editor', 'viewer']);
  }
});

it('remembers nothing of rules that came on two pages, nor of what was given up', async () => {
  const { build, built } = watched();
  const pages = input({
    roleKeys: ['editor'],
    rules: [
      { roleKey: 'editor', texts: texts.one },
      { roleKey: 'editor', texts: texts.all },
    ],
  });
  for (let time = 0; time < 2; time += 1) expect(await build(pages)).toEqual(await buildMatrix(pages));
  const given = input({
    roleKeys: ['editor'],
    rules: [{ roleKey: 'editor', texts: texts.all }],
    mostSteps: 0,
  });
  for (let time = 0; time < 2; time += 1) expect((await build(given)).complete).toBe(false);
  expect(built).toHaveLength(4);
});

it('returns the same as a new build, whatever was requested before', async () => {
  const lists = [texts.all, texts.one, texts.none, ['GET /b/:id', 'POST /a']];
  const question = fc.record({
    count: fc.integer({ min: 0, max: routes.length }),
    roles: fc.uniqueArray(
      fc.record({
        roleKey: fc.constantFrom('admin', 'editor', 'viewer', 'clerk'),
        list: fc.nat(lists.length - 1),
      }),
      { selector: ({ roleKey }) => roleKey },
    ),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(question, { maxLength: 8 }), async (questions) => {
      const build = createRowCache();
      for (const { count, roles } of questions) {
        const asked: MatrixInput = {
          routes: routes.slice(0, count),
          roleKeys: roles.map(({ roleKey }) => roleKey),
          rules: roles.map(({ roleKey, list }) => ({ roleKey, texts: lists[list] ?? [] })),
        };
        expect(await build(asked)).toEqual(await buildMatrix(asked));
      }
    }),
  );
});
