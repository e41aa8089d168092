import { describe, expect, it } from 'vitest';
import { isCanonicalTarget } from '../../src/request/canonical-target.ts';

const routes = ['/api/v1/login', '/api/v1/user/profile', '/api/v1/sys-user/17', '/api/v1/a.b_c~d/-x'];
const hex = (code: number) => code.toString(16).padStart(2, '0');

/** Every target that comes from putting `text` in at any index, or in place of the character there. */
function spoiltBy(text: string): string[] {
  return routes.flatMap((path) =>
    Array.from(path, (_, at) => [
      path.slice(0, at) + text + path.slice(at),
      path.slice(0, at) + text + path.slice(at + 1),
    ])
      .flat()
      .concat(path + text),
  );
}

describe('a request target is not canonical', () => {
  it('with any character percent-encoded, once, twice or three times (T34, T35)', () => {
    for (const path of routes)
      for (const [at, character] of [...path].entries())
        for (const digits of [hex(character.charCodeAt(0)), hex(character.charCodeAt(0)).toUpperCase()])
          for (const layer of ['%', '%25', '%2525'])
            expect(isCanonicalTarget(path.slice(0, at) + layer + digits + path.slice(at + 1))).toBe(false);
  });

  it.each(['%2f', '%2F', '%5c', '%5C', '\\', '/\\', '%252f'])('with %s anywhere (T36)', (text) => {
    expect(spoiltBy(text).filter(isCanonicalTarget)).toEqual([]);
  });

  it.each(routes)('with a slash doubled in %s (T37)', (path) => {
    const doubled = Array.from(path, (_, at) => at).filter((at) => path[at] === '/');
    for (const at of doubled)
      for (const slashes of ['//', '///']) {
        expect(isCanonicalTarget(path.slice(0, at) + slashes + path.slice(at + 1))).toBe(false);
      }
  });

  it.each(routes)('with a slash behind %s (T38)', (path) => {
    expect(isCanonicalTarget(`${path}/`)).toBe(false);
    expect(isCanonicalTarget(`${path}/?a=b`)).toBe(false);
  });

  it.each(['.', '..', '%2e', '%2E%2e', '.%2e', '..;', ';..', '..%00', '%c0%ae%c0%ae'])(
    'with the segment %s anywhere (T39)',
    (segment) => {
      for (const path of routes)
        for (const at of Array.from(path, (_, index) => index).filter((index) => path[index] === '/'))
          expect(isCanonicalTarget(`${path.slice(0, at)}/${segment}${path.slice(at)}`)).toBe(false);
      for (const path of routes) expect(isCanonicalTarget(`${path}/${segment}`)).toBe(false);
    },
  );

  it.each([';', ';a=b', ';jsessionid=1', '%3B', '%3b', '#', '#x', '#/../y', '%23'])(
    'with %s anywhere in its path (T40, T41)',
    (text) => {
      expect(spoiltBy(text).filter(isCanonicalTarget)).toEqual([]);
    },
  );

  it('with a fragment behind its query (T41)', () => {
    expect(isCanonicalTarget('/api/v1/login?a=b#c')).toBe(false);
  });

  it.each([
    '',
    '*',
    '/',
    '?',
    '?token=x',
    'api/v1/login',
    'api.example:443',
    'http://evil/api/v1/login',
    'HTTP://evil/api/v1/login',
    'https://evil:8000/api/v1/login',
    'http:/api/v1/login',
    'http:api/v1/login',
    'file:///api/v1/login',
    'javascript:alert(1)',
    '//evil/api/v1/login',
    '///evil/api/v1/login',
    '//user:pass@evil/api/v1/login',
    'user@evil/api/v1/login',
    '/@evil/api/v1/login',
    '/\\evil/api/v1/login',
    '\\/evil/api/v1/login',
    '@/api/v1/login',
    ':8000/api/v1/login',
    './api/v1/login',
    '../api/v1/login',
    '/%zz?token=X',
    '/api/v1/login%',
    '/api/v1/login%4',
  ])('in the form %j (T42)', (target) => {
    expect(isCanonicalTarget(target)).toBe(false);
  });

  it.each([
    '\u0131',
    '\u0130',
    '\u212a',
    '\u017f',
    '\uff0f',
    '\u2044',
    '\u2215',
    '\u3002',
    '\uff0e',
    '\u2024',
    '\ufeff',
    'é',
  ])('with the confusable %j (T43)', (text) => {
    expect(spoiltBy(text).filter(isCanonicalTarget)).toEqual([]);
  });

  it('with any byte that is no unreserved character, raw or encoded (T44)', () => {
    const unreserved = /[A-Za-z0-9_~.-]/;
    for (let code = 0; code < 256; code += 1) {
      const raw = String.fromCharCode(code);
      if (!unreserved.test(raw) && raw !== '/' && raw !== '?')
        expect({ code, passed: spoiltBy(raw).filter(isCanonicalTarget) }).toEqual({ code, passed: [] });
      expect({ code, passed: spoiltBy(`%${hex(code)}`).filter(isCanonicalTarget) }).toEqual({
        code,
        passed: [],
      });
    }
  });

  it.each(['\ud800', '\udc00', '\udc00\ud800', '%c0%ae', '%ff', '%ed%a0%80'])(
    'with %j, which is no character (T44)',
    (text) => {
      expect(spoiltBy(text).filter(isCanonicalTarget)).toEqual([]);
    },
  );

  it.each([' ', '\t', '\r', '\n', '\0', '\x7f', '\x80', '\xff', 'é', '#'])('with %j in its query', (text) => {
    for (const query of [`?${text}`, `?a=${text}b`, `?a=b${text}`])
      expect(isCanonicalTarget(`/api/v1/login${query}`)).toBe(false);
  });

  it('with a segment or a whole beyond its bound', () => {
    expect(isCanonicalTarget(`/${'a'.repeat(64)}`)).toBe(true);
    expect(isCanonicalTarget(`/${'a'.repeat(65)}`)).toBe(false);
    expect(isCanonicalTarget('/abcdefg'.repeat(1024))).toBe(true);
    expect(isCanonicalTarget(`${'/abcdefg'.repeat(1024)}/a`)).toBe(false);
    expect(isCanonicalTarget(`/a?${'q'.repeat(8189)}`)).toBe(true);
    expect(isCanonicalTarget(`/a?${'q'.repeat(8190)}`)).toBe(false);
  });
});

it('takes no longer for a hostile target than for a plain one', () => {
  const hostile = [
    `${'/a'.repeat(4096)}%`,
    `/${'a'.repeat(8190)}!`,
    `/a?${'?'.repeat(8000)}\u0000`,
    '/.'.repeat(4096),
  ];
  const before = process.cpuUsage();
  for (let round = 0; round < 100; round += 1) for (const target of hostile) isCanonicalTarget(target);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(1000);
});

describe('a request target is canonical', () => {
  it.each([
    ...routes,
    '/api',
    '/API/V1/LOGIN',
    '/.well-known/x',
    '/a..b',
    '/...',
    '/~',
    '/api/v1/login?',
    '/api/v1/login?token=a.b-c_d',
    '/api/v1/login?a=%20%2F%c3%a9&b=c;d&url=http://x//../y',
    '/api/v1/login??a',
    '/api/v1/login?!"$%&\'()*+,-./:;<=>?@[\\]^_`{|}~',
  ])('in the form %s', (target) => {
    expect(isCanonicalTarget(target)).toBe(true);
  });
});
