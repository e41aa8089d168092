// T17 to T26: what somebody does, and what Portcullis does about it.
import type { Section } from './threat.ts';

export const carriers: Section = {
  title: 'Carrying the token',
  threats: [
    {
      id: 'T17',
      attack: '`?token=` ends up in our own logs and error pages',
      defence: 'No request is logged, and no answer repeats what was sent',
    },
    {
      id: 'T18',
      attack: 'A token leaks by `Referer` or by a cache',
      defence: '`no-referrer` and `no-store` on every answer, whatever it is',
    },
    {
      id: 'T19',
      attack: 'Several carriers, or two tokens in one',
      defence:
        'Header, query, cookie: the first that is there decides and never falls through; two of one kind are refused',
    },
    {
      id: 'T20',
      attack: 'Strange forms of the header `Authorization`',
      defence: 'The scheme in any case, one space, and the token as it stands',
    },
    {
      id: 'T21',
      attack: 'A page of another site calls with the cookie that the browser adds',
      defence:
        'With the cookie, whatever is not GET needs a listed origin, `Sec-Fetch-Site` same-origin or none, or `X-Requested-With`; the cookie is `SameSite=Strict`',
    },
    {
      id: 'T22',
      attack: 'A GET that changes something',
      defence:
        'No declared GET changes anything but the captcha, which makes one; the list of routes is pinned',
      heldBy: ['test/repository/routes.test.ts'],
    },
    {
      id: 'T23',
      attack: 'CORS for everybody',
      defence: 'Off unless origins are listed, then these byte by byte; never `*` or `null`; `Vary: Origin`',
    },
    {
      id: 'T24',
      attack: 'A cookie that a sibling site has set, or an overlong one',
      defence: 'Two cookies `jwt` are refused; a token still needs our signature, and has a bound',
    },
    {
      id: 'T25',
      attack: 'Request smuggling',
      defence:
        'Node’s strict parser, one Host, a body by length or by chunks; what is not one request is refused and closes the connection',
    },
    {
      id: 'T26',
      attack: 'A cache takes a private path for a file',
      defence: 'No route has a free suffix; not found, and not to be stored',
    },
  ],
};
