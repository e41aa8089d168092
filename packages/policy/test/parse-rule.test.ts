import { describe, expect, it } from 'vitest';
import { judgeTime } from '../../../test/rig/judges-times.ts';
import { methods, parseRule, ruleLimits } from '../src/index.ts';

const sound = { roleKey: 'editor', method: 'GET', path: '/articles' };

function reasonFor(part: Partial<typeof sound>): string {
  const parsed = parseRule({ ...sound, ...part });
  return 'reason' in parsed ? parsed.reason : 'accepted';
}

describe('parseRule', () => {
  it.each([
    ['', 'The path "" does not start with "/": put a "/" in front.'],
    ['articles', 'The path "articles" does not start with "/": put a "/" in front.'],
    ['*', 'The path "*" does not start with "/": put a "/" in front.'],
    ['/articles/', 'The path ends with "/": leave it off, or end with "/*" for everything below.'],
    ['//', 'Segment 1 is empty: write one "/" between segments.'],
    ['/a//b', 'Segment 2 is empty: write one "/" between segments.'],
    ['/foo/:', 'The parameter in segment 2 has no name: write one, such as ":id".'],
    ['/foo/:/bar', 'The parameter in segment 2 has no name: write one, such as ":id".'],
    [
      '/foo/:1a',
      'The parameter ":1a" in segment 2 is refused: after ":" use letters, digits and "_", a letter or "_" first.',
    ],
    [
      '/foo/:a-b',
      'The parameter ":a-b" in segment 2 is refused: after ":" use letters, digits and "_", a letter or "_" first.',
    ],
    ['/a/*/b', 'Segment 2 is "*", which may only be the last segment: use ":name" here.'],
    [
      '/api/user*',
      'Segment 2, "user*", has "*" beside other characters: "*" must be the whole last segment.',
    ],
    ['/a/**', 'Segment 2, "**", has "*" beside other characters: "*" must be the whole last segment.'],
    ['/a/.', 'Segment 2 is ".", which no canonical path has: write the path that it leads to.'],
    ['/a/../b', 'Segment 2 is "..", which no canonical path has: write the path that it leads to.'],
    [
      '/a/(x+x+)+y',
      'Segment 2, "(x+x+)+y", is not plain text: use letters, digits, "_", "~", "." and "-" (a rule is not a regular expression).',
    ],
    [
      '/a/b:c',
      'Segment 2, "b:c", is not plain text: use letters, digits, "_", "~", "." and "-" (a rule is not a regular expression).',
    ],
    [`/${'a'.repeat(65)}`, 'Segment 1 has 65 characters: keep it within 64.'],
    ['/a'.repeat(13), 'The path has 13 segments: keep it within 12, or end it earlier with "*".'],
    [`/${'a'.repeat(256)}`, 'The path has 257 characters: keep it within 256.'],
  ])('refuses the path %j', (path, reason) => {
    expect(reasonFor({ path })).toBe(reason);
  });

  it.each([
    '%41',
    'a b',
    'a\n',
    '\ta',
    'é',
    '中',
    'a;b',
    'a?b',
    'a#b',
    'a\\b',
    'a+b',
    '{id}',
    '[a]',
    'a$',
    '^a',
    'a|b',
    '\u0000',
  ])('refuses the segment %j', (segment) => {
    expect(reasonFor({ path: `/a/${segment}` })).toMatch(/^Segment 2, .* is not plain text/);
  });

  it.each([
    'get',
    'Get',
    ' GET',
    'GET ',
    'TRACE',
    'CONNECT',
    '',
    '**',
    'GET|POST',
    '(GET)',
    '__proto__',
    'constructor',
  ])('refuses the method %j', (method) => {
    expect(reasonFor({ method })).toMatch(/^(Write the method|The method) /);
  });

  it('says what to write for a method', () => {
    expect(reasonFor({ method: 'get' })).toBe('Write the method "get" in upper case.');
    expect(reasonFor({ method: 'FETCH' })).toBe(
      'The method "FETCH" is not one that a rule can name: use GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS, or "*" for all of them.',
    );
  });

  // Look-alikes of admin, and names that a naive map would know (T53, T54).
  it.each([
    ...[
      'Admin',
      'ADMIN',
      'aDmin',
      ' admin',
      'admin ',
      '\tadmin',
      'admin\n',
      'admin\r',
      'admin\u0000',
      'ad min',
    ],
    ...[
      'admin\u200b',
      '\u200badmin',
      'ad\u200bmin',
      'admin\u200c',
      'admin\u200d',
      'admin\ufeff',
      '\ufeffadmin',
    ],
    ...[
      'аdmin',
      'аdмin',
      'аdmіn',
      'admіn',
      'admiո',
      'αdmin',
      'ádmin',
      'admín',
      'àdmin',
      'ädmin',
      'admïn',
      'a\u0301dmin',
    ],
    ...[
      'ａdmin',
      'ａｄｍｉｎ',
      'ⓐdmin',
      '𝐚dmin',
      '𝒂𝒅𝒎𝒊𝒏',
      'ᴀdmin',
      'admın',
      'admīn',
      'ɑdmin',
      'adⅿin',
      'ad\u00admin',
    ],
    ...[
      'admin\u00a0',
      '\u3000admin',
      '\u2003admin',
      'admin\u2028',
      '\u202eadmin',
      'admin\u0338',
      'admin%',
      'admin*',
    ],
    ...[
      '*',
      '',
      '__proto__',
      'toString',
      '1admin',
      '-admin',
      '_admin',
      'admin.',
      'admin/',
      'admin:',
      'admin,',
      "admin'",
    ],
    'a'.repeat(33),
  ])('refuses the role key %j', (roleKey) => {
    expect(reasonFor({ roleKey })).toMatch(/^The role key .* is refused: use 1 to 32 characters/);
  });

  it('does not repeat more than 80 characters of what it refuses', () => {
    expect(reasonFor({ roleKey: 'A'.repeat(100_000) }).length).toBeLessThan(250);
  });

  it('refuses a thousand patterns that would keep a regular expression busy, each in under 1 ms', () => {
    const evil = ['/foo/:', '/a/(x+x+)+y', '/(a|a)*b', '/([a-z]+)*$', '/(.*)*x'];
    const patterns = Array.from(
      { length: 1000 },
      (_, i) => `${evil[i % evil.length]}${'x'.repeat(i % 100)}!`,
    );
    const times = [...evil, ...patterns].map((path) => {
      let best = Number.POSITIVE_INFINITY;
      for (let round = 0; round < 5; round++) {
        const start = performance.now();
        expect(reasonFor({ path })).not.toBe('accepted');
        best = Math.min(best, performance.now() - start);
      }
      return best;
    });
    judgeTime('A refusal', Math.max(...times), 1);
  });

  it.each([
    '/',
    '/*',
    '/:id',
    '/articles',
    '/articles/:id',
    '/articles/:id/*',
    '/a/:_x9/b.c',
    '/a.b-c_d~e/F9',
    '/...',
    '/a/:id/b/:id',
    `/${'a'.repeat(64)}`,
    '/a'.repeat(12),
    `/${'a'.repeat(63)}`.repeat(4),
  ])('accepts the path %j', (path) => {
    expect(parseRule({ ...sound, path })).toEqual({ rule: { ...sound, path } });
  });

  it.each([...methods, '*'])('accepts the method %s', (method) => {
    expect(reasonFor({ method })).toBe('accepted');
  });

  it.each(['a', 'admin', 'constructor', 'sales-2_b', 'a'.repeat(32)])(
    'accepts the role key %s',
    (roleKey) => {
      expect(reasonFor({ roleKey })).toBe('accepted');
    },
  );

  it('returns a frozen rule', () => {
    const parsed = parseRule(sound);
    expect('rule' in parsed && Object.isFrozen(parsed.rule)).toBe(true);
  });

  it('states its limits', () => {
    expect(ruleLimits).toEqual({ pathLength: 256, segments: 12, literalLength: 64 });
  });
});
