import { compile, decide, parseRule } from '@portcullis/policy';
import { describe, expect, it } from 'vitest';
import { coverageOf, findCoverage } from '../../../src/pages/matrix/rule-coverage.ts';
import { route } from './matrix-samples.ts';

const rule = (text: string) => {
  const [method = '', path = ''] = text.split(' ');
  return { method, path };
};

// biome-ignore format: One row a pair.
it.each([
  ['GET /orders/:id',   'PUT /orders/:id',       'none'],
  ['GET /orders/:id',   'GET /orders',           'none'],
  ['GET /orders/:id',   'GET /orders/:id/items', 'none'],
  ['GET /orders/*',     'GET /orders',           'none'],
  ['GET /bills/*',      'GET /orders/:id',       'none'],
  ['GET /orders/7',     'GET /orders/8',         'none'],
  ['GET /orders/7',     'GET /orders/:id',       'some'],
  ['GET /orders/7/*',   'GET /orders/:id/items', 'some'],
  ['GET /:what/7',      'GET /orders/:id',       'some'],
  ['GET /orders/:n',    'GET /orders/:id',       'all'],
  ['GET /orders/:n',    'GET /orders/7',         'all'],
  ['* /orders/*',       'GET /orders/:id/items', 'all'],
  ['* /*',              'DELETE /orders/:id',    'all'],
])('%s allows of %s: %s', (text, asked, expected) => {
  expect(coverageOf(rule(text), rule(asked))).toBe(expected);
});

describe('what a rule covers', () => {
  const segments = ['a', 'b', ':x'];
  const paths = segments.flatMap((one) => [
    `/${one}`,
    ...segments.flatMap((two) => [`/${one}/${two}`, ...segments.map((three) => `/${one}/${two}/${three}`)]),
  ]);

  it('is what the engine allows, on every short path', () => {
    const rules = paths.flatMap((path) => [path, path.replace(/[^/]+$/, '*')]);
    const concrete = paths.filter((path) => !path.includes(':'));
    for (const path of new Set(rules)) {
      const parsed = parseRule({ roleKey: 'any', method: 'GET', path });
      if ('reason' in parsed) throw new Error(parsed.reason);
      const snapshot = compile([parsed.rule], 1);
      for (const asked of concrete) {
        const covers = coverageOf({ method: 'GET', path }, { method: 'GET', path: asked }) === 'all';
        expect(covers, `${path} on ${asked}`).toBe(decide(snapshot, 'any', 'GET', asked) === 'allow');
      }
    }
  });

  it('is counted among the endpoints that ask for a rule, wholes and parts apart', () => {
    const open = { ...route('GET', '/orders/open'), access: 'identity' as const };
    const routes = [route('GET', '/orders'), route('GET', '/orders/:id'), route('PUT', '/orders/:id'), open];
    expect(findCoverage(rule('GET /orders/*'), routes)).toEqual({ whole: [routes[1]], part: [] });
    expect(findCoverage(rule('* /orders/7'), routes)).toEqual({ whole: [], part: [routes[1], routes[2]] });
  });
});
