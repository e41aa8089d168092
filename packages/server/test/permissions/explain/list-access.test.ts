import type { MatrixRoute } from '@portcullis/contract';
import { compile, parseRule } from '@portcullis/policy';
import { describe, expect, it } from 'vitest';
import { listAccess } from '../../../src/permissions/explain/list-access.ts';

const subject = {
  userId: 7,
  username: 'mei',
  roleKey: 'editor',
  userEnabled: true,
  roleEnabled: true,
  passwordChangeRequired: false,
};
const routeOf = (name: string, part: Partial<MatrixRoute> = {}): MatrixRoute => {
  const [method = '', path = ''] = name.split(' ');
  return {
    service: 'shop',
    method: method as MatrixRoute['method'],
    path,
    title: '',
    tag: null,
    access: 'permission',
    excluded: false,
    ...part,
  };
};
const routes = ['GET /orders', 'GET /orders/:id', 'DELETE /orders/:id', 'GET /orders/:id/items'].map((name) =>
  routeOf(name),
);
const snapshotOf = (rules: readonly string[]) =>
  compile(
    rules.map((text) => {
      const [method = '', path = ''] = text.split(' ');
      const parsed = parseRule({ roleKey: 'editor', method, path });
      if ('reason' in parsed) throw new Error(parsed.reason);
      return parsed.rule;
    }),
    1,
  );
async function accessOf(rules: readonly string[], known = routes, roleKey = 'editor') {
  const access = await listAccess({
    subject: { ...subject, roleKey },
    routes: known,
    snapshot: snapshotOf(rules),
  });
  return access.routes.items.map(
    ({ method, path, by, reach, rules: allowing }) =>
      `${method} ${path}: ${[by, reach, ...allowing.map((rule) => `${rule.method} ${rule.path}`)].join(', ')}`,
  );
}

describe('the access of a subject', () => {
  it.each([
    ['no rules', []],
    ['rules of other methods and paths', ['POST /orders', 'GET /order', 'GET /orders/:id/items/:item']],
  ])('is nothing with %s', async (_what, rules) => {
    expect(await accessOf(rules)).toEqual([]);
  });

  it('names the rules that allow it, the rule of exactly this route first', async () => {
    expect(await accessOf(['* /orders/*', 'DELETE /orders/:id'])).toEqual([
      'GET /orders/:id: rule, all, * /orders/*',
      'DELETE /orders/:id: rule, all, DELETE /orders/:id, * /orders/*',
      'GET /orders/:id/items: rule, all, * /orders/*',
    ]);
  });

  it('says where a rule allows some of the paths only', async () => {
    expect(await accessOf(['GET /orders/special'])).toEqual([
      'GET /orders/:id: rule, some, GET /orders/special',
    ]);
  });

  it('needs no rule for a route open to every caller, nor for admin', async () => {
    const open = [
      routeOf('GET /a', { access: 'public' }),
      routeOf('GET /b', { access: 'identity' }),
      routeOf('GET /c', { excluded: true }),
      routeOf('GET /d'),
    ];
    expect(await accessOf([], open)).toEqual([
      'GET /a: public, all',
      'GET /b: identity, all',
      'GET /c: excluded, all',
    ]);
    expect(await accessOf([], open, 'admin')).toEqual([
      'GET /a: public, all',
      'GET /b: identity, all',
      'GET /c: admin, all',
      'GET /d: admin, all',
    ]);
  });

  it('is said to be incomplete where the rules are too many to compare', async () => {
    const options = { subject, routes, snapshot: snapshotOf(['* /orders/*', 'GET /orders']) };
    expect(await listAccess({ ...options, mostComparisons: 2 })).toMatchObject({
      complete: false,
      routes: { count: 4, items: [{ rules: [{ method: 'GET', path: '/orders' }] }, { rules: [] }, {}, {}] },
    });
    expect(await listAccess(options)).toMatchObject({ complete: true });
  });
});
