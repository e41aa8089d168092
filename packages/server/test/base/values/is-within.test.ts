import { compile, decide, parseRule, type Rule, ruleLimits } from '@portcullis/policy';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isWithin } from '../../../src/base/values/is-within.ts';

function rule(text: string, roleKey = 'giver'): Rule {
  const [method = '', path = ''] = text.split(' ');
  const parsed = parseRule({ roleKey, method, path });
  if ('reason' in parsed) throw new Error(parsed.reason);
  return parsed.rule;
}
const within = (text: string, ...giver: string[]) =>
  isWithin(
    compile(
      giver.map((each) => rule(each)),
      1,
    ),
    'giver',
    rule(text),
  );

describe('a rule', () => {
  it.each<[string, string[]]>([
    ['GET /a', []],
    ['GET /a', ['PUT /a']],
    [
      '* /a',
      ['GET POST PUT PATCH DELETE HEAD'].flatMap((all) => all.split(' ').map((method) => `${method} /a`)),
    ],
    ['GET /a/:x', ['GET /a/b']],
    ['GET /a/*', ['GET /a/:x']],
    ['GET /a/*', ['GET /a/:x/*']],
    ['GET /a/*', ['GET /a/:x', 'GET /a/:x/:y', 'GET /a/:x/:y/:z']],
    ['GET /a', ['GET /a/*']],
    ['GET /', ['GET /*']],
    ['GET /*', ['GET /']],
    ['GET /:x', ['GET /a', 'GET /b']],
  ])('%s is not within %j', (text, giver) => {
    expect(within(text, ...giver)).toBe(false);
  });

  it.each<[string, string[]]>([
    ['GET /a', ['GET /a']],
    ['GET /', ['GET /']],
    ['GET /a/:x', ['* /a/:y']],
    ['GET /a/b', ['GET /:x/:y']],
    [
      '* /a',
      ['GET POST PUT PATCH DELETE HEAD OPTIONS'].flatMap((all) =>
        all.split(' ').map((method) => `${method} /a`),
      ),
    ],
    ['GET /a/*', ['GET /*']],
    ['GET /a/*', ['GET /a/:x', 'GET /a/:x/*']],
    ['GET /a/*', ['GET /a/:x', 'GET /:x/:y/:z', 'GET /a/:x/:y/*']],
    ['GET /1/2/3/4/5/6/7/8/9/10/11/*', ['GET /1/2/3/4/5/6/7/8/9/10/:x/*']],
  ])('%s is within %j', (text, giver) => {
    expect(within(text, ...giver)).toBe(true);
  });
});

const segment = fc.constantFrom('a', 'b', ':x');
const pattern = fc
  .tuple(fc.array(segment, { maxLength: 3 }), fc.boolean())
  .map(([segments, rest]) => `/${[...segments, ...(rest ? ['*'] : [])].join('/')}`);
const anyRule = fc.tuple(fc.constantFrom('GET', '*'), pattern).map((parts) => parts.join(' '));
const anyFilling = fc.array(fc.constantFrom('a', 'b', 'other', '%20'), { minLength: 9, maxLength: 9 });
const long = 'y'.repeat(ruleLimits.literalLength);

/** Paths that the rule matches: each parameter filled, and the rest with so many segments. */
function pathsOf(path: string, filling: readonly string[]): string[] {
  const segments = path.split('/').map((each, index) => (each === ':x' ? filling[index % 9] : each));
  if (segments.at(-1) !== '*') return [segments.join('/')];
  return filling.map((_, last) => [...segments.slice(0, -1), ...filling.slice(0, last + 1)].join('/'));
}

it('is within exactly where the engine allows the giver every path that the rule matches', () => {
  const seen = new Map<boolean, number>();
  fc.assert(
    fc.property(fc.array(anyRule, { maxLength: 6 }), anyRule, anyFilling, (giver, text, filling) => {
      const snapshot = compile([...giver.map((each) => rule(each)), rule(text, 'given')], 1);
      const isAllowed = (roleKey: string) => (path: string) =>
        (text.startsWith('*') ? ['GET', 'OPTIONS'] : ['GET']).every(
          (method) => decide(snapshot, roleKey, method, path) === 'allow',
        );
      const answer = isWithin(snapshot, 'giver', rule(text));
      seen.set(answer, (seen.get(answer) ?? 0) + 1);
      const [matched, unknown] = [
        pathsOf(rule(text).path, filling),
        pathsOf(rule(text).path, Array(9).fill(long)),
      ];
      expect([...matched, ...unknown].every(isAllowed('given'))).toBe(true);
      if (answer) expect(matched.filter((path) => !isAllowed('giver')(path))).toEqual([]);
      else expect(unknown.every(isAllowed('giver'))).toBe(false);
    }),
    { numRuns: 1000 },
  );
  expect(Math.min(seen.get(true) ?? 0, seen.get(false) ?? 0)).toBeGreaterThan(100);
});
