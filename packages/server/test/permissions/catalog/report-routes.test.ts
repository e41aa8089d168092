import { type CatalogRoute, type Endpoint, type HttpMethod, httpMethods } from '@portcullis/contract';
import { compile, decide, parseRule, type RuleText } from '@portcullis/policy';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gatherRoutes, type RouteSources } from '../../../src/permissions/catalog/gather-routes.ts';
import {
  createReport,
  type ReportInput,
  reportRoutes,
} from '../../../src/permissions/catalog/report-routes.ts';
import { byRole } from './by-role.ts';

async function* pagesOf<Item>(items: readonly Item[], size = 10_000): AsyncGenerator<readonly Item[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size);
}
const routeOf = (text: string): CatalogRoute => {
  const [method = '', path = ''] = text.split(' ');
  return { service: 'orders', method: method as HttpMethod, path, title: '', tag: null };
};
const ruleOf = (text: string): RuleText => {
  const [roleKey = '', method = '', path = ''] = text.split(' ');
  return { roleKey, method, path };
};
async function report(
  routes: string[],
  rules: string[],
  {
    endpoints = [],
    exclusions = [],
    ...more
  }: Partial<Omit<ReportInput, 'routes'> & Omit<RouteSources, 'routes'>> = {},
) {
  const { adminOnly, unmatchedRules, complete } = await reportRoutes({
    routes: await gatherRoutes({ routes: pagesOf(routes.map(routeOf), 2), endpoints, exclusions }),
    rules: byRole(rules.map(ruleOf)),
    enabledRoleKeys: new Set(['admin', 'editor', 'viewer']),
    limit: 100,
    ...more,
  });
  return {
    adminOnly: adminOnly.items.map(({ method, path }) => `${method} ${path}`),
    unmatched: unmatchedRules.items.map(({ roleKey, method, path }) => `${roleKey} ${method} ${path}`),
    counts: [adminOnly.count, unmatchedRules.count],
    complete,
  };
}

describe('a route that only admin can call', () => {
  it.each([
    ['no rule at all', []],
    ['a rule for another method', ['editor POST /orders/:id']],
    [
      'a rule for another path',
      ['editor GET /ordres/:id', 'editor GET /orders', 'editor GET /orders/:id/lines'],
    ],
    ['a rule below it', ['editor GET /orders/:id/*']],
    ['a rule of admin', ['admin GET /orders/:id', 'admin * /*']],
    ['a rule of a disabled role', ['former GET /orders/:id']],
    ['a rule of a role that there is not', ['ghost * /*']],
    [
      'a stored rule that does not parse',
      ['editor get /orders/:id', 'editor GET /orders/{id}', 'editor GET /(.*)'],
    ],
  ])('has %s', async (_what, rules) => {
    expect((await report(['GET /orders/:id'], rules)).adminOnly).toEqual(['GET /orders/:id']);
  });

  it.each([
    'editor GET /orders/:id',
    'editor GET /orders/:other',
    'editor * /orders/:id',
    'editor GET /orders/7',
    'editor GET /orders/*',
    'editor GET /*',
    'viewer * /:a/:b',
    'viewer * /:a/*',
  ])('is not reported where there is %s', async (rule) => {
    expect((await report(['GET /orders/:id'], [rule])).adminOnly).toEqual([]);
  });

  it('is one of our own where nothing else lets a role in', async () => {
    const own = (access: Endpoint['access'], path: Endpoint['path']) =>
      ({ method: 'GET', path, access, title: '' }) as unknown as Endpoint;
    const endpoints = [
      own('public', '/api/v1/public'),
      own('identity', '/api/v1/identity'),
      own('permission', '/api/v1/excluded'),
      own('permission', '/api/v1/granted'),
      own('permission', '/api/v1/closed'),
    ];
    const exclusions = ['GET /api/v1/excluded'];
    const rules = ['editor GET /api/v1/granted', 'editor GET /api/v1/identity'];
    expect(await report([], rules, { endpoints, exclusions })).toMatchObject({
      adminOnly: ['GET /api/v1/closed'],
      unmatched: [],
    });
  });
});

describe('a rule that matches no route', () => {
  it.each([
    'editor POST /orders/:id',
    'editor GET /orders',
    'editor GET /orders/:id/lines',
    'editor GET /orders/:id/*',
    'editor GET /Orders/:id',
    'admin GET /ordres/*',
    'former GET /gone',
    'editor get /orders/:id',
    'editor HEAD /orders/:id',
  ])('is %s', async (rule) => {
    expect((await report(['GET /orders/:id', 'PUT /'], [rule])).unmatched).toEqual([rule]);
  });

  it.each([
    'editor GET /orders/7',
    'editor * /orders/:id',
    'editor GET /*',
    'admin GET /:a/:b',
    'former GET /orders/*',
    'editor PUT /',
  ])('is not %s', async (rule) => {
    expect((await report(['GET /orders/:id', 'PUT /'], [rule])).unmatched).toEqual([]);
  });

  it('is listed by role, path and method, wherever it was read', async () => {
    const rules = ['viewer GET /a', 'editor GET /b', 'editor PUT /a', 'editor GET /a'];
    expect((await report([], rules)).unmatched).toEqual([
      'editor GET /a',
      'editor PUT /a',
      'editor GET /b',
      'viewer GET /a',
    ]);
  });

  it('is every rule where no route is known', async () => {
    expect(await report([], ['editor GET /a', 'editor * /*'])).toMatchObject({
      unmatched: ['editor * /*', 'editor GET /a'],
    });
  });
});

it('lists as many as were asked for, and counts all', async () => {
  const found = await report(['GET /a', 'GET /b', 'GET /c'], ['editor GET /x', 'editor GET /y'], {
    limit: 1,
  });
  expect(found).toMatchObject({
    adminOnly: ['GET /a'],
    unmatched: ['editor GET /x'],
    counts: [3, 2],
    complete: true,
  });
});

it('gives up where patterns can only be compared pair by pair, and says so', async () => {
  const routes = Array.from({ length: 300 }, (_, index) => `GET /:a/b${index}/y${index}`);
  const rules = Array.from({ length: 300 }, (_, index) => `editor GET /a${index}/:b/x${index}`);
  expect(await report(routes, rules, { mostSteps: 10_000 })).toMatchObject({
    complete: false,
    counts: [300, 300],
  });
  expect(await report(routes, rules)).toMatchObject({ complete: true, counts: [300, 300] });
});

describe('two patterns overlap exactly when a path fits both', () => {
  // A path over {a, b, c} of up to five segments exists for every overlap of patterns over {a, b} of up to four.
  const alphabet = ['a', 'b', 'c'];
  const paths: string[] = ['/'];
  for (let length = 1, ends = ['']; length <= 5; length++) {
    ends = ends.flatMap((start) => alphabet.map((segment) => `${start}/${segment}`));
    paths.push(...ends);
  }
  const segment = fc.constantFrom('a', 'b', ':x', ':y');
  const path = fc.array(segment, { maxLength: 4 }).map((segments) => `/${segments.join('/')}`);
  const rulePath = fc.oneof(
    path,
    fc.array(segment, { maxLength: 3 }).map((segments) => `/${[...segments, '*'].join('/')}`),
  );
  const route = fc.record({ method: fc.constantFrom(...httpMethods), path });
  const rule = fc.record({
    roleKey: fc.constantFrom('admin', 'editor', 'former'),
    method: fc.constantFrom('*', 'HEAD', ...httpMethods),
    path: rulePath,
  });

  function snapshotOf({ method, path }: { method: string; path: string }) {
    const parsed = parseRule({ roleKey: 'any', method, path });
    if ('reason' in parsed) throw new Error(parsed.reason);
    return compile([parsed.rule], 1);
  }
  /** By the engine itself: some path and method that both would allow. */
  function meet(one: { method: string; path: string }, other: { method: string; path: string }): boolean {
    const snapshots = [snapshotOf(one), snapshotOf(other)];
    const mayBoth = (asked: string, path: string) =>
      snapshots.every((snapshot) => decide(snapshot, 'any', asked, path) === 'allow');
    return httpMethods.some((asked) => paths.some((path) => mayBoth(asked, path)));
  }

  it('for one of each', async () => {
    const check = async (routed: { method: HttpMethod; path: string }, ruled: RuleText) => {
      const isMet = meet(routed, ruled);
      const found = await report(
        [`${routed.method} ${routed.path}`],
        [`editor ${ruled.method} ${ruled.path}`],
      );
      expect(found.counts).toEqual(isMet ? [0, 0] : [1, 1]);
    };
    await fc.assert(fc.asyncProperty(route, rule, check), { numRuns: 400 });
  });

  it('for many of each, walked at once', async () => {
    const check = async (routed: { method: HttpMethod; path: string }[], ruled: RuleText[]) => {
      const found = await report(
        routed.map(({ method, path }) => `${method} ${path}`),
        ruled.map(({ roleKey, method, path }) => `${roleKey} ${method} ${path}`),
      );
      const grants = ruled.filter(({ roleKey }) => roleKey === 'editor');
      const closed = routed.filter((one) => !grants.some((rule) => meet(one, rule)));
      const unmatched = ruled.filter((rule) => !routed.some((one) => meet(one, rule)));
      expect(found.adminOnly).toEqual(closed.map(({ method, path }) => `${method} ${path}`));
      expect(found.unmatched.toSorted()).toEqual(
        unmatched.map(({ roleKey, method, path }) => `${roleKey} ${method} ${path}`).toSorted(),
      );
    };
    const lists = [fc.array(route, { maxLength: 6 }), fc.array(rule, { maxLength: 6 })] as const;
    await fc.assert(fc.asyncProperty(...lists, check), { numRuns: 100 });
  });
});

describe('10,000 routes and 100,000 rules are compared in seconds', () => {
  const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
  it.each([
    [
      'literals and parameters',
      (n: number) => `/api/v1/s${n % 100}/r${n}/:id`,
      (n: number) => `/api/v1/s${n % 100}/r${n % 20_000}/:id`,
    ],
    ['wildcards', (n: number) => `/s${n % 100}/r${n}/:id`, (n: number) => `/s${n % 200}/r${n}/*`],
    ['parameters in front', (n: number) => `/:tenant/r${n}/x`, (n: number) => `/:tenant/r${n}/x`],
    ['parameters of rules before literals', (n: number) => `/r${n}/x`, (n: number) => `/:any/x${n}`],
    ['parameters at either side', (n: number) => `/r${n}/:id`, (n: number) => `/:any/x${n}`],
    ['wildcards that cover everything', (n: number) => `/r${n}/x`, (n: number) => `/:p${n}/*`],
  ])('with %s', async (_what, routePath, rulePath) => {
    const routes = numbers(10_000).map((n) => routeOf(`${n % 2 === 0 ? 'GET' : 'POST'} ${routePath(n)}`));
    const rules = numbers(100_000).map((n) =>
      ruleOf(`${n % 3 === 0 ? 'viewer' : 'editor'} ${n % 5 === 0 ? '*' : 'GET'} ${rulePath(n)}`),
    );
    let turns = 0;
    const watch = setInterval(() => turns++, 0);
    const before = process.cpuUsage();
    const found = await reportRoutes({
      routes: await gatherRoutes({ routes: pagesOf(routes), endpoints: [], exclusions: [] }),
      rules: byRole(rules),
      enabledRoleKeys: new Set(['editor', 'viewer']),
      limit: 100,
    });
    const { user, system } = process.cpuUsage(before);
    clearInterval(watch);
    expect(turns, 'others are answered meanwhile').toBeGreaterThan(20);
    expect(found.complete).toBe(true);
    expect((user + system) / 1000).toBeLessThan(20_000);
  });
});

describe('a report that is asked for again', () => {
  const texts = ['GET /orders/:id'];
  const input: ReportInput = {
    routes: [{ ...routeOf('GET /orders/:id'), access: 'permission', excluded: false }],
    rules: [{ roleKey: 'editor', texts }],
    enabledRoleKeys: new Set(['editor']),
    limit: 100,
  };
  const [route] = input.routes;
  const others: [what: string, other: Partial<ReportInput>][] = [
    ['other rules', { rules: [{ roleKey: 'editor', texts: [] }] }],
    ['as many other rules', { rules: [{ roleKey: 'editor', texts: ['GET /orders'] }] }],
    ['the rules of another role', { rules: [{ roleKey: 'viewer', texts }] }],
    ['a role more', { rules: [...input.rules, { roleKey: 'viewer', texts }] }],
    ['a role that was disabled', { enabledRoleKeys: new Set() }],
    ['a role that was enabled', { enabledRoleKeys: new Set(['editor', 'viewer']) }],
    ['another role that is enabled', { enabledRoleKeys: new Set(['viewer']) }],
    ['another limit', { limit: 1 }],
    ['no routes', { routes: [] }],
    ...(['path', 'method', 'service', 'title', 'tag', 'access'] as const).map(
      (field): [string, Partial<ReportInput>] => [
        `another ${field}`,
        { routes: [{ ...(route as (typeof input.routes)[0]), [field]: 'other' }] },
      ],
    ),
    [
      'a route that needs no rule now',
      { routes: [{ ...(route as (typeof input.routes)[0]), excluded: true }] },
    ],
  ];
  const counted = () => {
    let count = 0;
    const build = async (asked: ReportInput) => {
      count += 1;
      return await reportRoutes(asked);
    };
    return { report: createReport(build), count: () => count };
  };

  it.each(others)('is rebuilt for %s', async (_what, other) => {
    const { report: ask, count } = counted();
    await ask(input);
    expect(await ask({ ...input, ...other })).toEqual(await reportRoutes({ ...input, ...other }));
    expect(count()).toBe(2);
  });

  it('is reused where nothing changed, also for two concurrent calls', async () => {
    const { report: ask, count } = counted();
    const same = {
      ...input,
      routes: input.routes.map((each) => ({ ...each })),
      rules: [{ roleKey: 'editor', texts: [...texts] }],
      enabledRoleKeys: new Set(['editor']),
    };
    expect(await Promise.all([ask(input), ask(same)])).toEqual([await ask(input), await reportRoutes(input)]);
    expect(count()).toBe(1);
  });

  it('is rebuilt after one that failed', async () => {
    let isBroken = true;
    const ask = createReport(async (asked) => {
      if (isBroken) throw new Error('Broken.');
      return await reportRoutes(asked);
    });
    await expect(ask(input)).rejects.toThrow('Broken.');
    isBroken = false;
    expect(await ask(input)).toEqual(await reportRoutes(input));
  });
});
