// The playground of the documents decides as the engine does, and an address gives back what it was made of.
import { expect, it } from 'vitest';
import { example, judge, readHash, writeHash } from '../../docs/.vitepress/theme/judge.ts';

it.each([
  ['no rules at all', { rules: '' }, 'has no rules'],
  ['a role without rules', { role: 'nobody' }, 'has no rules'],
  ['an empty request', { role: '', method: '', path: '' }, 'No rule can allow the method'],
  ['a path that is not canonical', { path: '/api/v1/orders/../users' }, 'No rule can allow the path'],
  ['a line that is no rule', { rules: 'p, clerk, /api/v1/orders*, DELETE' }, 'has no rules'],
  ['a file that cannot be read', { rules: '[{' }, 'has no rules'],
])('refuses %s, and says why', (_, change, why) => {
  const { explanation } = judge({ ...example, ...change });
  expect(explanation.decision).toBe('deny');
  expect(explanation.sentence).toContain(why);
});

it('refuses the request of the example, and names the rule that comes nearest', () => {
  const { explanation, rejected, ruleCount, roles } = judge(example);
  expect(explanation.sentence).toContain('Its rule GET /api/v1/orders/:id comes nearest');
  expect(rejected).toEqual([]);
  expect(ruleCount).toBe(4);
  expect(roles).toEqual(['auditor', 'clerk', 'manager']);
});

it.each([
  ['casbin', 'p, clerk, /orders/:id, GET'],
  ['CSV', 'roleKey,method,path\nclerk,GET,/orders/:id'],
  ['JSON', '[{"roleKey":"clerk","method":"GET","path":"/orders/:id"}]'],
])('reads rules as %s', (_, rules) => {
  expect(judge({ rules, role: 'clerk', method: 'GET', path: '/orders/7' }).explanation.decision).toBe(
    'allow',
  );
});

it('names the line that is no rule, and the one that allows less than in casbin', () => {
  const { rejected, narrowed } = judge({
    ...example,
    rules: 'g, ann, clerk\np, clerk, /files/*, GET',
  });
  expect(rejected.map(({ place }) => place)).toEqual(['line 1']);
  expect(narrowed.map(({ place }) => place)).toEqual(['line 2']);
});

it.each([
  example,
  { rules: 'p, a, /x&y=#+%20, GET\n\n"客户"', role: 'a&role=admin', method: 'FOO', path: '/a b?c=d#e' },
  { rules: '', role: '', method: '', path: '' },
])('an address gives back what it was made of', (question) => {
  expect(readHash(writeHash(question))).toEqual(question);
});

it('reads nothing from an address without state', () => {
  expect(readHash('')).toBeUndefined();
  expect(readHash('#some-heading')).toBeUndefined();
});

it('adds no rule of the example to an address that has none', () => {
  expect(readHash('#role=manager&method=GET&path=/api/v1/orders/1')?.rules).toBe('');
});
