// Ways to present tokens: the three carriers, well and badly written, one or several at a time.
import type { Random } from '../random.ts';

export interface Presentation {
  readonly headers: readonly (readonly [string, string])[];
  /** Pairs of the query. */
  readonly pairs: readonly string[];
}

/** `T` stands for the token, `U` for another one. */
const authorizations = [
  ...['bearer T', 'BEARER T', 'BeArEr T', '  Bearer T', 'Bearer T ', 'Bearer T\t', '\tBearer T'],
  ...[
    'Bearer  T',
    'Bearer\tT',
    'Bearer T U',
    'Bearer T,U',
    'Bearer T,',
    'Bearer T;',
    'Bearer',
    'Bearer ',
    '',
  ],
  ...['T', 'Token T', 'Basic T', 'JWT T', 'Bearer:T', 'Bearer: T', 'Bearer=T', 'BearerT', 'Bearer "T"'],
  ...[
    'Bearer <T>',
    'Bearer T=',
    'Bearer T.',
    'Bearer T.U',
    'Bearer bearer T',
    'Bearer token=T',
    'Bearer\xa0T',
  ],
  ...[
    'Bearer T\xa0',
    'Bearer %54',
    'Bearer null',
    'Bearer undefined',
    'Digest T, Bearer T',
    'Bearer T, Bearer U',
  ],
];
const cookies = [
  ...['jwt=T', 'a=b; jwt=T', 'jwt=T; a=b', 'a=b;jwt=T', 'a=b;\tjwt=T ;c=d', ' jwt=T', '__proto__=x; jwt=T'],
  ...[
    'jwt=T; jwt=U',
    'jwt=T;jwt=T',
    'JWT=T',
    'xjwt=T',
    'jwt = T',
    'jwt =T',
    'jwt= T',
    'jwt="T"',
    'jwt',
    'jwt=',
  ],
  ...[
    'a=b, jwt=T',
    '$Version=1; jwt=T',
    'a="; jwt=T',
    'jwt=T=',
    'jwt=%54',
    'token=T',
    'jwt=T;',
    ';jwt=T',
    ';;;',
  ],
  ...['a=b;\xa0jwt=T', 'jwt=T\xa0', 'a=jwt=T', 'jwt[]=T', 'jwt.0=T', 'Jwt=T; jwt=U'],
];
const queries = [
  ...['token=T', 'page=2&token=T', 'token=T&page=2', '&token=T&', 'token=T&token=U', 'token=T&token=T'],
  ...[
    'Token=T',
    'TOKEN=T',
    'xtoken=T',
    '%74oken=T',
    'token%3dT',
    'token[]=T',
    'token',
    'token=',
    'token=%54',
  ],
  ...['token==T', 'token=T=', 'token=T;x=y', 'x=y;token=T', 'token=Bearer+T', 'jwt=T', 'access_token=T'],
  ...['token=T?token=U', 'a?token=T', 'token=T+', 'token=T%20'],
];
const otherHeaders = [
  'X-Token',
  'X-Access-Token',
  'Proxy-Authorization',
  'X-Authorization',
  'Authorization_',
];
const names = ['Authorization', 'authorization', 'AUTHORIZATION', 'aUTHORIZATION'] as const;

export function presentTokens(random: Random, pickToken: () => string): Presentation {
  const headers: (readonly [string, string])[] = [];
  const pairs: string[] = [];
  const fill = (form: string) =>
    form.replace(/[TU]/g, (mark, at: number) => (isMark(form, at) ? pickToken() : mark));
  const cookieName = () => random.pick(['Cookie', 'cookie']);
  const add = {
    header: () => headers.push([random.pick(names), fill(`Bearer T`)]),
    query: () => pairs.push(fill('token=T')),
    cookie: () => headers.push([cookieName(), fill('jwt=T')]),
    oddHeader: () => headers.push([random.pick(names), fill(random.pick(authorizations))]),
    oddQuery: () => pairs.push(fill(random.pick(queries))),
    oddCookie: () => headers.push([cookieName(), fill(random.pick(cookies))]),
    elsewhere: () => headers.push([random.pick(otherHeaders), fill('Bearer T')]),
  };
  const plain = [add.header, add.header, add.query, add.cookie, add.cookie] as const;
  const odd = [add.oddHeader, add.oddQuery, add.oddCookie, add.elsewhere] as const;
  const plan = random.below(20);
  if (plan < 2) return { headers, pairs };
  if (plan < 12) random.pick(plain)();
  else if (plan < 16) random.pick(odd)();
  else for (let i = 1 + random.below(3); i > 0; i--) random.pick([...plain, ...odd])();
  return { headers, pairs };
}

/** A capital T or U that stands alone, and not one of a word. */
function isMark(form: string, at: number): boolean {
  return !/[A-Za-z]/.test(form.charAt(at - 1)) && !/[A-Za-z]/.test(form.charAt(at + 1));
}
