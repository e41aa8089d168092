import { AppError } from '@portcullis/contract';
import { describe, expect, it } from 'vitest';
import { type CsrfCheckedRequest, createCsrfCheck } from '../../src/checks/csrf-check.ts';

const good = 'https://good.example';
const check = createCsrfCheck([good]);
const byCookie = { rawHeaders: ['Host', 'x'], query: '', cookie: 'jwt=a.b.c' };

/** Whether it passes; refused in no way but one. */
function passes(
  headers: CsrfCheckedRequest['headers'],
  method = 'POST',
  carriers: CsrfCheckedRequest['carriers'] = byCookie,
): boolean {
  try {
    check({ method, carriers, headers });
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(AppError);
    expect((error as AppError).kind).toBe('cross_site');
    return false;
  }
}

const sites = [
  'same-origin',
  'none',
  'cross-site',
  'same-site',
  'Same-Origin',
  'same-origin, cross-site',
  '',
  undefined,
];
const origins = [
  good,
  'https://evil.example',
  'null',
  `${good}.evil.example`,
  `${good}:8443`,
  `${good}, ${good}`,
  '',
  undefined,
];
const requestedWiths = ['XMLHttpRequest', '', undefined];
const matrix = sites.flatMap((site) =>
  origins.flatMap((origin) => requestedWiths.map((requestedWith) => ({ site, origin, requestedWith }))),
);

describe('a call that changes something, by cookie', () => {
  it.each(matrix)(
    'with Sec-Fetch-Site $site, Origin $origin and X-Requested-With $requestedWith passes only from our own front end',
    ({ site, origin, requestedWith }) => {
      const isOurs =
        site === 'same-origin' ||
        site === 'none' ||
        origin === good ||
        (site === undefined && requestedWith !== undefined);
      const headers = {
        ...(site === undefined ? {} : { 'sec-fetch-site': site }),
        ...(origin === undefined ? {} : { origin }),
        ...(requestedWith === undefined ? {} : { 'x-requested-with': requestedWith }),
      };
      expect(passes(headers)).toBe(isOurs);
    },
  );

  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'PURGE', 'get'])(
    'by %s needs the sign',
    (method) => {
      expect(passes({}, method)).toBe(false);
    },
  );
});

const crossSite = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };

it('a GET needs no sign, because it changes nothing', () => {
  expect(passes(crossSite, 'GET')).toBe(true);
});

it.each([
  ['header', { ...byCookie, rawHeaders: ['Authorization', 'Bearer a.b.c'] }],
  ['query', { ...byCookie, query: 'token=a.b.c' }],
])(
  'accepts a token by %s without a check of the origin: no browser sends it automatically',
  (_carrier, carriers) => {
    expect(passes(crossSite, 'POST', carriers)).toBe(true);
  },
);

it('without listed origins no origin is a sign', () => {
  const strict = createCsrfCheck([]);
  for (const origin of [good, '', 'null'])
    expect(() => strict({ method: 'POST', carriers: byCookie, headers: { origin } })).toThrow(AppError);
});
