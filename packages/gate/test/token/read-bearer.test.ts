import { AppError } from '@portcullis/contract';
import { describe, expect, it } from 'vitest';
import { type Carriers, isByCookie, readBearer, scheme } from '../../src/token/read-bearer.ts';

/** The token, or the kind of the refusal. */
function outcomeOf(carriers: Partial<Carriers>): string {
  try {
    return readBearer({ rawHeaders: [], query: '', cookie: undefined, ...carriers }).slice(scheme.length);
  } catch (error) {
    if (error instanceof AppError) return error.kind;
    throw error;
  }
}

const states = ['absent', 'good', 'bad'] as const;
type State = (typeof states)[number];
const headers: Record<State, string[]> = {
  absent: ['Host', 'x'],
  good: ['Host', 'x', 'Authorization', 'Bearer from-header'],
  bad: ['Authorization', 'Basic bWVpOng='],
};
const queries: Record<State, string> = {
  absent: 'page=2',
  good: 'page=2&token=from-query',
  bad: 'token=a&token=b',
};
const cookies: Record<State, string | undefined> = {
  absent: undefined,
  good: 'theme=dark; jwt=from-cookie',
  bad: 'jwt=a; jwt=b',
};
const matrix = states.flatMap((header) =>
  states.flatMap((query) => states.map((cookie) => [header, query, cookie] as const)),
);

describe('of three carriers', () => {
  it.each(matrix)(
    '(header %s, query %s, cookie %s) the first that is present decides',
    (header, query, cookie) => {
      const given = { rawHeaders: headers[header], query: queries[query], cookie: cookies[cookie] };
      const places = [
        [header, 'from-header'],
        [query, 'from-query'],
        [cookie, 'from-cookie'],
      ] as const;
      const [state, token] = places.find(([present]) => present !== 'absent') ?? ['absent', ''];
      const expected = { absent: 'token_missing', good: token, bad: 'token_malformed' };
      expect(outcomeOf(given)).toBe(expected[state]);
    },
  );

  it.each(matrix.filter((states) => states.slice(0, 2).every((state) => state !== 'bad')))(
    '(header %s, query %s, cookie %s) the cookie is the one only where no other is present',
    (header, query, cookie) => {
      const given = { rawHeaders: headers[header], query: queries[query], cookie: cookies[cookie] };
      expect(isByCookie(given)).toBe(header === 'absent' && query === 'absent');
    },
  );
});

describe('the header Authorization', () => {
  it.each([
    'Basic bWVpOng=',
    'bearer',
    'Bearer',
    'Bearer\tx',
    'Bearer,x',
    'Bearer=x',
    'Bearer:x',
    'BearerX x',
    'Token x',
    'x',
    '',
    ' Bearer x',
    '"Bearer x"',
    'Вearer x',
  ])('%j is refused, though a cookie is there', (value) => {
    expect(outcomeOf({ rawHeaders: ['Authorization', value], cookie: 'jwt=good' })).toBe('token_malformed');
  });

  it.each([
    ['twice', ['Authorization', 'Bearer a', 'Authorization', 'Bearer a']],
    ['twice in other cases', ['authorization', 'Bearer a', 'X', 'y', 'AUTHORIZATION', 'Bearer b']],
    ['once bad, once good', ['Authorization', '', 'Authorization', 'Bearer a']],
  ])('%s is refused', (_how, rawHeaders) => {
    expect(outcomeOf({ rawHeaders })).toBe('token_malformed');
  });

  it.each(['Bearer x', 'bearer x', 'BEARER x', 'bEaReR x'])(
    '%j carries x, because the case of a scheme says nothing',
    (value) => {
      expect(outcomeOf({ rawHeaders: ['Authorization', value] })).toBe('x');
      expect(outcomeOf({ rawHeaders: ['authorization', value] })).toBe('x');
    },
  );

  it.each([
    ['Bearer  x', ' x'],
    ['Bearer x y', 'x y'],
    ['Bearer x,Bearer y', 'x,Bearer y'],
    ['Bearer ', ''],
  ])('%j gives %j unchanged, for the verifier to refuse', (value, token) => {
    expect(outcomeOf({ rawHeaders: ['Authorization', value] })).toBe(token);
  });

  it.each([
    ['as a value', ['X-Header', 'Authorization', 'Y', 'Bearer x']],
    [
      'with another name',
      ['X-Authorization', 'Bearer x', 'Proxy-Authorization', 'Bearer y', 'Authorizatio', 'Bearer z'],
    ],
  ])('%s is no carrier', (_how, rawHeaders) => {
    expect(outcomeOf({ rawHeaders })).toBe('token_missing');
  });
});

describe('the query parameter', () => {
  it.each([
    ['token=a&token=b', 'token_malformed'],
    ['token=a&token=a', 'token_malformed'],
    ['token=&token=a', 'token_malformed'],
    ['token=a&x=1&token=', 'token_malformed'],
    ['Token=a', 'token_missing'],
    ['xtoken=a', 'token_missing'],
    ['token[]=a', 'token_missing'],
    ['access_token=a', 'token_missing'],
    ['next=token=a', 'token_missing'],
    ['x=1;token=a', 'token_missing'],
    ['%74oken=a', 'token_missing'],
    ['', 'token_missing'],
    ['token=', ''],
    ['token=a', 'a'],
    ['token=a=b', 'a=b'],
    ['token=%61', '%61'],
    ['token=a+b', 'a+b'],
    ['x=1&token=a&y=token', 'a'],
  ])('%j gives %j', (query, outcome) => {
    expect(outcomeOf({ query })).toBe(outcome);
  });

  it('that is empty still decides: the cookie is not asked', () => {
    expect(outcomeOf({ query: 'token=', cookie: 'jwt=good' })).toBe('');
  });
});

describe('the cookie', () => {
  it.each([
    ['jwt=a; jwt=b', 'token_malformed'],
    ['jwt=a;jwt=a', 'token_malformed'],
    ['jwt=; jwt=a', 'token_malformed'],
    ['JWT=a', 'token_missing'],
    ['xjwt=a', 'token_missing'],
    ['__Host-jwt=a', 'token_missing'],
    ['theme=jwt=a', 'token_missing'],
    ['jwt = a', 'token_missing'],
    ['jwt', 'token_missing'],
    ['', 'token_missing'],
    ['jwt=', ''],
    ['jwt=a', 'a'],
    ['jwt="a"', '"a"'],
    ['theme=dark;jwt=a;x=y', 'a'],
    ['  jwt=a  ;', 'a'],
  ])('%j gives %j', (cookie, outcome) => {
    expect(outcomeOf({ cookie })).toBe(outcome);
  });
});
