import type { HttpMethod, MatrixRoute } from '@portcullis/contract';
import { compile, decide, parseRule, type RuleText, ruleLimits } from '@portcullis/policy';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildMatrix } from '../../../../src/permissions/catalog/matrix/build-matrix.ts';
import { byRole } from '../by-role.ts';

const routeOf = (text: string): MatrixRoute => {
  const [method = '', path = ''] = text.split(' ');
  const name = { service: 'orders', method: method as HttpMethod, path };
  return { ...name, title: '', tag: null, access: 'permission', excluded: false };
};
const ruleOf = (text: string): RuleText => {
  const [roleKey = '', method = '', path = ''] = text.split(' ');
  return { roleKey, method, path };
};
const build = (
  routes: readonly string[],
  rules: readonly string[],
  roleKeys: readonly string[],
  mostSteps?: number,
) =>
  buildMatrix({
    routes: routes.map(routeOf),
    rules: byRole(rules.map(ruleOf)),
    roleKeys,
    ...(mostSteps === undefined ? {} : { mostSteps }),
  });
const cellsOf = async (routes: readonly string[], rules: readonly string[], roleKey = 'editor') =>
  (await build(routes, rules, [roleKey])).cells;

describe('a route that no rule of the role covers is "-":', () => {
  it.each([
    ['without any rule', []],
    ['with a rule of another role', ['viewer GET /orders/:id', 'admin * /*']],
    ['with a rule for another method', ['editor POST /orders/:id']],
    [
      'with rules for other paths',
      ['editor GET /orders', 'editor GET /orders/:id/*', 'editor GET /ordres/7'],
    ],
    [
      'with stored rules that do not parse',
      ['editor get /orders/:id', 'editor GET /orders/{id}', 'editor GET /(.*)'],
    ],
  ])('%s', async (_what, rules) => {
    expect(await cellsOf(['GET /orders/:id'], rules)).toEqual(['-']);
  });
});

describe('a route', () => {
  it.each([
    ['r', 'a rule of this very method and path', 'GET /orders/:id'],
    ['a', 'a rule with another name of the parameter', 'GET /orders/:number'],
    ['a', 'a rule for all methods', '* /orders/:id'],
    ['a', 'a rule for all below', 'GET /orders/*'],
    ['s', 'a rule for one of its paths', 'GET /orders/7'],
    ['s', 'a rule that crosses it', 'GET /:any/7'],
  ])('is "%s" with %s', async (cell, _what, rule) => {
    expect(await cellsOf(['GET /orders/:id'], [`editor ${rule}`])).toEqual([cell]);
  });

  it('is "r" also where a wider rule allows it as well', async () => {
    expect(await cellsOf(['GET /orders'], ['editor * /*', 'editor GET /orders'])).toEqual(['r']);
  });

  it('without parameters is never "s"', async () => {
    expect(await cellsOf(['GET /orders', 'GET /bills'], ['editor GET /:any'])).toEqual(['aa']);
  });
});

it('admin may call everything, without a rule and with one', async () => {
  const routes = ['GET /orders', 'PUT /orders/:id', 'GET /bills'];
  expect(await cellsOf(routes, ['admin PUT /orders/:id', 'admin GET /bills/*'], 'admin')).toEqual(['ara']);
});

it('has a text of cells for each role, in their order, with a character for each route', async () => {
  const routes = ['GET /orders', 'GET /orders/:id', 'DELETE /orders/:id'];
  const rules = ['editor GET /orders/:id', 'editor GET /orders', 'viewer GET /orders/7', 'viewer DELETE /*'];
  expect(await build(routes, rules, ['viewer', 'editor', 'nobody'])).toEqual({
    cells: ['-sa', 'rr-', '---'],
    complete: true,
  });
});

it('says where comparing was given up, and then only lacks an "s"', async () => {
  const routes = ['GET /a/:x', 'GET /b/:x', 'GET /c/:x', 'GET /d/:x'];
  const rules = ['editor GET /a/:x', 'editor GET /b/:y', 'editor GET /c/7', 'editor GET /e'];
  expect(await build(routes, rules, ['editor'])).toEqual({ cells: ['ras-'], complete: true });
  expect(await build(routes, rules, ['editor'], 1)).toEqual({ cells: ['ra--'], complete: false });
});

it('sees each role as if it were the only one', async () => {
  const path = fc
    .array(fc.constantFrom('a', 'b', ':x'), { minLength: 1, maxLength: 3 })
    .map((segments) => `/${segments.join('/')}`);
  const method = fc.constantFrom('GET', 'PUT');
  const route = fc.tuple(method, path).map((parts) => parts.join(' '));
  const roleKeys = ['one', 'two', 'three'];
  const rule = fc
    .tuple(fc.constantFrom(...roleKeys), fc.constantFrom('GET', 'PUT', '*'), path, fc.boolean())
    .map(([roleKey, name, start, isOpen]) => `${roleKey} ${name} ${start}${isOpen ? '/*' : ''}`);
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(route, { maxLength: 8 }),
      fc.uniqueArray(rule, { maxLength: 8 }),
      async (routes, rules) => {
        const alone = await Promise.all(roleKeys.map((roleKey) => cellsOf(routes, rules, roleKey)));
        expect((await build(routes, rules, roleKeys)).cells).toEqual(alone.flat());
      },
    ),
  );
});

describe('each cell is what the engine decides', () => {
  /** What rules here name, and what none can. */
  const fillings = ['a', 'b', 'x'.repeat(ruleLimits.literalLength + 1)];
  /** Paths of the route: parameters with every filling, `*` with up to three segments, which is longer than any rule here. */
  const pathsOf = (path: string): string[] => {
    let paths = [''];
    const extend = (segments: readonly string[]) =>
      paths.flatMap((start) => segments.map((segment) => `${start}/${segment}`));
    for (const segment of path.slice(1).split('/')) {
      if (segment === '*')
        return [1, 2, 3].flatMap(() => {
          paths = extend(fillings);
          return paths;
        });
      paths = extend(segment.startsWith(':') ? fillings : [segment]);
    }
    return paths;
  };
  const roleKeys = Array.from({ length: 40 }, (_, index) => `role${index}`);
  const holders = new Set(['role0', 'role1', 'role31', 'role32', 'role39']);
  const pathLike = (isOpen: fc.Arbitrary<boolean>) =>
    fc
      .tuple(fc.array(fc.constantFrom('a', 'b', ':x', ':y'), { minLength: 1, maxLength: 3 }), isOpen)
      .map(([segments, open]) => `/${[...segments, ...(open ? ['*'] : [])].join('/')}`);
  const rule = fc
    .tuple(fc.constantFrom(...holders), fc.constantFrom('GET', 'PUT', '*'), pathLike(fc.boolean()))
    .map((parts) => parts.join(' '));

  it.each([
    ['of routes that end', false],
    ['of routes with "*"', true],
  ])('%s', async (_what, isOpen) => {
    const route = fc
      .tuple(fc.constantFrom('GET', 'PUT'), pathLike(fc.constant(isOpen)))
      .map((parts) => parts.join(' '));
    const seen = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(route, { minLength: 1, maxLength: 4 }),
        fc.uniqueArray(rule, { maxLength: 12 }),
        fc.boolean(),
        async (routes, others, isNamed) => {
          const rules = isNamed ? [...others, `role32 ${routes[0]}`] : others;
          const parsed = rules.map((text) => parseRule(ruleOf(text)));
          const snapshot = compile(
            parsed.flatMap((each) => ('rule' in each ? [each.rule] : [])),
            1,
          );
          const decided = (roleKey: string) => (text: string) => {
            const { method, path } = routeOf(text);
            const paths = holders.has(roleKey) ? pathsOf(path) : [];
            const allowed = paths.filter((each) => decide(snapshot, roleKey, method, each) === 'allow');
            const reached = allowed.length === paths.length ? 'a' : 's';
            const cell = allowed.length === 0 ? '-' : rules.includes(`${roleKey} ${text}`) ? 'r' : reached;
            seen.set(cell, (seen.get(cell) ?? 0) + 1);
            return cell;
          };
          expect(await build(routes, rules, roleKeys)).toEqual({
            cells: roleKeys.map((roleKey) => routes.map(decided(roleKey)).join('')),
            complete: true,
          });
        },
      ),
      { numRuns: 300 },
    );
    for (const cell of ['r', 'a', 's', '-']) expect(seen.get(cell) ?? 0, cell).toBeGreaterThan(20);
  });
});

it('a hundred roles of thirty rules and a thousand routes are compared while other requests are answered', async () => {
  const routes = Array.from({ length: 1000 }, (_, index) => `GET /area${index % 40}/thing${index}/:id`);
  const roleKeys = Array.from({ length: 100 }, (_, index) => `role${index}`);
  const rules = roleKeys.flatMap((roleKey, role) =>
    Array.from({ length: 30 }, (_, index) => {
      const [, path = ''] = routes[(role * 37 + index * 31) % 1000]?.split(' ') ?? [];
      return `${roleKey} ${index % 5 === 0 ? '*' : 'GET'} ${index % 7 === 0 ? path.replace(':id', '*') : path}`;
    }),
  );
  let turns = 0;
  const takeTurn = (): NodeJS.Immediate =>
    setImmediate(() => {
      turns += 1;
      others = takeTurn();
    });
  let others = takeTurn();
  const { cells, complete } = await buildMatrix({
    routes: routes.map(routeOf),
    rules: byRole(rules.map(ruleOf)),
    roleKeys,
  });
  clearImmediate(others);
  expect([cells.length, complete]).toEqual([100, true]);
  expect(cells.every((text) => /^[ra-]{1000}$/.test(text) && text.includes('r') && text.includes('a'))).toBe(
    true,
  );
  expect(turns).toBeGreaterThan(10);
});
