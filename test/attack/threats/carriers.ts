// Threats T17 to T26, the chapter “How a request carries the token”.
import type { Section } from './threat.ts';

export const carriers: Section = {
  title: 'How a request carries the token',
  page: 'token-carriers',
  threats: [
    {
      id: 'T17',
      attack: '`?token=` puts tokens into our own logs and error pages.',
      defence: 'Requests are not logged, and no response repeats request data.',
    },
    {
      id: 'T18',
      attack: 'A token leaks through `Referer` or through a cache.',
      defence: 'Every response has `no-referrer` and `no-store`.',
    },
    {
      id: 'T19',
      attack: 'A request contains several tokens: in different carriers, or two in one carrier.',
      defence:
        'The order is header, query, cookie. The first carrier that is present decides; there is no fallback to the next one. Two tokens in one carrier are rejected.',
    },
    {
      id: 'T20',
      attack: 'The `Authorization` header has an unusual form.',
      defence: 'The header is the scheme in any letter case, one space, and the token unchanged.',
    },
    {
      id: 'T21',
      attack: 'A page of another site sends a request, and the browser adds the cookie (CSRF).',
      defence:
        'With the cookie, a request other than GET needs a listed origin, `Sec-Fetch-Site` with same-origin or none, or `X-Requested-With`. The cookie is `SameSite=Strict`.',
    },
    {
      id: 'T22',
      attack: 'A GET request changes data.',
      defence:
        'No declared GET changes data, except that a captcha request creates a captcha. A test pins the list of routes.',
      heldBy: ['test/repository/routes.test.ts'],
    },
    {
      id: 'T23',
      attack: 'CORS is open to every origin.',
      defence:
        'CORS is off until origins are listed. Listed origins are compared byte by byte; `*` and `null` are never sent. Responses have `Vary: Origin`.',
    },
    {
      id: 'T24',
      attack: 'A sibling site sets a cookie for our site, or the cookie is too long.',
      defence:
        'Two `jwt` cookies are rejected. A token still needs our signature, and its length is limited.',
    },
    {
      id: 'T25',
      attack: 'Request smuggling.',
      defence:
        'Node’s strict parser accepts one Host header and a body by length or by chunks. Input that is not exactly one request is rejected, and the connection is closed.',
    },
    {
      id: 'T26',
      attack: 'A cache treats a private path as a static file.',
      defence:
        'No route accepts an arbitrary suffix. Such a path is not found, and the response must not be stored.',
    },
  ],
};
