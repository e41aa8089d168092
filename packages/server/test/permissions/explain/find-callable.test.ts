import { compile, parseRule } from '@portcullis/policy';
import { expect, it } from 'vitest';
import { findCallable } from '../../../src/permissions/explain/find-callable.ts';

const rules = [
  'GET /orders/:id',
  '* /orders/*',
  'PUT /orders/7',
  'DELETE /bills/:id/items/*',
  'POST /a/b',
].flatMap((text) => {
  const [method = '', path = ''] = text.split(' ');
  const parsed = parseRule({ roleKey: 'clerk', method, path });
  return 'rule' in parsed ? [parsed.rule] : [];
});
const narrow = rules.filter(({ path }) => path !== '/orders/*');
const ask = (text: string, given = rules, roleKey = 'clerk') => {
  const [method = '', path = ''] = text.split(' ');
  const found = findCallable(compile(given, 1), roleKey, { method, path });
  return found && `${found.reach} by ${found.rule.method} ${found.rule.path}`;
};

// biome-ignore format: One row a question.
it.each([
  ['PUT /orders/8',              undefined],
  ['PUT /orders',                undefined],
  ['get /orders/8',              undefined],
  ['GET /orders/',               undefined],
  ['POST /a/:x/c',               undefined],
  ['POST /:x',                   undefined],
  ['DELETE /bills/:id/items',    undefined],
  ['GET /orders/8',              'all by GET /orders/:id'],
  ['GET /orders/:number',        'all by GET /orders/:id'],
  ['PUT /orders/7',              'all by PUT /orders/7'],
  ['PUT /orders/:id',            'some by PUT /orders/7'],
  ['POST /a/:x',                 'some by POST /a/b'],
  ['POST /:x/:y',                'some by POST /a/b'],
  ['DELETE /bills/:id/:what/:n', 'some by DELETE /bills/:id/items/*'],
])('%s is covered %s', (text, expected) => {
  expect(ask(text, narrow)).toBe(expected);
});

it('names the most specific rule, and prefers full coverage to a part', () => {
  expect(ask('GET /orders/8')).toBe('all by GET /orders/:id');
  expect(ask('PUT /orders/:id')).toBe('all by * /orders/*');
});

it('returns undefined for a role without rules', () => {
  expect(ask('GET /orders/8', rules, 'other')).toBe(undefined);
});
